// `precision = "optimistic"`: no request waits for its counter.
import assert from "node:assert/strict";
import { test } from "node:test";
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
