// `npm start`: the demo origin with Weir in front of it, on this machine alone.
//   npm start -- --origin http://127.0.0.1:3000    in front of an origin of your own
//   PORT and ORIGIN_PORT choose other ports than 8787 and 8790
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { check, buildWorker } from "./lib/build.mjs";
import { NODE, ORIGIN_PROGRAM, WRANGLER } from "./lib/paths.mjs";
import { run, start, stop } from "./lib/run.mjs";
import { Stop, main, say } from "./lib/say.mjs";
import { setUp } from "./lib/setup.mjs";

const HOST = "127.0.0.1";
const PIPED = { stdio: ["ignore", "pipe", "pipe"] };

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
    const origin = start(ORIGIN_PROGRAM, ["--listen", `${HOST}:${originPort}`, "--log"], PIPED);
    children.push(origin);
    await says(origin, /listens on/, "the demo origin");
  }
  const origin = values.origin ?? `http://${HOST}:${originPort}`;
  say(`starting Weir on ${HOST}:${port}, in front of ${origin}`);
  const weir = start(NODE, ["--no-warnings", WRANGLER, "dev", "--ip", HOST, "--port", String(port), "--var", `ORIGIN:${origin}`, "--var", "DEMO:on"], {
    ...PIPED,
    group: true,
  });
  children.push(weir);
  await says(weir, /Ready on http/, "wrangler");
  say(`ready: http://${HOST}:${port}
${values.origin ? "" : whatToTry(`http://${HOST}:${port}`)}Stop it with Ctrl-C.`);
  const over = await Promise.race(children.map((child) => new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)))));
  await Promise.all(children.map((child) => stop(child)));
  return over;
});

const whatToTry = (url) => `  a request that passes:
    curl -i '${url}/api/usernames/available?u=grace'
  40 at once, of which 21 pass:
    seq 40 | xargs -P 40 -I{} curl -s -o /dev/null -w '%{http_code}\\n' -d '{"accounts":["a"],"pageSize":10}' -H 'content-type: application/json' ${url}/reports | sort | uniq -c
  a body over 16 KiB, which is refused with 413:
    head -c 17000 /dev/zero | curl -i --data-binary @- ${url}/reports
  What reaches the origin is shown here in lines that begin with "origin:".
`;

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

/** Shows what a child says, and waits until it says that it is ready. */
function says(child, pattern, what) {
  return new Promise((resolve, reject) => {
    let text = "";
    const pass = (from, to) => from.setEncoding("utf8").on("data", (piece) => {
      to.write(piece);
      if (text === null) return;
      text += piece;
      if (!pattern.test(text)) return;
      text = null;
      resolve();
    });
    pass(child.stdout, process.stdout);
    pass(child.stderr, process.stderr);
    child.once("error", () => reject(new Stop(`${what} could not be started.`)));
    child.once("exit", () => reject(new Stop(`${what} ended before it was ready; what it said is above.`)));
  });
}
