// Concurrency: who runs, who waits, who is turned away, and in which order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { counts, untilCounts } from "./lib/counts.mjs";
import { NOTHING, begin, beginInOrder } from "./lib/live.mjs";
import { oneRule, stand as standIn } from "./lib/stand.mjs";

// a machine that is busy with other things is not an object that fails
const PATIENT = { counter_timeout: "5s" };

async function stand(t, policy) {
  const set = await standIn(t, { policy: { ...PATIENT, ...policy }, probe: true });
  await set.origin.script({ path: "/*" });
  return set;
}

const targets = (count, name = "r") => Array.from({ length: count }, (_, i) => `/${name}${i + 1}`);
const tenant = (name) => ({ headers: [["X-Tenant", name]] });
const reached = async (origin) => (await origin.records()).map(({ target }) => target);

test("G3.4 two run, five wait, the eighth is refused at once, another tenant runs, and all finish in order", async (t) => {
  const policy = oneRule({ concurrency: [{ name: "tenant", key: ["header:x-tenant|ip"], running: 2, waiting: 5, retry_after: "5s" }] });
  const { origin, weir } = await stand(t, policy);
  await origin.hold();
  const acme = await beginInOrder(weir, targets(7), tenant("acme"), (n) => ({ running: Math.min(n, 2), waiting: Math.max(n - 2, 0) }));
  await origin.until({ held_min: 2 });
  const eighth = await (await begin(weir, "/r8", tenant("acme"))).answer;
  t.diagnostic(`the eighth was refused in ${eighth.ms.toFixed(1)} ms`);
  assert.equal(eighth.status, 429);
  assert.equal(eighth.response.header("retry-after"), "5");
  const problem = eighth.response.json();
  assert.deepEqual([problem.error, problem["violated-policies"]], ["busy", ["rule.tenant"]]);
  assert.ok(eighth.ms < 500, `${eighth.ms} ms`);
  // another tenant meanwhile
  const other = await begin(weir, "/other", tenant("globex"));
  await origin.until({ held_min: 3 });
  await origin.release({ id: (await origin.records("/other"))[0].id });
  assert.equal((await other.answer).status, 200);
  // one by one, each that ends lets the next in
  for (let n = 3; n <= 7; n += 1) {
    await origin.release({ count: 1 });
    await origin.until({ held_min: 2 });
  }
  await origin.release();
  assert.deepEqual(statuses((await Promise.all(acme.map(({ answer }) => answer))).map(({ response }) => response)), { 200: 7 });
  assert.deepEqual((await reached(origin)).filter((target) => target !== "/other"), targets(7));
  await untilCounts(weir, NOTHING);
});

test("G3.5 a global bound is 503, and what the tenant's limit took before it is given back", async (t) => {
  const policy = oneRule({
    limits: [{ name: "ip", key: ["ip"], quota: 100, window: "1h", algorithm: "sliding-window" }],
    concurrency: [
      { name: "tenant", key: ["header:x-tenant|ip"], running: 2 },
      { name: "global", key: [], running: 3, status: 503, retry_after: "5s" },
    ],
  });
  const { origin, weir, from } = await stand(t, policy);
  await origin.hold();
  const names = ["a", "a", "b"];
  const running = [];
  for (const [i, name] of names.entries()) {
    running.push(await begin(weir, `/${i}`, tenant(name)));
    await origin.until({ held_min: i + 1 });
  }
  for (const name of ["b", "c"]) {
    const { status, response } = await (await begin(weir, "/refused", tenant(name))).answer;
    assert.equal(status, 503, name);
    assert.equal(response.header("retry-after"), "5");
    assert.deepEqual(response.json()["violated-policies"], ["rule.global"]);
  }
  // the tenant's own bound speaks first, as it stands first
  assert.equal((await (await begin(weir, "/refused", tenant("a"))).answer).status, 429);
  // each of the three holds two slots in two objects or one: nothing of the refused is left
  await origin.release();
  for (const { answer } of running) assert.equal((await answer).status, 200);
  await untilCounts(weir, NOTHING);
  assert.equal((await origin.records("/refused")).length, 0);
  // the refused have been given back what the limit took: 3 ran, and this is the fourth
  await pause(700);
  const answer = await from("192.0.2.1").ask("/last");
  assert.match(answer.header("ratelimit"), /r=96;/);
});

