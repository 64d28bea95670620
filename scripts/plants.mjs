// `npm run plants`: breaks a copy of the sources on purpose, in each of the ways that tests/sim/plants lists,
// and shows after how many seeds the simulation finds it. All faults are built into one program, which asks
// its environment which of them is on.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./lib/paths.mjs";
import { output, start } from "./lib/run.mjs";
import { Stop, main, say } from "./lib/say.mjs";
import { rustReady } from "./lib/setup.mjs";
import { PLANTS } from "../tests/sim/plants/plants.mjs";

const COPY = join(ROOT, "target", "plants");
const TARGET_DIR = process.env.CARGO_TARGET_DIR ?? join(COPY, "target");

const SWITCH = `
#[allow(missing_docs)]
pub fn planted(name: &str) -> bool {
    static NAME: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let planted = NAME.get_or_init(|| std::env::var("WEIR_PLANT").ok());
    planted.as_deref() == Some(name)
}
`;

// Checked arithmetic, as in the tests; little optimised, since it is built once and runs for seconds.
const PROFILE = { OPT_LEVEL: "1", LTO: "off", CODEGEN_UNITS: "16", OVERFLOW_CHECKS: "true", PANIC: "unwind" };

// A fault may keep the same moment from ever passing.
const PATIENCE_MS = 900_000;

main(async (args) => {
  const { wanted, seeds } = asked(args);
  await rustReady();
  await plant();
  say("building the simulation with the faults in it: some minutes");
  const simulation = await built(["--release", "--test", "sim"]);
  const tests = wanted.some((one) => one.found) ? await built(["--lib"]) : null;
  if ((await play(simulation, "", seeds)).seed !== null) throw new Stop("the simulation finds something without any fault planted: see `cargo test --test sim`.");
  let missed = 0;
  console.log("| planted | seeds until found | as |\n| --- | --- | --- |");
  for (const one of wanted) {
    const { seed, violation } = await play(simulation, one.name, seeds);
    const held = seed === null && one.found !== undefined && (await fails(tests, one.name, one.found));
    if (seed === null && !held) missed += 1;
    const where = seed === null ? `not in ${seeds}` : String(seed);
    console.log(`| ${one.name} | ${where} | ${seed === null ? (held ? `\`${one.found}\` fails` : "NOTHING FINDS IT") : short(violation)} |`);
  }
  say(`${wanted.length - missed} of ${wanted.length} planted faults are found`);
  return missed === 0 ? 0 : 1;
});

function asked(args) {
  let values, positionals;
  try {
    ({ values, positionals } = parseArgs({ args, options: { seeds: { type: "string", default: "600" } }, allowPositionals: true }));
  } catch (error) {
    throw new Stop(error.message);
  }
  const seeds = Number(values.seeds);
  if (!(Number.isInteger(seeds) && seeds >= 1)) throw new Stop(`--seeds is "${values.seeds}": give a whole number.`);
  const wanted = PLANTS.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
  if (wanted.length === 0) throw new Stop(`no planted fault has ${positionals.map((part) => `"${part}"`).join(" or ")} in its name; see tests/sim/plants.`);
  return { wanted, seeds };
}

/** A copy of the sources with every fault in it, each behind its name. */
async function plant() {
  const files = (await output("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "src", "tests/sim", "benches", "examples", "Cargo.*", "*.json", "wrangler.toml", "clippy.toml"])).split("\0").filter(Boolean);
  const texts = new Map();
  for (const { name, edits } of PLANTS) {
    for (const [file, find, planted] of edits) {
      const text = texts.get(file) ?? (await readFile(join(ROOT, file), "utf8"));
      const places = text.split(find).length - 1;
      if (places !== 1) throw new Stop(`"${name}" no longer fits: what it replaces stands ${places} times in ${file}, not once. Change it in tests/sim/plants.`);
      texts.set(file, text.replace(find, () => planted.replaceAll("PLANTED", `crate::planted(${JSON.stringify(name)})`)));
    }
  }
  texts.set("src/lib.rs", (await readFile(join(ROOT, "src/lib.rs"), "utf8")) + SWITCH);
  await rm(join(COPY, "tree"), { recursive: true, force: true });
  for (const file of files) {
    const to = join(COPY, "tree", file);
    await mkdir(dirname(to), { recursive: true });
    await (texts.has(file) ? writeFile(to, texts.get(file)) : cp(join(ROOT, file), to));
  }
}

/** Builds one test program in the copy. Gives where it is. */
async function built(which) {
  const profile = Object.fromEntries(Object.entries(PROFILE).map(([name, value]) => [`CARGO_PROFILE_RELEASE_${name}`, value]));
  const options = ["test", "--quiet", "--no-run", "--message-format=json-render-diagnostics", ...which];
  const { code, text } = await said("cargo", options, { ...profile, CARGO_TARGET_DIR: TARGET_DIR }, { stderr: "inherit" });
  if (code !== 0) throw new Stop("the sources with the faults in them do not compile; the compiler says above why.");
  const messages = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return messages.filter((message) => message.executable).at(-1).executable;
}

/** Runs a program in the copy. Gives how it ended and what it said. */
function said(program, args, env, { stderr = "pipe", limit_ms } = {}) {
  return new Promise((resolve, reject) => {
    const child = start(program, args, { cwd: join(COPY, "tree"), env, stdio: ["ignore", "pipe", stderr] });
    let text = "";
    for (const from of [child.stdout, child.stderr]) from?.setEncoding("utf8").on("data", (piece) => (text += piece));
    const endless = limit_ms && setTimeout(() => child.kill("SIGKILL"), limit_ms);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(endless);
      resolve({ code: code ?? 1, text });
    });
  });
}

/** Plays seeds with a fault switched on. Gives the first that finds it, and what it finds. */
async function play(simulation, name, seeds) {
  const { code, text } = await said(simulation, ["--exact", "no_seed_finds_a_violation", "--nocapture"], { WEIR_PLANT: name, WEIR_FROM: "1", WEIR_SEEDS: String(seeds), WEIR_TRACE: "1" }, { limit_ms: PATIENCE_MS });
  const [, seed, violation] = /^seed (\d+) \(\d+ seeds before it\): (.*)$/m.exec(text) ?? [];
  if (seed === undefined && code !== 0) return { seed: "?", violation: text.match(/panicked at .*\n.*/)?.[0].replaceAll("\n", " ") ?? "it does not end" };
  return { seed: seed === undefined ? null : Number(seed), violation };
}

/** A violation without what is different in each seed: names, ids, figures. */
const short = (violation) =>
  violation
    .replace(/^[\w-]{4}: /, "")
    .replace(/^r\d\.l\d \(\d+\)/, "a counter")
    .replace(/\w+\(\[?[\d, ]+\]?\)/g, "…")
    .replace(/^at the end: \d+ (rows are left).*/, "at the end $1")
    .replace(/[:;].*/, "");

/** True where a unit test fails while the fault is switched on, and runs at all. */
async function fails(tests, name, test) {
  const sound = await said(tests, ["--exact", test], { WEIR_PLANT: "" });
  if (!/ 1 passed/.test(sound.text)) throw new Stop(`there is no test ${test} that passes as long as nothing is planted.`);
  return (await said(tests, ["--exact", test], { WEIR_PLANT: name })).code !== 0;
}
