// From sources to build/, the folder that wrangler deploys.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { alone } from "./lock.mjs";
import { order } from "./order.mjs";
import { BUILD, ROOT, WASM_OPT, tool } from "./paths.mjs";
import { run } from "./run.mjs";
import { Stop, say } from "./say.mjs";
import { strip } from "./strip.mjs";

/** Most that the Worker may weigh, script and Wasm together, gzipped. */
export const BUDGET_BYTES = 250 * 1024;

/** `WEIR_BUILD=dev` builds without optimising, in seconds: to try things, never to measure or deploy. */
const MODE = process.env.WEIR_BUILD === "dev" ? "--dev" : "--release";

const BUNDLER = join(ROOT, "scripts", "lib", "bundle.mjs");
const STAMP = join(BUILD, ".built-from");
const INPUTS = [".cargo", "Cargo.toml", "Cargo.lock", "src", "scripts/lib/build.mjs", "scripts/lib/bundle.mjs", "scripts/lib/order.mjs", "scripts/lib/sections.mjs", "scripts/lib/strip.mjs"];

/** Checks the policies in wrangler.toml; a fault stops the script. */
export const check = (file = "wrangler.toml") =>
  run("cargo", ["run", "--quiet", "--bin", "weir", "--", "check", file], {
    failure: `${file} cannot be used as it is; the faults are listed above.`,
  });

/** Builds the Worker unless build/ was already made from exactly these sources. */
export const buildWorker = () =>
  alone(join(ROOT, "target", "weir-build.lock"), "building", async () => {
    const inputs = MODE + (await fingerprint(INPUTS));
    if (existsSync(STAMP) && (await readFile(STAMP, "utf8")) === inputs) return;
    say("building the Worker (a minute or two the first time)");
    await rm(STAMP, { force: true });
    // An archive of the sources may have lost it.
    await chmod(BUNDLER, 0o755);
    await run(tool("worker-build"), [MODE], {
      env: { WASM_BINDGEN_BIN: tool("wasm-bindgen"), WASM_OPT_BIN: WASM_OPT, ESBUILD_BIN: BUNDLER },
      failure: "the Worker could not be built; what the compiler said is above.",
    });
    if (MODE === "--release" && !process.env.KEEP_NAMES) {
      const wasm = join(BUILD, "index_bg.wasm");
      await order(wasm);
      await strip(wasm, join(BUILD, "index.js"));
    }
    await writeFile(STAMP, inputs);
  });

/** A hash over the names and content of files, and of everything in folders. */
export async function fingerprint(paths) {
  const within = async (path) => {
    if (!(await stat(join(ROOT, path))).isDirectory()) return [path];
    return (await Promise.all((await readdir(join(ROOT, path))).sort().map((name) => within(join(path, name))))).flat();
  };
  const hash = createHash("sha256");
  for (const file of (await Promise.all(paths.map(within))).flat()) {
    const content = await readFile(join(ROOT, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** The files of the Worker that are sent to the edge, entry first, paths relative to build/. */
export async function workerModules() {
  const entry = "index.js";
  if (!existsSync(join(BUILD, entry))) throw new Stop("the Worker is not built yet: run `npm run build`.");
  const found = [];
  const visit = async (file) => {
    if (found.includes(file)) return;
    found.push(file);
    if (!file.endsWith(".js")) return;
    const source = await readFile(join(BUILD, file), "utf8");
    for (const [, target] of source.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      const next = join(file, "..", target);
      if (existsSync(join(BUILD, next))) await visit(next);
    }
  };
  await visit(entry);
  return found;
}

/** What the Worker weighs, gzipped, in bytes. */
export async function workerBytes() {
  const files = await Promise.all((await workerModules()).map((file) => readFile(join(BUILD, file))));
  return files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
}
