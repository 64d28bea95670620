// Guide 1, rate limiting of validation endpoints: one test for each row of what it asks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { oneRule, passed, refused, stand } from "./lib/stand.mjs";

const CHECK = "/api/usernames/available?u=grace";
const window = (name, key, quota, length = "60s") => ({ name, key, algorithm: "sliding-window", quota, window: length });
const session = (id) => ["Cookie", `theme=dark; session=${id}`];
const bySession = (quota) => window("session", ["cookie:session|ip"], quota);
const byAddress = (quota) => window("ip", ["ip"], quota);

test("G1.1 sliding window: five pass, the sixth waits ten seconds, then one passes again", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ limits: [window("ip", ["ip"], 5, "10s")] }) });
  const ada = from("192.0.2.1");
  assert.equal((await ada.ask(CHECK)).status, 200);
  const first_ms = performance.now();
  // apart from the others, so that it leaves the window alone
  await pause(400);
  assert.equal(passed(await ada.askAtOnce(4, CHECK)), 4);
  const sixth = await ada.ask(CHECK);
  assert.equal(sixth.status, 429);
  assert.equal(sixth.header("retry-after"), "10");
  assert.equal((await origin.records()).length, 5);
  await pause(first_ms + 10_001 - performance.now());
  assert.deepEqual(statuses(await ada.askAtOnce(2, CHECK)), { 200: 1, 429: 1 });
});

test("G1.2 two keys: by address and by session, the refusing one is the verdict", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ name: "availability", limits: [byAddress(120), bySession(30)] }) });
  const ada = from("192.0.2.1");
  const anon = await ada.askAtOnce(31, CHECK);
  assert.deepEqual(statuses(anon), { 200: 30, 429: 1 });
  assert.deepEqual(refused(anon)[0].json()["violated-policies"], ["availability.session"]);
  for (const id of ["one", "two", "three"]) {
    assert.deepEqual(statuses(await ada.with(session(id)).askAtOnce(31, CHECK)), { 200: 30, 429: 1 }, id);
  }
  const full = await ada.with(session("four")).ask(CHECK);
  assert.equal(full.status, 429);
  assert.deepEqual(full.json()["violated-policies"], ["availability.ip"]);
  assert.equal((await from("198.51.100.1").with(session("five")).ask(CHECK)).status, 200);
  assert.equal((await origin.records()).length, 121);
});

test("G1.3 a refused request consumes no capacity", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [byAddress(6), bySession(3)] }) });
  const ada = from("192.0.2.1");
  assert.deepEqual(statuses(await ada.with(session("a")).askAtOnce(10, CHECK)), { 200: 3, 429: 7 });
  // what the seven took of the address's budget was given back
  assert.deepEqual(statuses(await ada.with(session("b")).askAtOnce(3, CHECK)), { 200: 3 });
  assert.deepEqual(statuses(await ada.with(session("c")).askAtOnce(3, CHECK)), { 429: 3 });
});

test("G1.4 refusals carry Retry-After and no-store, passed answers what is left", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [window("ip", ["ip"], 3)] }, { headers: ["draft-6"] }) });
  const ada = from("192.0.2.1");
  for (const left of ["2", "1", "0"]) {
    const answer = await ada.ask(CHECK);
    assert.equal(answer.status, 200);
    assert.equal(answer.header("ratelimit-remaining"), left);
  }
  const answer = await ada.ask(CHECK);
  assert.equal(answer.status, 429);
  assert.match(answer.header("retry-after"), /^[1-9]\d*$/);
  assert.equal(answer.header("cache-control"), "no-store");
  assert.equal(answer.header("ratelimit-remaining"), "0");
});

test("G1.5 the address comes from the trusted header alone", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [window("ip", ["ip"], 6)] }) });
  const names = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP"];
  for (const [i, name] of names.entries()) {
    const value = name === "Forwarded" ? `for=203.0.113.${i}` : `203.0.113.${i}`;
    assert.equal((await from("192.0.2.1").with([name, value]).ask(CHECK)).status, 200, name);
  }
  for (const name of names) {
    assert.equal((await from("192.0.2.1").with([name, "203.0.113.200"]).ask(CHECK)).status, 429, name);
  }
  assert.equal((await from("192.0.2.2").with(["X-Forwarded-For", "192.0.2.1"]).ask(CHECK)).status, 200);
});

test("G1.6 two sessions behind one address each have their own budget", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [bySession(5)] }) });
  const ada = from("192.0.2.1");
  const [one, two] = await Promise.all(["one", "two"].map((id) => ada.with(session(id)).askAtOnce(8, CHECK)));
  assert.deepEqual([statuses(one), statuses(two)], [{ 200: 5, 429: 3 }, { 200: 5, 429: 3 }]);
});
