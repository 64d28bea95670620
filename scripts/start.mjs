// `npm start`: the demo origin with Weir in front of it, on this machine alone.
//   npm start -- --origin http://127.0.0.1:3000    in front of an origin of your own
//   PORT and ORIGIN_PORT choose other ports than 8787 and 8790
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { check, buildWorker } from "./lib/build.mjs";
import { NODE, WRANGLER } from "./lib/paths.mjs";
import { run, start, stop } from "./lib/run.mjs";
import { Stop, main, say } from "./lib/say.mjs";
import { setUp } from "./lib/setup.mjs";

const HOST = "127.0.0.1";

main(async (args) => {
  const { values } = parseArgs({ args, options: { origin: { type: "string" } } });
  const port = portFrom("PORT", 8787);
  const originPort = portFrom("ORIGIN_PORT", 8790);
  await setUp();
  await check();
  await buildWorker();
  for (const wanted of values.origin ? [port] : [port, originPort]) await free(wanted);

  const children = [];
  if (!values.origin) {
    say("building the demo origin");
    await run("cargo", ["build", "--quiet", "--example", "origin"]);
    say(`starting the demo origin on ${HOST}:${originPort}`);
    const origin = start("target/debug/examples/origin", ["--listen", `${HOST}:${originPort}`, "--log"]);
    children.push(origin);
    await listening(origin, originPort, "the demo origin");
  }
  const origin = values.origin ?? `http://${HOST}:${originPort}`;
  say(`starting Weir on ${HOST}:${port}, in front of ${origin}`);
  const weir = start(NODE, [WRANGLER, "dev", "--ip", HOST, "--port", String(port), "--var", `ORIGIN:${origin}`, "--var", "DEMO:on"]);
  children.push(weir);
  await listening(weir, port, "wrangler");
  say(`ready: http://${HOST}:${port}
  a request that passes:        curl -i 'http://${HOST}:${port}/api/usernames/available?u=ada'
  a flood (21 pass, 19 do not): seq 40 | xargs -P 40 -I{} curl -s -o /dev/null -w '%{http_code}\\n' -d '{"accounts":["a"],"pageSize":10}' -H 'content-type: application/json' http://${HOST}:${port}/reports | sort | uniq -c
  a body over 16 KiB (413):     head -c 17000 /dev/zero | curl -i --data-binary @- http://${HOST}:${port}/reports
Stop it with Ctrl-C.`);
  const over = await Promise.race(children.map((child) => new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)))));
  await Promise.all(children.map((child) => stop(child)));
  return over;
});

function portFrom(name, otherwise) {
  const text = process.env[name] ?? String(otherwise);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535) throw new Stop(`${name} is "${text}": give a port between 1 and 65535.`);
  return port;
}

const reachable = (port) =>
  new Promise((resolve) => {
    const socket = connect({ port, host: HOST });
    socket.once("connect", () => (socket.destroy(), resolve(true)));
    socket.once("error", () => resolve(false));
  });

async function free(port) {
  if (await reachable(port)) {
    throw new Stop(`port ${port} is taken: stop what listens there, or choose others with PORT and ORIGIN_PORT.`);
  }
}

async function listening(child, port, what) {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Stop(`${what} ended before it was ready; what it said is above.`);
    if (await reachable(port)) return;
    await pause(50);
  }
  throw new Stop(`${what} did not listen on port ${port} within a minute.`);
}
