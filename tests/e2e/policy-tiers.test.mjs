// Quotas by plan, looked up in KV.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, statuses } from "./lib/client.mjs";
import { startKv } from "./lib/kv.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const sha256 = (value) => createHash("sha256").update(value).digest("hex");
const KEY = "X-Api-Key";
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  tiers: { plan: { key: "header:x-api-key", kv: "TIERS", cache: "300s", default: "free" } },
  ...oneRule({
    limits: [
      {
        name: "key", key: ["header:x-api-key|ip"], algorithm: "token-bucket", window: "60s", tier: "plan",
        quotas: { free: { quota: 60, burst: 10 }, pro: { quota: 600, burst: 50 }, enterprise: { quota: 6000, burst: 200 } },
      },
    ],
  }),
};

async function withTiers(t, entries) {
  const kv = await startKv(t, Object.fromEntries(Object.entries(entries).map(([key, tier]) => [sha256(key), tier])));
  return { kv, ...(await stand(t, { policy, kv: { TIERS: kv } })) };
}

/** A bucket of this burst and this refill a second was emptied. */
function assertBurst(answers, burst, per_second, elapsed_ms) {
  const count = statuses(answers)[200];
  const most = burst + Math.ceil((elapsed_ms * per_second) / 1000);
  assert.ok(count >= burst && count <= most, `${count} passed, not ${burst} to ${most}`);
}

test("G2.6 tiers by API key: free 10 at once, pro 50, enterprise 200, an unknown key is free", async (t) => {
  const { kv, from } = await withTiers(t, { "key-pro": "pro", "key-big": '{"tier":"enterprise"}', "key-odd": "platinum", "key-own": '{"quota":60,"burst":3}' });
  const cases = [["key-pro", 50, 10], ["key-big", 200, 100], ["key-odd", 10, 1], ["nobody's", 10, 1], ["key-own", 3, 1]];
  for (const [key, burst, per_second] of cases) {
    const from_ms = performance.now();
    // the first look-up of a burst takes its time; here the burst is to meet a tier that is known
    const first = await from("192.0.2.1").with([KEY, key]).ask("/api/v1/quizzes");
    await pause(400);
    const answers = await from("192.0.2.1").with([KEY, key]).askAtOnce(burst + 30, "/api/v1/quizzes");
    assertBurst([first, ...answers], burst, per_second, performance.now() - from_ms);
  }
  // no key at all asks nobody
  const reads = kv.reads;
  assertBurst(await from("192.0.2.9").askAtOnce(20, "/api/v1/quizzes"), 10, 1, 3_000);
  assert.equal(kv.reads, reads);
});

test("a tier is asked for once, and used while it is fresh", async (t) => {
  const { kv, from } = await withTiers(t, { "key-pro": "pro" });
  const ada = from("192.0.2.1").with([KEY, "key-pro"]);
  // however slow this machine is, the answer of the look-up is there afterwards
  assert.equal((await ada.ask("/")).status, 200);
  await pause(400);
  for (let i = 0; i < 4; i += 1) assert.equal((await ada.ask("/")).status, 200);
  assert.equal(kv.reads, 1);
  kv.be("fail");
  assert.equal(statuses(await ada.askAtOnce(40, "/"))[200], 40, "the last known tier");
  assert.deepEqual([...kv.values.keys()], [sha256("key-pro")]);
});

test("while KV is silent or fails, the default tier holds and nobody waits long", async (t) => {
  const { kv, from } = await withTiers(t, { slow: "pro", broken: "pro" });
  for (const [mode, key] of [["silent", "slow"], ["fail", "broken"]]) {
    kv.be(mode);
    const from_ms = performance.now();
    const answers = await from("192.0.2.1").with([KEY, key]).askAtOnce(30, "/");
    const elapsed_ms = performance.now() - from_ms;
    assertBurst(answers, 10, 1, elapsed_ms);
    t.diagnostic(`${mode}: 30 answers in ${elapsed_ms.toFixed(0)} ms`);
    const once_ms = performance.now();
    await from("192.0.2.1").with([KEY, key]).ask("/");
    assert.ok(performance.now() - once_ms < 1_500, "it is not waited for again");
  }
});

/** Waits until so many reads of KV are unanswered; gives how long that took. */
async function untilWaiting(kv, count, within_ms) {
  const from_ms = performance.now();
  while (kv.waiting() !== count) {
    assert.ok(performance.now() - from_ms < within_ms, `${kv.waiting()} reads wait, not ${count}`);
    await pause(20);
  }
  return performance.now() - from_ms;
}

test("who leaves while a tier is looked up is not counted, and the origin is not asked", async (t) => {
  const { kv, weir, origin, from } = await withTiers(t, {});
  const ada = from("192.0.2.1");
  assert.match((await ada.ask("/")).header("ratelimit"), /r=9/);
  kv.be("silent");
  const leavers = await Promise.all(["a", "b", "c", "d"].map(() => connect(weir.port)));
  for (const [i, leaver] of leavers.entries()) leaver.send({ headers: [["CF-Connecting-IP", "192.0.2.1"], [KEY, `key-${i}`]] });
  await untilWaiting(kv, leavers.length, 5_000);
  for (const leaver of leavers) leaver.reset();
  // asked later, this one waits for its tier until after theirs
  assert.equal((await ada.with([KEY, "key-new"]).ask("/")).status, 200);
  assert.equal((await origin.records()).length, 2);
  kv.be("ok");
  for (let i = 0; i < leavers.length; i += 1) assert.match((await ada.with([KEY, `key-${i}`]).ask("/")).header("ratelimit"), /r=9/);
});

test("a look-up that KV does not answer is given up, not held until the platform ends it", async (t) => {
  const { kv, from } = await withTiers(t, {});
  kv.be("silent");
  assert.equal((await from("192.0.2.1").with([KEY, "key"]).ask("/")).status, 200);
  assert.equal(kv.waiting(), 1);
  const ms = await untilWaiting(kv, 0, 20_000);
  t.diagnostic(`given up after ${ms.toFixed(0)} ms`);
});
