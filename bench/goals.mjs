// The goals, and what was measured beside each.
import { median } from "./summary.mjs";

const two = (number) => number.toFixed(2);
const atLeast = (goal) => ({ text: `≥ ${goal}`, holds: (number) => number >= goal });
const atMost = (goal, unit = "") => ({ text: `≤ ${goal}${unit}`, holds: (number) => number <= goal });
const under = (goal) => ({ text: `< ${goal}`, holds: (number) => number < goal });

/** `measured` gives a number, or NaN where that was not run. */
const GOALS = [
  goal("flood of one address", "requests a second, of the bare pass-through", atLeast(2.0), (of) => of.timed("flood", "flood", "of_pass")),
  goal("", "the same of a constant 429 in JavaScript", null, (of) => of.timed("flood", "refuse", "of_pass")),
  goal("", "object calls a refusal", atMost(0.001), (of) => of.timed("flood", "flood", "calls"), precise),
  goal("", "admitted of a quota of 100, at most and at least", { text: "100", holds: (spread) => spread === 0 }, (of) => of.admitted("flood", "flood", 100), (spread) => `100 ± ${spread}`),
  goal("one hot client, all allowed", "requests a second, of the bare pass-through", atLeast(0.85), (of) => of.timed("hot", "leased", "of_pass")),
  goal("", "the same of JavaScript that only adds the two fields", null, (of) => of.timed("hot", "fields", "of_pass")),
  goal("", "object calls a request", atMost(0.05), (of) => of.timed("hot", "leased", "calls"), precise),
  goal("1,000 clients, all allowed", "requests a second, of the bare pass-through", atLeast(0.75), (of) => of.timed("many", "leased", "of_pass")),
  goal("50,000 clients once each", "requests a second, of JavaScript with one trivial object call", atLeast(0.9), (of) => of.timed("once", "leased", "of_call")),
  goal("", "memory a client", atMost(6, " KiB"), (of) => of.timed("once", "leased", "memory_kib"), kib),
  goal("", "the same of the bare pass-through, of one object a client", null, (of) => of.timed("once", "pass", "memory_kib"), kib, (of) => of.timed("once", "call", "memory_kib")),
  goal("bodies of 1 MiB", "requests a second, of the bare pass-through", atLeast(0.95), (of) => of.timed("body", "leased", "of_pass")),
  goal("unloaded, a first request", "median latency, of JavaScript with one trivial object call; the first in its network", atMost(1.1), (of) => of.timed("first", "leased", "latency_of_call")),
  goal("", "the same, in a network seen before", atMost(1.1), (of) => of.timed("neighbour", "leased", "latency_of_call")),
  goal("mixed: visitors, and 5 % flood", "object calls a request", under(0.1), (of) => of.played("mixed", "calls", "window", "bucket"), precise),
  goal("", "rows a request", under(0.01), (of) => of.played("mixed", "rows", "window", "bucket"), precise),
  goal("visitors slower than a lease", "object calls a request, `leased`", atMost(1), (of) => of.played("slow", "calls", "slow-leased"), precise),
  goal("", "object calls a request, `optimistic`", atMost(0.05), (of) => of.played("slow", "calls", "slow-optimistic"), precise),
  goal("starting", "to the first answer, beyond the bare pass-through", null, (of) => of.start(), (ms) => `${ms.toFixed(0)} ms`),
];

function goal(scenario, what, bound, measured, say = two, also = null) {
  return { scenario, what, bound, measured, say, also };
}

function precise(number) {
  return number.toFixed(4);
}

function kib(number) {
  return `${number.toFixed(1)} KiB`;
}

/** Rows of `{ scenario, what, goal, measured, holds }`; `holds` is null where there is no goal. */
export function judged(results) {
  const of = {
    timed: (name, id, field) => results.summary[name]?.[id]?.[field] ?? NaN,
    admitted(name, id, quota) {
      const passed = results.summary[name]?.[id]?.passed;
      return passed ? Math.max(...passed.map((count) => Math.abs(count - quota))) : NaN;
    },
    played: (name, field, ...ids) => {
      const list = ids.map((id) => results.played[name]?.[id]).filter(Boolean);
      return list.length > 0 ? Math.max(...list.map((one) => one[field])) : NaN;
    },
    start: () => {
      const { pass, leased } = results.start;
      return pass ? median(leased.map((one, i) => one.first_ms - pass[i].first_ms)) : NaN;
    },
  };
  return GOALS.map(({ scenario, what, bound, measured, say, also }) => {
    const found = measured(of);
    const texts = [found, ...(also ? [also(of)] : [])].map((number) => (Number.isFinite(number) ? say(number) : "–"));
    const holds = bound === null || !Number.isFinite(found) ? null : bound.holds(found);
    return { scenario, what, goal: bound?.text ?? "", measured: texts.join(", "), holds };
  });
}
