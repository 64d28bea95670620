// Medians over rounds, and ratios within a round.

/** Above this share of a core for others, a measurement does not count as quiet. */
const QUIET = 0.1;

export const median = (list) => {
  const sorted = list.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Rounds in which all of these had the machine to themselves; all rounds where there is none. */
function rounds(lists) {
  const whole = lists[0].filter(({ round }) => lists.every((list) => list.some((one) => one.round === round)));
  const in_ = (round) => lists.map((list) => list.find((one) => one.round === round));
  const quiet = whole.filter(({ round }) => in_(round).every(({ foreign }) => foreign <= QUIET));
  return (quiet.length > 0 ? quiet : whole).map(({ round }) => in_(round));
}

/** The median of `pick(measurement)`. */
export const typical = (list, pick) => median(rounds([list]).map(([one]) => pick(one)));

/** The median over the rounds of `pick(one, other)`. */
export const compared = (list, others, pick) => (others ? median(rounds([list, others]).map(([one, other]) => pick(one, other))) : NaN);

/** So many for each request, over all rounds: what comes in waves would be all or nothing in one. */
function pooled(list, what) {
  const sum = (field) => list.reduce((total, { needed }) => total + (needed?.[field] ?? NaN), 0);
  return sum(what) / sum("requests");
}

export const quietRounds = (list) => list.filter(({ foreign }) => foreign <= QUIET).length;

const rate = (one, other) => one.rate / other.rate;
const cpu = (one, other) => other.cpu_us / one.cpu_us;

/** What is said of each contender in each scenario. */
export function summary(results) {
  const of = (name, id) => {
    const by = results.timed[name];
    const list = by[id];
    const pick = (field) => typical(list, field);
    return {
      rate: pick((one) => one.rate),
      cpu_us: pick((one) => one.cpu_us),
      of_pass: compared(list, by.pass, rate),
      of_pass_by_cpu: compared(list, by.pass, cpu),
      of_call: compared(list, by.call, rate),
      of_call_by_cpu: compared(list, by.call, cpu),
      latency_of_call: compared(list, by.call, (one, other) => one.latency_us.p50 / other.latency_us.p50),
      p50_us: pick((one) => one.latency_us.p50),
      p99_us: pick((one) => one.latency_us.p99),
      memory_kib: pick((one) => one.memory_kib),
      peak_mib: Math.max(...list.map((one) => one.processes.workerd.peak_kib)) / 1024,
      calls: pooled(list, "calls"),
      rows: pooled(list, "rows"),
      passed: list.map((one) => one.statuses[200] ?? 0),
      errors: list.reduce((sum, one) => sum + one.errors, 0),
      busy: pick((one) => one.busy),
      load: pick((one) => one.load),
      origin: pick((one) => one.origin),
      foreign: pick((one) => one.foreign),
      quiet: quietRounds(list),
      rounds: list.length,
    };
  };
  return Object.fromEntries(
    Object.entries(results.timed).map(([name, by]) => [name, Object.fromEntries(Object.keys(by).map((id) => [id, of(name, id)]))]),
  );
}
