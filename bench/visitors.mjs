// Scripts of what visitors do, the same in every run, and what Weir needs objects for meanwhile.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { say } from "../scripts/lib/say.mjs";
import { folder } from "../tests/e2e/lib/process.mjs";
import { PLAYED } from "./scenarios.mjs";
import { counts, load } from "./stand.mjs";
import { up } from "./timed.mjs";

/** What is counted behind the answers has arrived by then, and what objects write once it is quiet is written. */
const SETTLED_MS = 6000;
const FLOOD = 1;
const VISIT_MS = 10_000;

/** Numbers below `below`, the same in every run. */
function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PATHS = ["/", "/api/items?page=2", "/api/items/17", "/style.css", "/app.js"];

/**
 * Each visitor makes 30 to 60 requests within 10 s: pages, and what belongs to them at once. New ones
 * come until ten seconds before the end, from networks that they share with some. One address floods
 * with 5 %.
 */
function mixed(seconds) {
  const number = numbers(7);
  const due = [];
  for (let at = 0; at < seconds * 1000 - VISIT_MS; at += 150) {
    const client = 0x10000 + number(0x4000);
    const count = 30 + number(31);
    let page = at;
    for (let i = 0; i < count; i += 1) {
      if (i % PATHS.length === 0) page = at + Math.floor((VISIT_MS * i) / count);
      due.push([page + number(300), client, PATHS[i % PATHS.length]]);
    }
  }
  const flood = Math.round(due.length / 19);
  for (let i = 0; i < flood; i += 1) due.push([Math.floor((i * seconds * 1000) / flood), FLOOD, PATHS[1]]);
  return due;
}

/** Each makes a request every six seconds. */
function slow(seconds) {
  const number = numbers(11);
  const due = [];
  for (let visitor = 0; visitor < 240; visitor += 1) {
    for (let at = number(6000); at < seconds * 1000; at += 6000) due.push([at, 0x20000 + visitor * 37, PATHS[1]]);
  }
  return due;
}

const SCRIPTS = { mixed, slow };

/** One more request from each network: objects tell what they have written with their next answer. */
function epilogue(due) {
  const networks = [...new Set(due.map(([, client]) => client >> 8))];
  return networks.map((network, i) => [i, (network << 8) + 255, PATHS[1]]);
}

/** As many are played at the same time: they are counted, not timed, but late answers cost calls. */
const AT_ONCE = 2;

/** Plays the scenarios `names` before the contenders `among`. */
export async function played(scope, { names, among, seconds, origin }) {
  const dir = await folder(scope, "bench-scripts");
  const results = Object.fromEntries(names.map((name) => [name, {}]));
  const play = async (name, id) => {
    const due = SCRIPTS[name](seconds).sort(([a], [b]) => a - b);
    const server = await up(scope, id, { origin });
    const perform = async (act, lines) => {
      const script = join(dir, `${name}-${id}-${act}`);
      await writeFile(script, lines.map((line) => line.join(" ")).join("\n"));
      const result = await load("play", { port: server.port, connections: 64, script }, { workerd: server.pid });
      await pause(SETTLED_MS);
      return [result, await counts(server)];
    };
    const before = await counts(server);
    const [result, after] = await perform("play", due);
    const [, told] = await perform("epilogue", epilogue(due));
    const { answered, statuses } = result;
    results[name][id] = {
      ...result,
      passed: statuses[200] ?? 0,
      refused: statuses[429] ?? 0,
      calls: (after.calls - before.calls) / answered,
      rows: (told.rows - before.rows) / answered,
    };
    await server.stop();
  };
  const all = names.flatMap((name) => PLAYED[name].contenders.filter((id) => among.includes(id)).map((id) => [name, id]));
  while (all.length > 0) {
    const some = all.splice(0, AT_ONCE);
    say(`${seconds} s of visitors: ${some.map(([, id]) => id).join(" and ")}`);
    await Promise.all(some.map(([name, id]) => play(name, id)));
  }
  return results;
}