test("cases: waits are bounded, the timed out and the gone never reach the origin, the next does at once", async (t) => {
  const policy = oneRule({ concurrency: [{ name: "one", key: [], running: 1, waiting: 2, max_wait: "2s", status: 503 }] });
  const { origin, weir } = await stand(t, policy);
  await origin.script({ path: "/a", delay_ms: 5000 });
  const a = await begin(weir, "/a");
  await origin.until({ in_flight_min: 1 });
  const from_ms = performance.now();
  const at = (ms) => pause(Math.max(0, from_ms + ms - performance.now()));
  const now = () => performance.now() - from_ms;
  const b = await begin(weir, "/b");
  const c = await begin(weir, "/c");
  await untilCounts(weir, { running: 1, waiting: 2 });
  const d = await (await begin(weir, "/d")).answer;
  assert.equal(d.status, 503);
  assert.ok(d.ms < 500, `refused in ${d.ms} ms`);
  for (const { answer } of [b, c]) {
    const { status, ms } = await answer;
    assert.equal(status, 503);
    assert.ok(ms > 1700 && ms < 2300, `waited ${ms} ms`);
  }
  await at(2600);
  const e = await begin(weir, "/e");
  const g = await begin(weir, "/g");
  await untilCounts(weir, { running: 1, waiting: 2 });
  await at(3100);
  e.connection.reset();
  await untilCounts(weir, { running: 1, waiting: 1 });
  await at(3300);
  const f = await begin(weir, "/f");
  await untilCounts(weir, { running: 1, waiting: 2 });
  const { status, ms } = await g.answer;
  assert.equal(status, 503);
  assert.ok(ms > 1700 && ms < 2300, `waited ${ms} ms`);
  assert.equal((await a.answer).status, 200);
  const ended_ms = now();
  assert.equal((await f.answer).status, 200);
  t.diagnostic(`F was answered ${(now() - ended_ms).toFixed(1)} ms after A had ended`);
  assert.ok(now() - ended_ms < 300, `${now() - ended_ms} ms`);
  assert.deepEqual(await reached(origin), ["/a", "/f"]);
  await untilCounts(weir, NOTHING);
});

test("turns go round the values of fair_by, and none fills the queue", async (t) => {
  const policy = oneRule({ concurrency: [{ name: "shared", key: [], running: 1, waiting: 6, fair_by: ["header:x-tenant|ip"] }] });
  const { origin, weir } = await stand(t, policy);
  await origin.hold();
  const queued = [await begin(weir, "/first", tenant("z"))];
  await origin.until({ held_min: 1 });
  // alone, a value may have half of the places
  for (const [i, target] of ["/a1", "/a2", "/a3"].entries()) {
    queued.push(await begin(weir, target, tenant("a")));
    await untilCounts(weir, { running: 1, waiting: i + 1 });
  }
  assert.equal((await (await begin(weir, "/a4", tenant("a"))).answer).status, 429);
  queued.push(await begin(weir, "/b1", tenant("b")));
  await untilCounts(weir, { running: 1, waiting: 4 });
  for (let n = 1; n < 5; n += 1) {
    await origin.release({ count: 1 });
    await origin.until({ total_min: n + 1, held_min: 1 });
  }
  await origin.release();
  for (const { answer } of queued) assert.equal((await answer).status, 200);
  assert.deepEqual(await reached(origin), ["/first", "/a1", "/b1", "/a2", "/a3"]);
});

test("a queue of a thousand empties in order, and a thousand that leave leave nothing", async (t) => {
  const many = 1000;
  const policy = oneRule({ concurrency: [{ name: "one", key: [], running: 1, waiting: many, max_wait: "60s" }] });
  const { origin, weir } = await stand(t, policy);
  await origin.hold();
  const first = await begin(weir, "/first");
  await origin.until({ held_min: 1 });
  const waiting = [];
  for (let n = 0; n < many; n += 50) {
    waiting.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => begin(weir, `/w${n + i}`)))));
  }
  t.diagnostic(`all have asked after ${performance.now().toFixed(0)} ms`);
  await untilCounts(weir, { running: 1, waiting: many }, 20_000);
  t.diagnostic(`all wait after ${performance.now().toFixed(0)} ms`);
  assert.equal((await (await begin(weir, "/late")).answer).status, 429);
  // the first hundred run, the others leave
  const from_ms = performance.now();
  for (let n = 0; n < 100; n += 1) {
    await origin.release({ count: 1 });
    await origin.until({ total_min: n + 2, held_min: 1 });
  }
  t.diagnostic(`${((performance.now() - from_ms) / 100).toFixed(1)} ms from a release to the next at the origin, control calls included`);
  for (const { connection } of [first, ...waiting]) connection.reset();
  await untilCounts(weir, NOTHING, 20_000);
  await origin.release();
  const seen = await origin.records();
  assert.equal(seen.length, 101);
  assert.deepEqual(await counts(weir), NOTHING);
});
