// What is measured side by side: each a workerd of its own in front of the same origin.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WORKERD } from "../scripts/lib/paths.mjs";
import { config, embed } from "../tests/e2e/lib/capnp.mjs";
import { folder, launch } from "../tests/e2e/lib/process.mjs";
import { startWorkerd } from "../tests/e2e/lib/workerd.mjs";
import * as policies from "./policies.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
export const TOKEN = "a token for the bench";
/** The one that has to be bundled, with packages of its own. */
const PEER = "hono.js";
const SECRETS = { ADMIN_TOKEN: TOKEN, KEY_SECRET: "a secret for the bench" };

/** A Worker that is not Weir; `vars` as JSON; `counts` where it has objects of a class `Counter`. */
const bare = (title, file, { counts = false, vars = {} } = {}) => ({
  title,
  needsPackages: file === PEER,
  start: (scope, place) => script(scope, place, { file, counts, vars }),
});

/** Weir under a policy, with its metrics and counters as they are when it is deployed. */
const weir = (title, policy) => ({
  title,
  isWeir: true,
  start: (scope, { origin }) => startWorkerd(scope, { origin, policy, vars: SECRETS }),
});

/** By the names that `--contenders` takes. */
export const CONTENDERS = {
  pass: bare("bare pass-through", "pass.js"),
  fields: bare("pass-through that adds two fields", "fields.js"),
  refuse: bare("constant 429", "refuse.js"),
  call: bare("one trivial object call", "call.js", { counts: true }),
  hono: bare("hono-rate-limiter", PEER, { counts: true, vars: { QUOTA: 10_000_000 } }),
  none: weir("Weir, no rule applies", policies.elsewhere()),
  leased: weir("Weir, one limit, leased", policies.generous("leased")),
  exact: weir("Weir, one limit, exact", policies.generous("exact")),
  optimistic: weir("Weir, one limit, optimistic", policies.generous("optimistic")),
  five: weir("Weir, five limits", policies.five()),
  rules: weir("Weir, 200 rules", policies.many(200)),
  "hono-flood": bare("hono-rate-limiter, 100 in 60 s", PEER, { counts: true, vars: { QUOTA: 100 } }),
  flood: weir("Weir, 100 in 60 s", policies.tight()),
  window: weir("Weir, sliding window of 120 in 60 s", policies.visitors("sliding-window", "leased")),
  bucket: weir("Weir, token bucket of 120 in 60 s", policies.visitors("token-bucket", "leased")),
  "wide-window": weir("Weir, sliding window of 600 in 60 s", policies.visitors("sliding-window", "leased", { quota: 600 })),
  "wide-bucket": weir("Weir, token bucket of 20 in 1 s, burst 100", policies.visitors("token-bucket", "leased", { quota: 20, window: "1s", burst: 100 })),
  "slow-leased": weir("Weir, leased", policies.visitors("sliding-window", "leased")),
  "slow-optimistic": weir("Weir, optimistic", policies.visitors("sliding-window", "optimistic")),
};

/**
 * A bare Worker on workerd. An object that lies on a disk holds files open for as long as it lives,
 * so where there is one for each of very many clients, they are kept in memory (`inMemory`).
 */
async function script(scope, { origin, inMemory }, { file, counts, vars }) {
  const dir = await folder(scope, "bench");
  await mkdir(join(dir, "storage"));
  await bundled(file, join(dir, "worker.js"));
  const worker = {
    modules: [{ name: "worker.js", esModule: embed("worker.js") }],
    compatibilityDate: "2026-11-01",
    bindings: [
      { name: "ORIGIN", service: "origin" },
      ...(counts ? [{ name: "COUNTER", durableObjectNamespace: "Counter" }] : []),
      ...Object.entries(vars).map(([name, value]) => ({ name, json: JSON.stringify(value) })),
    ],
    ...(counts && {
      durableObjectNamespaces: [{ className: "Counter", uniqueKey: "Counter", enableSql: true }],
      durableObjectStorage: inMemory ? { inMemory: null } : { localDisk: "storage" },
    }),
  };
  const services = [
    { name: "main", worker },
    { name: "origin", external: { address: origin.address, http: {} } },
    { name: "storage", disk: { path: "storage", writable: true } },
  ];
  const file_ = join(dir, "config.capnp");
  await writeFile(file_, config({ services, sockets: [{ name: "http", address: "127.0.0.1:0", service: "main", http: {} }] }));
  const server = {
    async start() {
      const process = await launch(WORKERD, ["serve", "--experimental", "--control-fd=3", file_], {
        cwd: dir,
        events: true,
        ready: (line) => (line.includes('"listen"') && line.includes('"http"') ? JSON.parse(line).port : null),
      });
      Object.assign(server, process, { port: process.found });
    },
    async restart() {
      await server.stop();
      await server.start();
    },
  };
  await server.start();
  scope.after(() => server.stop());
  return server;
}

async function bundled(file, out) {
  const from = join(HERE, "workers", file);
  if (file !== PEER) return copyFile(from, out);
  // Only here: the packages may not have been installed when this file is loaded.
  const { build } = await import("esbuild");
  await build({ entryPoints: [from], outfile: out, bundle: true, format: "esm", target: "esnext", minify: true, external: ["cloudflare:*"], logLevel: "error" });
}
