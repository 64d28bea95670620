// `precision = "optimistic"`: no request waits for its counter.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const policy = (quota, more = {}) =>
  oneRule({ limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window: "60s", precision: "optimistic" }], ...more }, { counter_timeout: "5s" });

test("a request is answered while its counter is still silent", async (t) => {
  const standIn = "export default () => ({ getByName: () => ({ fetch: () => new Promise(() => {}) }) });";
  const { origin, from } = await stand(t, { policy: policy(3, { on_error: "deny" }), standIn });
  const ada = from("192.0.2.1");
  const answer = await ada.ask("/");
  assert.equal(answer.status, 200);
  assert.match(answer.header("ratelimit"), /r=2/);
  // What this isolate has let through itself counts, whatever the counter says.
  assert.deepEqual(statuses(await ada.askAtOnce(9, "/")), { 200: 2, 429: 7 });
  assert.equal((await origin.records()).length, 3);
});

test("one isolate admits exactly the quota of a burst", async (t) => {
  const { origin, from } = await stand(t, { policy: policy(50) });
  const ada = from("192.0.2.1");
  assert.deepEqual(statuses(await ada.askAtOnce(200, "/")), { 200: 50, 429: 150 });
  assert.equal((await origin.records()).length, 50);
  const refusal = await ada.ask("/");
  assert.equal(refusal.status, 429);
  assert.match(refusal.header("retry-after"), /^[1-9]\d*$/);
  assert.deepEqual(statuses(await from("192.0.2.2").askAtOnce(2, "/")), { 200: 2 });
});

test("distinct values are counted before the origin sees them, or each new one would pass", async (t) => {
  const limit = { name: "targets", key: ["ip"], distinct: "query:u", quota: 3, window: "60s", precision: "optimistic" };
  const { origin, from } = await stand(t, { policy: oneRule({ limits: [limit] }, { counter_timeout: "5s" }) });
  const answers = [];
  for (let i = 0; i < 9; i += 1) answers.push(await from("192.0.2.1").ask(`/?u=${i}`));
  assert.deepEqual(statuses(answers), { 200: 3, 429: 6 });
  assert.equal((await from("192.0.2.1").ask("/?u=1")).status, 200, "it has been counted");
  assert.equal((await origin.records()).length, 4);
});

test("what objects are asked behind answers holds from their first refusal on, also where there are two", async (t) => {
  const limit = (name, key) => ({ name, key, algorithm: "sliding-window", quota: 3, window: "60s", block: "60s", precision: "optimistic" });
  const limits = [limit("ip", ["ip"]), limit("key", ["header:x-api-key"])];
  const { from } = await stand(t, { policy: oneRule({ limits }, { counter_timeout: "5s" }) });
  const ada = from("192.0.2.1").with(["X-Api-Key", "k"]);
  for (let i = 0; i < 3; i += 1) assert.equal((await ada.ask("/")).status, 200);
  const from_ms = performance.now();
  while ((await ada.ask("/")).status === 200) assert.ok(performance.now() - from_ms < 3_000, "it is never refused");
  assert.deepEqual(statuses(await ada.askAtOnce(20, "/")), { 429: 20 });
});

test("when a refusal is over one asks and the others wait, or all of a flood would pass", async (t) => {
  const limit = { name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 1, window: "2s", block: "1s", precision: "optimistic" };
  const { from } = await stand(t, { policy: oneRule({ limits: [limit] }, { counter_timeout: "5s" }) });
  const ada = from("192.0.2.1");
  const from_ms = performance.now();
  while ((await ada.ask("/")).status === 200) assert.ok(performance.now() - from_ms < 3_000, "it is never refused");
  await pause(3_100);
  assert.deepEqual(statuses(await ada.askAtOnce(40, "/")), { 200: 1, 429: 39 });
});
