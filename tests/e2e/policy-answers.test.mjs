// What clients are told: times that are right, fields that can be read, refusals that cost nothing.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { oneRule, passed, stand } from "./lib/stand.mjs";

const log = (name, quota, window, more) => ({ name, key: ["ip"], algorithm: "sliding-window", quota, window, ...more });
const rule = (name, limits, more) => ({ name, match: { path: `/${name}` }, limits, ...more });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  headers: ["draft-8", "x-ratelimit", "draft-6"],
  rules: [
    rule("phases", [log("a", 1, "2500ms"), log("b", 5, "20s")]),
    rule("merge", [log("a", 10, "60s"), log("b", 5, "300s")]),
    rule("shadow", [log("ip", 1, "300s")], { mode: "shadow", announce: true }),
    rule("quiet", [log("ip", 1, "300s")], { mode: "shadow" }),
    rule("share", [{ ...log("key", 1, "300s"), key: ["header:x-key"] }], { enforce_percent: 40 }),
    rule("jitter", [log("ip", 1, "10s", { jitter: "30s" })]),
    rule("block", [log("ip", 2, "1s", { block: ["2s", "4s"] })]),
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
const somebody = () => from(`192.0.${2 + Math.floor((next += 1) / 250)}.${next % 250}`);

/** The items of a list of structured fields (RFC 9651), as far as these two use it. */
function items(text) {
  return text.split(/, (?=")/).map((item) => {
    const [, name, rest] = /^"([ !#-[\]-~]*)"((?:;[a-z]=\d{1,15})*)$/.exec(item) ?? assert.fail(`no list of named items: ${text}`);
    return { name, ...Object.fromEntries(rest.split(";").filter(Boolean).map((p) => [p[0], Number(p.slice(2))])) };
  });
}

test("Retry-After and RateLimit fields: waiting so long works, one second less does not", async (t) => {
  let denials = 0;
  let early = 0;
  const run = async () => {
    const caller = somebody();
    let sent_ms = 0;
    let passes = 0;
    await pause(Math.random() * 1_000);
    while (passes < 6) {
      sent_ms = performance.now();
      const passes_ok = await caller.ask("/phases");
      assert.equal(passes_ok.status, 200, `after ${passes} passes and the wait that was told`);
      passes += 1;
      // a phase of the window that is anybody's guess
      await pause(Math.random() * 1_200);
      const answer = await caller.ask("/phases");
      const told_ms = performance.now();
      if (answer.status === 200) {
        passes += 1;
        continue;
      }
      denials += 1;
      const text = answer.header("retry-after");
      assert.match(text, /^[1-9][0-9]*$/);
      const wait_ms = Number(text) * 1_000;
      for (const item of items(answer.header("ratelimit"))) assert.ok(item.r >= 0 && item.t >= 0);
      assert.deepEqual(items(answer.header("ratelimit-policy")), [{ name: "phases.a", q: 1, w: 3 }, { name: "phases.b", q: 5, w: 20 }]);
      assert.equal(answer.json().retryAfter, Number(text));
      await pause(wait_ms - 1_000);
      // while one pass in 2.5 s is surely not over yet, it is too early
      const before_ms = performance.now();
      if (before_ms - sent_ms < 2_300) {
        const again = await caller.ask("/phases");
        if (performance.now() - sent_ms < 2_450) {
          assert.equal(again.status, 429, "a second less");
          early += 1;
        }
      }
      await pause(Math.max(0, told_ms + wait_ms - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: 5 }, run));
  t.diagnostic(`${denials} denials, ${early} retries that were a second early`);
  assert.ok(denials >= 20, `${denials} phases`);
});

test("all three dialects, several limits, and what the origin says of its own", async () => {
  const plain = await somebody().ask("/merge");
  assert.deepEqual(items(plain.header("ratelimit")), [{ name: "merge.a", r: 9, t: 60 }, { name: "merge.b", r: 4, t: 300 }]);
  // the single-valued ones are about the limit with the smallest share left
  for (const prefix of ["x-ratelimit", "ratelimit"]) {
    assert.deepEqual(["limit", "remaining", "reset"].map((name) => plain.header(`${prefix}-${name}`)), ["5", "4", "300"]);
  }
  await origin.script({
    path: "/merge",
    headers: [
      ["RateLimit", '"theirs";r=7;t=9'], ["RateLimit-Policy", '"theirs";q=8;w=10'],
      ["X-RateLimit-Limit", "3"], ["X-RateLimit-Remaining", "1"], ["X-RateLimit-Reset", "17"],
      ["RateLimit-Limit", "5000"], ["RateLimit-Remaining", "4000"], ["RateLimit-Reset", "1"],
      ["Retry-After", "2"],
    ],
  });
  const merged = await somebody().ask("/merge");
  assert.deepEqual(items(merged.header("ratelimit")).map(({ name }) => name), ["theirs", "merge.a", "merge.b"]);
  assert.deepEqual(items(merged.header("ratelimit-policy")).map(({ name }) => name), ["theirs", "merge.a", "merge.b"]);
  const triple = (prefix) => ["limit", "remaining", "reset"].map((name) => merged.header(`${prefix}-${name}`));
  assert.deepEqual(triple("x-ratelimit"), ["3", "1", "17"], "the origin's is tighter");
  assert.deepEqual(triple("ratelimit"), ["5", "4", "300"], "ours is");
  assert.equal(merged.header("retry-after"), "300", "never earlier than t");
});

test("a shadow rule refuses nobody; announced, it shows r=0 to those it would refuse", async () => {
  const ada = somebody();
  assert.deepEqual(items((await ada.ask("/shadow")).header("ratelimit")).map(({ r }) => r), [0]);
  const answer = await ada.ask("/shadow");
  assert.equal(answer.status, 200);
  assert.deepEqual(items(answer.header("ratelimit")).map(({ r }) => r), [0]);
  assert.equal(answer.header("retry-after"), null);
  for (let i = 0; i < 3; i += 1) assert.equal((await ada.ask("/quiet")).header("ratelimit"), null);
});

test("enforce_percent enforces for a share of keys, always the same", async () => {
  const ada = somebody();
  const refuses = async (key) => {
    const caller = ada.with(["X-Key", key]);
    await caller.ask("/share");
    return (await caller.ask("/share")).status === 429;
  };
  const keys = Array.from({ length: 60 }, (_, i) => `key-${i}`);
  const first = await Promise.all(keys.map(refuses));
  const count = first.filter(Boolean).length;
  assert.ok(count > 8 && count < 42, `${count} of 60`);
  assert.deepEqual(await Promise.all(keys.map(refuses)), first);
});

test("jitter spreads retries, and never below the time that is right", async () => {
  const ada = somebody();
  await ada.ask("/jitter");
  const waits = (await ada.askAtOnce(30, "/jitter")).map((answer) => {
    assert.equal(answer.status, 429);
    assert.equal(items(answer.header("ratelimit"))[0].t, Number(answer.header("retry-after")));
    return Number(answer.header("retry-after"));
  });
  assert.ok(Math.min(...waits) >= 9 && Math.max(...waits) <= 40, waits.join());
  assert.ok(new Set(waits).size > 8, waits.join());
});

test("block: refused for so long once exceeded, longer the next time", async () => {
  const ada = somebody();
  for (const step of [2, 4]) {
    assert.deepEqual(statuses(await ada.askAtOnce(2, "/block")), { 200: 2 });
    const blocked = await ada.ask("/block");
    assert.equal(blocked.status, 429);
    assert.equal(blocked.header("retry-after"), String(step));
    assert.match(blocked.json().type, /#abnormal-usage-detected$/);
    // inside the block nothing is a new violation
    await pause(1_100);
    assert.ok(Number((await ada.ask("/block")).header("retry-after")) < step);
    await pause(step * 1_000 - 1_000);
  }
});

for (const [order, reversed] of [["client first", false], ["common first", true]]) {
  test(`Refused requests still use up budget: not here, ${order}`, async (t) => {
    const limits = [log("client", 1, "5s"), { ...log("common", 10, "60s"), key: [] }];
    const stage = await stand(t, { policy: oneRule({ limits: reversed ? limits.reverse() : limits }, { counter_timeout: "1s" }) });
    const ada = stage.from("192.0.2.1");
    const answers = await ada.askAtOnce(20, "/api/v1/quizzes");
    const answered_ms = performance.now();
    assert.deepEqual(statuses(answers), { 200: 1, 429: 19 });
    for (const one of answers) assert.ok(one.status === 200 || Number(one.header("retry-after")) <= 5);
    for (let second = 1; second < 4; second += 1) {
      await pause(answered_ms + second * 1_000 - performance.now());
      assert.equal((await ada.ask("/api/v1/quizzes")).status, 429);
    }
    // a window after the one that passed was charged, whichever object was asked besides
    await pause(answered_ms + 5_050 - performance.now());
    assert.equal((await ada.ask("/api/v1/quizzes")).status, 200, "who keeps retrying is readmitted");
    const others = await Promise.all(Array.from({ length: 9 }, (_, i) => stage.from(`198.51.${100 + i}.1`).ask("/api/v1/quizzes")));
    assert.equal(passed(others), 8, "two were used");
    assert.deepEqual(others.find(({ status }) => status === 429).json()["violated-policies"], ["rule.common"]);
  });
}
