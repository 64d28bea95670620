// Windows that are aligned to the clock: fixed-window for calendar quotas, sliding-counter for large ones.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { passed, refused, stand } from "./lib/stand.mjs";

const WINDOW_MS = 4_000;
const DAY_MS = 86_400_000;
const COST = 400;
const rule = (name, fields) => ({ name, match: { path: `/${name}` }, limits: [{ name: "ip", key: ["ip"], ...fields }] });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  rules: [
    rule("fixed", { algorithm: "fixed-window", quota: 3, window: `${WINDOW_MS}ms` }),
    rule("day", { algorithm: "fixed-window", quota: 2, window: "1d" }),
    // far more units than a log keeps
    rule("counter", { algorithm: "sliding-counter", quota: 100 * COST, cost: COST, window: `${WINDOW_MS}ms`, precision: "exact" }),
  ],
};
const scope = fileScope();
let origin, from, next = 0;

before(async () => {
  ({ origin, from } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});
const somebody = () => from(`192.0.2.${(next += 1)}`);
const phase = (window_ms) => Date.now() % window_ms;

/** Waits for a moment so far into a window, and tells which window that is. */
async function untilPhase(window_ms, phase_ms) {
  await pause((window_ms + phase_ms - phase(window_ms)) % window_ms);
  return Math.floor(Date.now() / window_ms);
}

/** The same until what `body` did ended in the window in which it began: this machine may be slow. */
async function within(window_ms, phase_ms, body) {
  for (let i = 0; i < 5; i += 1) {
    const window = await untilPhase(window_ms, phase_ms);
    const found = await body(window);
    if (Math.floor(Date.now() / window_ms) === window) return { window, found };
  }
  return assert.fail("nothing ended in the window in which it began");
}

test("fixed-window begins anew when the clock says so, not a window after the first request", async () => {
  const { window, found } = await within(WINDOW_MS, WINDOW_MS - 1_700, async () => {
    const ada = somebody();
    return { ada, answers: await ada.askAtOnce(8, "/fixed"), left_ms: WINDOW_MS - phase(WINDOW_MS) };
  });
  const { ada, answers } = found;
  assert.deepEqual(statuses(answers), { 200: 3, 429: 5 });
  for (const answer of refused(answers)) {
    const wait_s = Number(answer.header("retry-after"));
    // until the boundary, rounded up: a window from the first request would be four seconds
    assert.ok(wait_s === 1 || wait_s === 2, `${wait_s}`);
    assert.match(answer.header("ratelimit"), new RegExp(`^"fixed\\.ip";r=0;t=${wait_s}$`));
    assert.equal(answer.header("ratelimit-policy"), '"fixed.ip";q=3;w=4');
  }
  await pause((window + 1) * WINDOW_MS - Date.now());
  const again = await ada.askAtOnce(8, "/fixed");
  if (Math.floor(Date.now() / WINDOW_MS) === window + 1) assert.deepEqual(statuses(again), { 200: 3, 429: 5 }, "at once after the boundary");
});

test("a daily quota comes back at midnight UTC", async () => {
  // not across midnight
  if (DAY_MS - phase(DAY_MS) < 10_000) await untilPhase(DAY_MS, 0);
  const ada = somebody();
  const first = await ada.ask("/day");
  assert.equal(first.status, 200);
  assert.match(first.header("ratelimit"), /^"day\.ip";r=1;/);
  assert.equal((await ada.ask("/day")).status, 200);
  const before_ms = DAY_MS - phase(DAY_MS);
  const answer = await ada.ask("/day");
  const after_ms = DAY_MS - phase(DAY_MS);
  assert.equal(answer.status, 429);
  const wait_s = Number(answer.header("retry-after"));
  assert.ok(wait_s >= Math.ceil(after_ms / 1_000) && wait_s <= Math.ceil(before_ms / 1_000) + 1, `${wait_s} s with ${after_ms} ms to midnight`);
});

test("sliding-counter: what was spent in the window before fades as this one passes", async () => {
  const { window, found: ada } = await within(WINDOW_MS, 50, async () => {
    const caller = somebody();
    assert.deepEqual(statuses(await caller.askAtOnce(130, "/counter")), { 200: 100, 429: 30 });
    return caller;
  });
  // of the hundred, so many still weigh after a part of the next window
  const weighs = (elapsed_ms) => Math.ceil((100 * Math.max(0, WINDOW_MS - elapsed_ms)) / WINDOW_MS);
  const elapsed = () => Date.now() - (window + 1) * WINDOW_MS;
  await pause((window + 1) * WINDOW_MS + 1_200 - Date.now());
  const least = 100 - weighs(elapsed());
  const answers = await ada.askAtOnce(90, "/counter");
  const most = 100 - weighs(elapsed());
  assert.ok(passed(answers) >= Math.min(90, least) && passed(answers) <= most, `${passed(answers)} passed, not ${least} to ${most}`);
  if (most < 90) assert.equal(refused(answers).length, 90 - passed(answers));
  // and the time that is told is right
  let answer = await ada.ask("/counter");
  if (answer.status === 429) {
    const wait_s = Number(answer.header("retry-after"));
    assert.ok(wait_s >= 1 && wait_s <= 8, `${wait_s}`);
    await pause(wait_s * 1_000);
    answer = await ada.ask("/counter");
  }
  assert.equal(answer.status, 200);
});
