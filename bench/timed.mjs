// The closed loops: rounds, and within a round each scenario over all its contenders, so that what
// happens to the machine happens to all of them.
import { say } from "../scripts/lib/say.mjs";
import { CONTENDERS } from "./contenders.mjs";
import { TIMED } from "./scenarios.mjs";
import { counts, load, pause, pin, resume } from "./stand.mjs";

/**
 * Runs the scenarios `names`; `among` are the contenders that may take part. Gives for each scenario
 * and contender a list of measurements, one a round.
 */
export async function timed(scope, { names, among, rounds, share, origin }) {
  const results = Object.fromEntries(names.map((name) => [name, {}]));
  const servers = {};
  const takePart = (name) => TIMED[name].contenders.filter((id) => among.includes(id));
  const resident = new Set(names.filter((name) => !TIMED[name].fresh).flatMap(takePart));
  for (const id of resident) {
    servers[id] = await up(scope, id, { origin });
    pause(servers[id]);
  }
  // A process that is stopped would not hear that it shall end.
  scope.after(() => Object.values(servers).forEach(resume));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const scenario = TIMED[name];
      if (round >= (scenario.most_rounds ?? rounds)) continue;
      const ids = takePart(name);
      const said = [];
      // Another order each round, so that none always follows the same one.
      for (const id of ids.map((_, i) => ids[(i + round) % ids.length])) {
        const flags = scaled(scenario, round, share);
        const how = { origin, flags, round, afterwards_s: scenario.afterwards_s };
        const measured = scenario.fresh ? await alone(id, how) : await measure(servers[id], id, how);
        (results[name][id] ??= []).push(measured);
        said.push(`${id} ${measured.rate.toFixed(0)}/s ${measured.cpu_us.toFixed(0)} us${measured.foreign > 0.1 ? ` (others ${Math.round(measured.foreign * 100)} %)` : ""}`);
      }
      say(`round ${round + 1}, ${name}: ${said.join(", ")}`);
    }
  }
  return results;
}

function scaled(scenario, round, share) {
  const flags = { seed: round + 1, ...scenario.flags(round) };
  if (round === 0) flags.warm += scenario.warm_first_s ?? 0;
  for (const name of ["seconds", "warm"]) if (flags[name]) flags[name] *= share;
  return flags;
}

export async function up(scope, id, place) {
  const server = await CONTENDERS[id].start(scope, place);
  await pin(server.pid, 0);
  return server;
}

async function alone(id, how) {
  const endings = [];
  try {
    const server = await up({ after: (ending) => endings.push(ending) }, id, { origin: how.origin, inMemory: true });
    return await measure(server, id, how, false);
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
}

async function measure(server, id, { origin, flags, round, afterwards_s }, isPaused = true) {
  const { isWeir } = CONTENDERS[id];
  const ask = (flags) => load("ask", { port: server.port, ...flags }, { workerd: server.pid, origin: origin.pid, harness: process.pid });
  if (isPaused) resume(server);
  const [result, needed] = await counted(server, isWeir, () => ask(flags));
  const [more, neededMore] = afterwards_s ? await counted(server, isWeir, () => ask({ ...flags, warm: 0, seconds: afterwards_s })) : [result, needed];
  if (isPaused) pause(server);
  const { workerd, origin: behind } = result.processes;
  const cores = (us) => us / 1e6 / result.seconds;
  return {
    ...result,
    round,
    rate: result.answered / result.seconds,
    cpu_us: workerd.cpu_us / result.answered,
    busy: cores(workerd.cpu_us),
    load: cores(result.own_us),
    origin: cores(behind.cpu_us),
    foreign: cores(result.foreign_us),
    memory_kib: (workerd.peak_kib - workerd.rss_before_kib) / Math.min(flags.clients ?? 1, result.answered),
    ...(afterwards_s && { afterwards: more.statuses }),
    ...neededMore,
  };
}

/** What `body` resolves to, and what each of its requests needed of objects. */
async function counted(server, isWeir, body) {
  if (!isWeir) return [await body(), {}];
  const before = await counts(server);
  const result = await body();
  const after = await counts(server);
  const requests = result.answered + result.warm_answered;
  return [result, { needed: { requests, calls: after.calls - before.calls, rows: after.rows - before.rows } }];
}
