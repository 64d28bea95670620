// `npm test`: everything, in the order in which a fault is cheapest to find.
//   npm test -- e2e wasm           only these stages
//   npm test -- e2e:guide-3        only the files of a stage whose names contain this
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUDGET_BYTES, buildWorker, check, workerBytes } from "./lib/build.mjs";
import { HOW_TO_GET_ONE, chromium } from "./lib/chromium.mjs";
import { buildLab } from "./lib/lab.mjs";
import { NODE, ROOT, tool } from "./lib/paths.mjs";
import { output, run, watched } from "./lib/run.mjs";
import { Stop, main, say } from "./lib/say.mjs";
import { WASM, rustReady, setUp } from "./lib/setup.mjs";

const CLIPPY = ["--quiet", "--", "-D", "warnings"];

// Each stage resolves to { passed, failed, note }; some can be told which files `only` to run.
const STAGES = {
  fmt,
  clippy: () => one("cargo", ["clippy", "--all-targets", ...CLIPPY]),
  "clippy-wasm": () => one("cargo", ["clippy", "--target", WASM, "--lib", "--test", "wasm", ...CLIPPY]),
  native,
  wasm: () => counted("cargo", ["test", "--target", WASM, "--test", "wasm"], cargoCounts, {
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: tool("wasm-bindgen-test-runner"),
  }),
  client: () => nodeTests("tests/client"),
  build,
  e2e: (only) => againstWeir("tests/e2e", only),
  browser,
};

main(async (asked) => {
  const wanted = new Map(asked.map((text) => text.split(":")));
  const unknown = [...wanted.keys()].find((name) => !Object.hasOwn(STAGES, name));
  if (unknown !== undefined) throw new Stop(`there is no stage "${unknown}"; the stages are ${Object.keys(STAGES).join(", ")}.`);
  const begun = Date.now();
  await rustReady({ components: [["rustfmt", "fmt"], ["clippy", "clippy"]] });
  await setUp();
  const names = Object.keys(STAGES).filter((name) => wanted.size === 0 || wanted.has(name));
  const rows = [];
  for (const name of names) {
    say(`test stage: ${name}`);
    const from = Date.now();
    const result = await STAGES[name](wanted.get(name)).catch((error) => {
      if (!(error instanceof Stop)) throw error;
      return { passed: 0, failed: 1, note: error.message };
    });
    rows.push({ name, ...result, seconds: (Date.now() - from) / 1000 });
  }
  return report(rows, (Date.now() - begun) / 1000);
});

function report(rows, seconds) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const line = (name, passed, failed, time, note = "") =>
    `${name.padEnd(12)} ${String(passed).padStart(7)} ${String(failed).padStart(7)} ${String(time).padStart(9)}  ${note}`.trimEnd();
  console.log(`\n${line("stage", "passed", "failed", "seconds")}`);
  for (const row of rows) console.log(line(row.name, row.passed, row.failed, row.seconds.toFixed(1), row.note));
  console.log(`${line("all", sum("passed"), sum("failed"), seconds.toFixed(1), "set-up included")}\n`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") === 0 ? 0 : 1;
}

async function fmt() {
  const packages = [await one("cargo", ["fmt", "--check"]), await one("cargo", ["fmt", "--check", "--manifest-path", "bench/load/Cargo.toml"])];
  return { passed: packages.filter(({ passed }) => passed).length, failed: packages.filter(({ failed }) => failed).length };
}

async function one(command, args) {
  const { code } = await watched(command, args);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Runs a command that counts tests itself; one that fails without naming a failed test counts as one. */
async function counted(command, args, counts, env = {}) {
  const { code, text } = await watched(command, args, { env });
  const { passed, failed } = counts(text);
  if (code === 0 && passed + failed === 0) return { passed, failed: 1, note: "it ran no test" };
  return { passed, failed: code === 0 ? failed : Math.max(1, failed) };
}

const total = (text, pattern) => [...text.matchAll(pattern)].reduce((sum, [, n]) => sum + Number(n), 0);

const cargoCounts = (text) => ({
  passed: total(text, /^test result: .*?(\d+) passed/gm),
  failed: total(text, /^test result: .*?(\d+) failed/gm),
});

const nextestCounts = (text) => ({
  passed: total(text, /Summary \[.*?(\d+) passed/g),
  failed: total(text, /Summary \[.*?(\d+) failed/g),
});

async function native() {
  if ((await output("cargo", ["nextest", "--version"])) === null) return counted("cargo", ["test"], cargoCounts);
  const tests = await counted("cargo", ["nextest", "run", "--status-level", "fail", "--no-fail-fast", "--color", "never"], nextestCounts);
  // nextest leaves the examples in the documentation to cargo
  const docs = await watched("cargo", ["test", "--doc"]);
  const { passed, failed } = cargoCounts(docs.text);
  return { ...tests, passed: tests.passed + passed, failed: tests.failed + (docs.code === 0 ? failed : Math.max(1, failed)) };
}

async function build() {
  await check();
  await buildWorker();
  const bytes = await workerBytes();
  const note = `Worker and Wasm: ${(bytes / 1024).toFixed(1)} of ${BUDGET_BYTES / 1024} KiB gzipped`;
  say(note);
  return bytes <= BUDGET_BYTES ? { passed: 2, failed: 0, note } : { passed: 1, failed: 1, note };
}

/**
 * Files of end-to-end tests that run at once: they wait more than they work. Not where a machine tests
 * for others: what it has to spare is not known.
 */
const AT_ONCE = process.env.CI ? 1 : 3;

async function nodeTests(folder, only = "", env = {}) {
  const names = existsSync(join(ROOT, folder)) ? await readdir(join(ROOT, folder)) : [];
  const files = names.filter((name) => name.endsWith(".test.mjs") && name.includes(only)).sort().map((name) => join(folder, name));
  if (files.length === 0) return { passed: 0, failed: 1, note: `there is no test in ${folder}` };
  const dir = mkdtempSync(join(tmpdir(), "weir-test-"));
  try {
    const tap = join(dir, "tap");
    const atOnce = folder === "tests/e2e" ? AT_ONCE : 1;
    const args = ["--test", `--test-concurrency=${atOnce}`, "--test-timeout=180000", "--test-reporter=spec", "--test-reporter-destination=stdout",
      "--test-reporter=tap", `--test-reporter-destination=${tap}`, ...files];
    return await counted(NODE, args, () => {
      const text = existsSync(tap) ? readFileSync(tap, "utf8") : "";
      return { passed: total(text, /^# pass (\d+)/gm), failed: total(text, /^# fail (\d+)/gm) + total(text, /^# cancelled (\d+)/gm) };
    }, env);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Tests that need the Worker, the `weir` command and the demo origin to be built. */
async function againstWeir(folder, only, env) {
  await buildWorker();
  // `wrangler dev` would build it too, while a test waits for it to start.
  await buildLab();
  const programs = await watched("cargo", ["build", "--quiet", "--bin", "weir", "--example", "origin"]);
  if (programs.code !== 0) return { passed: 0, failed: 1, note: "the command or the demo origin could not be built" };
  return nodeTests(folder, only, env);
}

async function browser(only) {
  const path = chromium();
  if (path !== null) return againstWeir("tests/browser", only, { CHROMIUM: path });
  say(HOW_TO_GET_ONE);
  return { passed: 0, failed: process.env.CI ? 1 : 0, note: "not run: there is no Chrome or Chromium" };
}
