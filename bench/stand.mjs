// Processes of a run: where they run, what they are asked, what they say of themselves.
import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism, setPriority } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/lib/paths.mjs";
import { output, run, start, stop } from "../scripts/lib/run.mjs";
import { parse, value } from "../tests/e2e/lib/exposition.mjs";
import { TOKEN } from "./contenders.mjs";

const TARGET = join(ROOT, "target", "bench");
const LOAD = join(TARGET, "release", "load");
const MANIFEST = join(ROOT, "bench", "load", "Cargo.toml");
const FIRST = -10;
const LONGEST_MS = 150_000;

/** Builds the load generator, and gets the packages of contenders that need some. */
export async function prepare({ packages }) {
  await run("cargo", ["build", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir", TARGET], {
    failure: "the load generator could not be built; what the compiler said is above.",
  });
  if (!packages || existsSync(join(ROOT, "bench", "node_modules", "hono", "package.json"))) return;
  await run("npm", ["ci", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel", "error"], {
    cwd: join(ROOT, "bench"),
    failure: "the packages of bench/package.json could not be installed; npm says above why.",
  });
}

/** Puts all threads of a process on one core: Workers on the first, everything else on the second. */
export async function pin(pid, core) {
  if (availableParallelism() > 1) await output("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)]);
}

/** The origin: its address, its pid, and how many requests have reached it. */
export async function startOrigin(scope) {
  const child = start(LOAD, ["origin"], { stdio: ["pipe", "pipe", "inherit"] });
  scope.after(() => stop(child));
  const waiting = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      waiting.shift()?.(text.slice(0, end));
      text = text.slice(end + 1);
    }
  });
  const ended = new Promise((_, reject) => child.once("exit", () => reject(new Error("the origin has ended"))));
  ended.catch(() => {});
  const line = () => Promise.race([new Promise((resolve) => waiting.push(resolve)), ended]);
  const address = `127.0.0.1:${(await line()).split(" ")[1]}`;
  await pin(child.pid, 1);
  return {
    address,
    pid: child.pid,
    async requests() {
      child.stdin.write("\n");
      return JSON.parse(await line()).requests;
    },
  };
}

/** One run of the load generator: what it measured. */
export async function load(how, flags, watch) {
  const words = Object.entries(flags).flatMap(([name, given]) => [`--${name}`, String(given)]);
  const watched = Object.entries(watch).flatMap(([name, pid]) => ["--watch", `${name}:${pid}`]);
  const child = start(LOAD, [how, ...words, ...watched], { stdio: ["ignore", "pipe", "inherit"] });
  await pin(child.pid, 1);
  const late = setTimeout(() => stop(child), LONGEST_MS);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  clearTimeout(late);
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  return JSON.parse(text);
}

/** What Weir says that it has asked of objects, and that they have written, so far. */
export async function counts(server) {
  const response = await fetch(`http://127.0.0.1:${server.port}/_weir/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}`, "cf-connecting-ip": "192.0.2.1" },
  });
  if (response.status !== 200) throw new Error(`the metrics answer ${response.status}: ${await response.text()}`);
  const families = parse(await response.text());
  const calls = (families.weir_object_calls_total?.samples ?? []).reduce((sum, sample) => sum + sample.value, 0);
  if (value(families, "weir_policy_fault") !== 0) throw new Error("the policy has a fault, so that nothing is limited");
  return { calls, rows: value(families, "weir_rows_written_total") };
}

/** Goes before what else this machine does, with everything that is started from here on. */
export function goFirst() {
  setPriority(FIRST);
  // Where sessions share the machine evenly, the whole session has to.
  if (existsSync("/proc/self/autogroup")) writeFileSync("/proc/self/autogroup", String(FIRST));
}

export const pause = (server) => process.kill(server.pid, "SIGSTOP");
export const resume = (server) => process.kill(server.pid, "SIGCONT");
