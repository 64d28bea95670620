// Results for people.
import { judged } from "./goals.mjs";
import { PLAYED, TIMED } from "./scenarios.mjs";
import { median } from "./summary.mjs";

const shown = (number, digits = 0) => (Number.isFinite(number) ? number.toFixed(digits) : "");
const ms = (us) => shown(us / 1000, 2);
const percent = (share) => shown(share * 100);

/** Columns as wide as what is in them; the first to the left, numbers to the right. */
function aligned(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  ").trimEnd()).join("\n");
}

export function print(results) {
  return [...Object.keys(results.timed).map((name) => timed(results, name)), ...Object.keys(results.played).map((name) => played(results, name)), start(results), goals(results), LEGEND]
    .filter(Boolean)
    .join("\n\n");
}

const LEGEND = `W L O X: what Worker, load generator, origin and others had of a core. quiet: measurements in which others had at most a
tenth of one; where there is none, all of them count. docs/benchmark.md says more.`;

function timed({ summary, titles }, name) {
  const isFresh = TIMED[name].fresh;
  const head = ["  contender", "req/s", "CPU us", "of pass", "by CPU", "of call", "p50 ms", "p99 ms", "peak MiB", ...(isFresh ? ["KiB/client"] : []), "calls/req", "rows/req", "% W   L   O   X", "quiet"];
  const rows = Object.entries(summary[name]).map(([id, of]) => [
    `  ${titles[id]}${of.errors ? ` (${of.errors} errors)` : ""}`,
    shown(of.rate),
    shown(of.cpu_us),
    shown(of.of_pass, 2),
    shown(of.of_pass_by_cpu, 2),
    shown(of.of_call, 2),
    ms(of.p50_us),
    ms(of.p99_us),
    shown(of.peak_mib),
    ...(isFresh ? [shown(of.memory_kib, 1)] : []),
    shown(of.calls, 4),
    shown(of.rows, 4),
    [of.busy, of.load, of.origin, of.foreign].map((share) => percent(share).padStart(3)).join(" "),
    `${of.quiet}/${of.rounds}`,
  ]);
  const { quota } = TIMED[name];
  const admitted = quota ? Object.entries(summary[name]).filter(([id]) => id.endsWith("flood")).map(([id, of]) => `\n  ${titles[id]} admitted ${of.passed.join(", ")}`).join("") : "";
  return `${TIMED[name].title}\n${aligned([head, ...rows])}${admitted}`;
}

function played({ played: all, titles }, name) {
  const rows = Object.entries(all[name]).map(([id, of]) => [
    `  ${titles[id]}`,
    shown(of.answered),
    shown(of.passed),
    shown(of.refused),
    shown(of.calls, 4),
    shown(of.rows, 4),
    ms(of.latency_us.p50),
    ms(of.latency_us.p99),
  ]);
  return `${PLAYED[name].title}\n${aligned([["  contender", "requests", "passed", "refused", "calls/req", "rows/req", "p50 ms", "p99 ms"], ...rows])}`;
}

function start({ start: by, titles, worker_bytes }) {
  const rows = Object.entries(by).map(([id, list]) => [`  ${titles[id]}`, shown(median(list.map((one) => one.listening_ms))), shown(median(list.map((one) => one.first_ms)))]);
  if (rows.length === 0) return "";
  return `starting workerd; Weir weighs ${(worker_bytes / 1024).toFixed(1)} KiB gzipped\n${aligned([["  contender", "listens after ms", "first answer after ms"], ...rows])}`;
}

function goals(results) {
  const rows = judged(results).map(({ scenario, what, goal, measured, holds }) => [`  ${scenario}`, what, goal, measured, holds === null ? "" : holds ? "yes" : "NO"]);
  return `goals\n${aligned([["  scenario", "", "goal", "measured", "met"], ...rows])}`;
}

/** The table of the README. */
export function markdown(results) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const measurements = Object.values(results.summary).flatMap((by) => Object.values(by));
  const sum = (field) => measurements.reduce((total, one) => total + one[field], 0);
  return [
    row(["scenario", "what", "goal", "measured"]),
    row(["---", "---", "---", "---"]),
    ...judged(results).map(({ scenario, what, goal, measured, holds }) => row([scenario, what, goal, holds === false ? `**${measured}**` : measured])),
    "",
    `${results.machine}; workerd on one core, ${results.made.slice(0, 10)}; others left the machine alone in ${sum("quiet")} of ${sum("rounds")} measurements. Bold: the goal is not met.`,
  ].join("\n");
}
