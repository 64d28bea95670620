// What counter objects say they hold, asked directly: a second Worker beside Weir, in tests only.
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const PROGRAM = `export default {
  fetch(request, env) {
    const [, id] = new URL(request.url).pathname.split("/");
    return env.COUNTER.get(env.COUNTER.idFromString(id)).fetch("http://counter/1s");
  },
};`;

/** For startWorkerd(): what stands beside Weir where `probe` is set. */
export const probe = (wrangler) => ({
  services: [
    {
      name: "probe",
      worker: {
        modules: [{ name: "probe.js", esModule: PROGRAM }],
        compatibilityDate: wrangler.compatibility_date,
        bindings: [{ name: "COUNTER", durableObjectNamespace: { className: "Counter", serviceName: "weir" } }],
      },
    },
  ],
  sockets: [{ name: "probe", address: "127.0.0.1:0", service: "probe", http: {} }],
});

/** `{ running, waiting }`, summed over all objects that there ever were. */
export async function counts(weir) {
  const port = weir.log().split("\n").map(probePort).find(Boolean) ?? (await weir.line(probePort));
  const files = await readdir(join(weir.storage, "Counter"));
  const ids = files.map((file) => /^([0-9a-f]{64})\.sqlite$/.exec(file)?.[1]).filter(Boolean);
  const sum = { running: 0, waiting: 0 };
  for (const id of ids) {
    const answer = (await fetch(`http://127.0.0.1:${port}/${id}`)).headers.get("a");
    const [, , running, waiting] = answer.split("~")[0].split(".");
    sum.running += number(running);
    sum.waiting += number(waiting);
  }
  return sum;
}

const probePort = (line) => line.includes('"listen"') && line.includes('"probe"') && JSON.parse(line).port;

/** Waits until the counts are these; an error says what they are instead. */
export async function untilCounts(weir, wanted, within_ms = 3000) {
  const until = performance.now() + within_ms;
  for (;;) {
    const found = await counts(weir);
    if (found.running === wanted.running && found.waiting === wanted.waiting) return;
    if (performance.now() > until) throw new Error(`counts are ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
}

// an absent number is zero; the messages count in base 32
const number = (text) => (text ? parseInt(text, 32) : 0);
