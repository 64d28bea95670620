// `npm run fuzz`: searches for inputs that break a parser of strangers' bytes, guided by which code an
// input reaches. `npm test` runs the same targets briefly, without a C++ compiler (tests/fuzz).
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./lib/paths.mjs";
import { output, run, watched } from "./lib/run.mjs";
import { Stop, main, say } from "./lib/say.mjs";
import { rustReady } from "./lib/setup.mjs";

const FUZZ = join(ROOT, "fuzz");
const TARGET_DIR = join(ROOT, "target", "fuzz");

// What `cargo fuzz` passes besides a sanitizer. None is needed, since unsafe code is forbidden here; so
// that no nightly is.
const COVERAGE = ["--cfg fuzzing", "-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=4", "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table", "-Cllvm-args=-sanitizer-coverage-trace-compares", "-Ccodegen-units=1", "-Cdebug-assertions", "-Coverflow-checks"];

main(async (args) => {
  const { names, seconds } = await asked(args);
  await rustReady();
  if ((await output(process.env.CXX ?? "c++", ["--version"])) === null) {
    throw new Stop("a C++ compiler is needed for libFuzzer (CXX may say which): install one, or run `WEIR_FUZZ_RUNS=1000000 cargo test --release --test fuzz`, which needs none and is not guided.");
  }
  const host = /host: (\S+)/.exec(await output("rustc", ["-vV"]))[1];
  say("building the targets: some minutes the first time");
  await run("cargo", ["build", "--quiet", "--release", "--target", host, "--target-dir", TARGET_DIR], {
    cwd: FUZZ,
    env: { RUSTFLAGS: COVERAGE.join(" ") },
    failure: "the targets could not be built; the compiler says above why.",
  });
  const failed = [];
  for (const name of names) {
    say(`${name}: ${seconds} s`);
    const corpus = join(FUZZ, "corpus", name);
    const artifacts = join(FUZZ, "artifacts", name, "/");
    await mkdir(corpus, { recursive: true });
    await mkdir(artifacts, { recursive: true });
    const { code } = await watched(join(TARGET_DIR, host, "release", name), [corpus, join(FUZZ, "seeds", name),
      `-max_total_time=${seconds}`, `-artifact_prefix=${artifacts}`, "-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1", "-verbosity=0"]);
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) throw new Stop(`found something in ${failed.join(", ")}: the inputs are in fuzz/artifacts. Copied to fuzz/seeds they become tests.`);
  say("nothing found");
  return 0;
});

async function asked(args) {
  const options = { seconds: { type: "string", default: "60" } };
  let values, positionals;
  try {
    ({ values, positionals } = parseArgs({ args, options, allowPositionals: true }));
  } catch (error) {
    throw new Stop(error.message);
  }
  const known = (await readdir(join(FUZZ, "targets"))).map((file) => file.replace(/\.rs$/, "")).sort();
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Stop(`there is no target "${unknown}"; there are ${known.join(", ")}.`);
  const seconds = Number(values.seconds);
  if (!(Number.isInteger(seconds) && seconds >= 1)) throw new Stop(`--seconds is "${values.seconds}": give a whole number.`);
  return { names: positionals.length > 0 ? positionals : known, seconds };
}
