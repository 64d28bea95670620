// `npm run bench`: Weir beside bare Workers, interleaved in one run on this machine.
//   npm run bench -- --help
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWorker, workerBytes } from "../scripts/lib/build.mjs";
import { run } from "../scripts/lib/run.mjs";
import { Stop, main, say } from "../scripts/lib/say.mjs";
import { setUp } from "../scripts/lib/setup.mjs";
import { ALL, PLAYED, START, TIMED } from "./scenarios.mjs";

const HELP = `npm run bench                  everything, about ten minutes
npm run bench -- --quick       everything in about three: fewer rounds, half as long
npm run bench -- large         50 MB up and down beside the bare Worker, a minute; with --quick less
npm run bench -- core          the core alone, natively: nanoseconds an operation
npm run bench -- table FILE    what --out has written, as the Markdown table of the README

--scenarios A,B    of ${ALL.join(", ")}
--contenders A,B   of those in bench/contenders.mjs; "pass" always runs
--rounds N         default 3
--hurry            before everything else on a busy machine (needs root)
--out FILE.json    every measurement, and the summary

Everything runs on 127.0.0.1 and ends by itself. Workers have the first core, all else the second.
Only ratios within one run mean anything, and only where others leave the machine alone: each
measurement says what they took.
`;

const SHARED_MEMORY = "/dev/shm";

const OPTIONS = {
  scenarios: { type: "string" },
  contenders: { type: "string" },
  rounds: { type: "string" },
  hurry: { type: "boolean", default: false },
  out: { type: "string" },
  quick: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

main(async (args) => {
  const { values, positionals } = parsed(args);
  const [what, file] = positionals;
  if (values.help) return void process.stdout.write(HELP);
  if (what === "core") return run("cargo", ["bench", "--bench", "core"], { failure: "the benches of the core failed." });
  if (what === "table") return table(file);
  const endings = [];
  const scope = { after: (ending) => endings.push(ending) };
  try {
    if (what === "large") return await largeBodies(scope, values);
    if (what !== undefined) throw new Stop(`there is no "${what}": \`npm run bench -- --help\` says what there is.`);
    await bench(scope, values);
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
});

function parsed(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Stop(error.message);
  }
}

function listed(text, known, what) {
  const names = text?.split(",") ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Stop(`there is no ${what} "${unknown}"; there are ${known.join(", ")}.`);
  return names;
}

async function bench(scope, { scenarios, contenders, rounds, hurry, out, quick }) {
  await setUp();
  await buildWorker();
  // Loaded here, since a fresh checkout has none of the packages before.
  const { CONTENDERS } = await import("./contenders.mjs");
  const { goFirst, pin, prepare, startOrigin } = await import("./stand.mjs");
  const { timed } = await import("./timed.mjs");
  const { played } = await import("./visitors.mjs");
  const { startUp } = await import("./start-up.mjs");
  const { print } = await import("./print.mjs");
  const { summary } = await import("./summary.mjs");
  const names = listed(scenarios, ALL, "scenario");
  const among = [...new Set(["pass", ...listed(contenders, Object.keys(CONTENDERS), "contender")])];
  const wanted = Number(rounds ?? (quick ? 1 : 3));
  if (!(Number.isInteger(wanted) && wanted >= 1 && wanted <= 20)) throw new Stop(`--rounds is "${rounds}": give a whole number from 1 to 20.`);
  await prepare({ packages: among.some((id) => CONTENDERS[id].needsPackages) });
  workInMemory();
  if (hurry) goFirst();
  await pin(process.pid, 1);
  const begun = Date.now();
  const origin = await startOrigin(scope);
  const results = {
    made: new Date().toISOString(),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? "of an unknown kind"}`,
    worker_bytes: await workerBytes(),
    titles: Object.fromEntries(Object.entries(CONTENDERS).map(([id, { title }]) => [id, title])),
    timed: {},
    played: {},
    start: {},
  };
  const of = (all) => names.filter((name) => Object.hasOwn(all, name));
  if (of(TIMED).length > 0) results.timed = await timed(scope, { names: of(TIMED), among, rounds: wanted, share: quick ? 0.5 : 1, origin });
  if (of(PLAYED).length > 0) results.played = await played(scope, { names: of(PLAYED), among, seconds: quick ? 16 : 64, origin });
  if (names.includes(START)) results.start = await startUp(scope, { times: quick ? 3 : 10, origin });
  results.summary = summary(results);
  results.seconds = Math.round((Date.now() - begun) / 1000);
  console.log(print(results));
  if (out) await writeFile(out, `${JSON.stringify(results, null, 1)}\n`);
  say(`done in ${results.seconds} s`);
}

async function largeBodies(scope, { quick, hurry }) {
  await setUp();
  await buildWorker();
  if (hurry) (await import("./stand.mjs")).goFirst();
  const { large } = await import("./large.mjs");
  return (await large(scope, quick)) ? 0 : 1;
}

/**
 * Objects' files would wait for a disk; in memory only what the Worker does is measured. Everything
 * lies in one folder, which is gone at the end however that comes.
 */
function workInMemory() {
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), "weir-bench-"));
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

async function table(file) {
  if (!file) throw new Stop("say which file: `npm run bench -- table FILE.json`.");
  const { markdown } = await import("./print.mjs");
  console.log(markdown(JSON.parse(await readFile(file, "utf8"))));
}
