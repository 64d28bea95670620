// Weir on workerd itself, without wrangler's proxy in front: what a client sends arrives as it is.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { workerModules } from "../../../scripts/lib/build.mjs";
import { BUILD, ROOT, WORKERD } from "../../../scripts/lib/paths.mjs";
import { broken } from "./broken.mjs";
import { config, embed } from "./capnp.mjs";
import { probe } from "./counts.mjs";
import { folder, launch } from "./process.mjs";

/** The binding of the counter objects. */
const COUNTER = "COUNTER";

/** The header whose JSON becomes `request.cf`. */
export const CF_HEADER = "x-test-cf";

const STAND_IN = "test:stand-in";

/**
 * Starts the built Worker.
 *
 *   origin   from startOrigin(), or `{ address }`
 *   via      how survivors get there: "service" (a binding, the default), "url" (ORIGIN is a URL)
 *            or "route" (no ORIGIN: the zone's own origin)
 *   policy   the document POLICY; default: the one in wrangler.toml. null: none
 *   vars     further variables and secrets: strings, or anything that JSON can say
 *   counters false: without the binding of the counter objects, so that none can be reached;
 *            "throws" or "silent": with objects that do nothing else
 *   standIn  source of a module whose default export makes what stands in for that binding
 *   telemetry  likewise for the telemetry objects
 *   events   { address } of whoever gets the data points of EVENTS; without it there is no such binding
 *   probe    true: counts() in counts.mjs can ask what the objects hold
 *   kv       namespaces by binding name, from startKv()
 *
 * The result's `port` and `url` are where it listens. `kill()` is kill -9; `restart(changes)` starts
 * it again over the same storage, with some of the above changed; both keep the object usable.
 */
export async function startWorkerd(scope, options) {
  const dir = await folder(scope, "workerd");
  await mkdir(join(dir, "storage"));
  const modules = await workerModules();
  for (const file of modules) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await cp(join(BUILD, file), join(dir, file));
  }
  const wrangler = parse(await readFile(join(ROOT, "wrangler.toml"), "utf8"));
  const weir = {
    storage: join(dir, "storage"),
    async start(changes = {}) {
      options = { ...options, ...changes };
      const file = join(dir, "config.capnp");
      await writeFile(file, config(describe(wrangler, modules, options)));
      const process = await launch(WORKERD, ["serve", "--experimental", "--control-fd=3", file], {
        cwd: dir,
        events: true,
        ready: (line) => (line.includes('"listen"') && line.includes('"http"') ? JSON.parse(line).port : null),
      });
      Object.assign(weir, process, { port: process.found, url: `http://127.0.0.1:${process.found}` });
    },
    async kill() {
      weir.child.kill("SIGKILL");
      await weir.exited;
    },
    async restart(changes) {
      await weir.stop();
      await weir.start(changes);
    },
  };
  await weir.start();
  scope.after(() => weir.stop());
  return weir;
}

function describe(wrangler, modules, { origin, via = "service", policy, vars = {}, kv = {}, counters = true, telemetry = true, standIn, events, probe: probed = false }) {
  const { POLICY, ...others } = wrangler.vars ?? {};
  const document = policy === undefined ? POLICY : policy;
  const classes = wrangler.durable_objects.bindings;
  const variables = { ...others, ...(document === null ? {} : { POLICY: document }), ...(via === "url" ? { ORIGIN: `http://${origin.address}` } : {}), ...vars };
  const beside = probed ? probe(wrangler) : { services: [], sockets: [] };
  const external = ({ address }, name) => ({ name, external: { address, http: {} } });
  return {
    services: [
      {
        name: "weir",
        worker: {
          modules: modules.map((name) => ({ name, [name.endsWith(".wasm") ? "wasm" : "esModule"]: embed(name) })),
          compatibilityDate: wrangler.compatibility_date,
          compatibilityFlags: wrangler.compatibility_flags ?? [],
          globalOutbound: via === "route" ? "origin" : "loopback",
          bindings: [
            ...classes.flatMap(({ name, class_name: own }) => {
              if (name === COUNTER && standIn) return [{ name, wrapped: { moduleName: STAND_IN } }];
              const works = name === COUNTER ? counters : telemetry;
              if (works === false) return [];
              return [{ name, durableObjectNamespace: works === true ? own : { className: "Counter", serviceName: `broken-${works}` } }];
            }),
            ...(events ? [{ name: "EVENTS", analyticsEngine: "events" }] : []),
            ...Object.entries(variables).map(([name, value]) => (typeof value === "string" ? { name, text: value } : { name, json: JSON.stringify(value) })),
            ...Object.keys(kv).map((name) => ({ name, kvNamespace: `kv-${name}` })),
            ...(wrangler.assets ? [{ name: wrangler.assets.binding, service: "assets" }] : []),
            ...(via === "service" ? [{ name: "ORIGIN", service: "origin" }] : []),
          ],
          durableObjectNamespaces: classes.map(({ class_name }) => ({ className: class_name, uniqueKey: class_name, enableSql: true })),
          durableObjectStorage: { localDisk: "storage" },
        },
      },
      ...["throws", "silent"].filter((how) => how === counters || how === telemetry).map(broken),
      external(origin, "origin"),
      ...(events ? [external(events, "events")] : []),
      ...Object.entries(kv).map(([name, namespace]) => external(namespace, `kv-${name}`)),
      ...(wrangler.assets ? [{ name: "assets", disk: { path: join(ROOT, wrangler.assets.directory) } }] : []),
      // no test reaches anything but this machine
      { name: "loopback", network: { allow: ["local"] } },
      { name: "storage", disk: { path: "storage", writable: true } },
      ...beside.services,
    ],
    ...(standIn ? { extensions: [{ modules: [{ name: STAND_IN, internal: true, esModule: standIn }] }] } : {}),
    sockets: [{ name: "http", address: "127.0.0.1:0", service: "weir", http: { cfBlobHeader: CF_HEADER } }, ...beside.sockets],
  };
}
