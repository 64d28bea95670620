// What is measured side by side: each a workerd of its own in front of the same origin.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WORKERD } from "../scripts/lib/paths.mjs";
import { config, embed } from "../tests/e2e/lib/capnp.mjs";
import { folder, launch } from "../tests/e2e/lib/process.mjs";
import { startWorkerd } from "../tests/e2e/lib/workerd.mjs";

const PASS = "export default { fetch: (request, env) => env.ORIGIN.fetch(request) };";
const REFUSE = 'export default { fetch: () => new Response("slow down", { status: 429, headers: { "retry-after": "1" } }) };';
const CALL = `
export class Counter {
  constructor() { this.count = 0; }
  fetch() { return new Response(null, { headers: { a: String(++this.count) } }); }
}
export default {
  async fetch(request, env) {
    await env.COUNTER.getByName(request.headers.get("cf-connecting-ip")).fetch("http://counter/");
    return env.ORIGIN.fetch(request);
  },
};`;

const limit = (fields) => ({ rules: [{ name: "rule", match: { path: "/*" }, limits: [{ name: "ip", key: ["ip"], window: "60s", ...fields }] }] });
const bucket = (quota, precision) => limit({ algorithm: "token-bucket", quota, precision });

/** Name and how it is started; `pass` comes first, for the ratios. */
export const CONTENDERS = {
  pass: (scope, origin) => script(scope, origin, PASS),
  "constant 429": (scope, origin) => script(scope, origin, REFUSE),
  "one object call": (scope, origin) => script(scope, origin, CALL),
  "weir, leased": (scope, origin) => startWorkerd(scope, { origin, policy: bucket(10_000_000, "leased") }),
  "weir, exact": (scope, origin) => startWorkerd(scope, { origin, policy: bucket(10_000_000, "exact") }),
  "weir, 100 a minute": (scope, origin) => startWorkerd(scope, { origin, policy: limit({ algorithm: "sliding-window", quota: 100 }) }),
};

async function script(scope, origin, source) {
  const dir = await folder(scope, "bench");
  await mkdir(join(dir, "storage"));
  await writeFile(join(dir, "worker.js"), source);
  const counts = source.includes("class Counter");
  const worker = {
    modules: [{ name: "worker.js", esModule: embed("worker.js") }],
    compatibilityDate: "2026-11-01",
    bindings: [{ name: "ORIGIN", service: "origin" }, ...(counts ? [{ name: "COUNTER", durableObjectNamespace: "Counter" }] : [])],
    ...(counts && { durableObjectNamespaces: [{ className: "Counter", uniqueKey: "Counter", enableSql: true }], durableObjectStorage: { localDisk: "storage" } }),
  };
  const file = join(dir, "config.capnp");
  const services = [
    { name: "main", worker },
    { name: "origin", external: { address: origin.address, http: {} } },
    { name: "storage", disk: { path: "storage", writable: true } },
  ];
  await writeFile(file, config({ services, sockets: [{ name: "http", address: "127.0.0.1:0", service: "main", http: {} }] }));
  const process = await launch(WORKERD, ["serve", "--experimental", "--control-fd=3", file], {
    cwd: dir,
    events: true,
    ready: (line) => (line.includes('"listen"') && line.includes('"http"') ? JSON.parse(line).port : null),
  });
  scope.after(() => process.stop());
  return { ...process, port: process.found };
}
