// Weir as a user runs it: `wrangler dev`, with its proxy in front.
import { WRANGLER, NODE } from "../../../scripts/lib/paths.mjs";
import { folder, launch } from "./process.mjs";

/**
 * The same as startWorkerd() for `origin`, `policy` (default: wrangler.toml's) and string `vars`;
 * ORIGIN is a URL. Without kill().
 */
export async function startWrangler(scope, { origin, policy, vars = {} }) {
  const dir = await folder(scope, "wrangler");
  const given = { ORIGIN: `http://${origin.address}`, ...(policy ? { POLICY: JSON.stringify(policy) } : {}), ...vars };
  const weir = {
    async start() {
      const args = ["dev", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0", "--persist-to", dir,
        ...Object.entries(given).flatMap(([name, value]) => ["--var", `${name}:${value}`])];
      const process = await launch(NODE, ["--no-warnings", WRANGLER, ...args], {
        group: true,
        env: { CI: "1", NO_COLOR: "1" },
        patience_ms: 120_000,
        ready: (line) => /Ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1],
      });
      Object.assign(weir, process, { port: Number(process.found), url: `http://127.0.0.1:${process.found}` });
    },
    async restart() {
      await weir.stop();
      await weir.start();
    },
  };
  await weir.start();
  scope.after(() => weir.stop());
  return weir;
}
