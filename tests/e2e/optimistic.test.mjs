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
  assert.equal(answer.header("ratelimit"), null, "nothing is known yet");
  assert.equal((await origin.records()).length, 1);
});

test("what was counted behind holds for those that follow", async (t) => {
  const { origin, from } = await stand(t, { policy: policy(3) });
  const ada = from("192.0.2.1");
  const seen = [];
  // Each may pass before the answer to the one before it is back; sooner or later all are refused.
  for (let i = 0; i < 200 && seen.at(-1) !== 429; i += 1) seen.push((await ada.ask("/")).status);
  const passed = seen.filter((status) => status === 200).length;
  assert.equal(seen.at(-1), 429);
  assert.ok(passed >= 3, `${passed} passed`);
  assert.equal((await origin.records()).length, passed);
  const refusal = await ada.ask("/");
  assert.equal(refusal.status, 429);
  assert.match(refusal.header("retry-after"), /^[1-9]\d*$/);
  assert.deepEqual(statuses(await from("192.0.2.2").askAtOnce(2, "/")), { 200: 2 });
});
