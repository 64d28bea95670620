// The policy in KV: what is in force when, and that a bad one takes nothing down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, statuses } from "./lib/client.mjs";
import { startKv } from "./lib/kv.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const log = (quota, rest = {}) => oneRule({ limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window: "300s" }], ...rest });
const FLOOR = log(3);
const TOKEN = "a token for tests";
const bad = (change) => JSON.stringify(log(1)).replace(...change);

/** Waits until the log has so many lines that match: what is read behind an answer says so there. */
async function logged(weir, pattern, count = 1) {
  for (let i = 0; i < 100; i += 1) {
    if ([...weir.log().matchAll(pattern)].length >= count) return;
    await pause(50);
  }
  assert.fail(`not logged ${count} times: ${pattern}; the log is\n${weir.log()}`);
}

/** Weir with a policy that allows three, and a namespace for others. */
async function withKv(t, entries, options = {}) {
  const kv = await startKv(t, Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)])));
  return { kv, ...(await stand(t, { policy: FLOOR, kv: { POLICY_KV: kv }, ...options })) };
}

test("KV wins over POLICY from the first request on, however many come at once", async (t) => {
  const { from } = await withKv(t, { policy: log(1) });
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(10, "/")), { 200: 1, 429: 9 });
});

test("with nothing in KV, POLICY holds", async (t) => {
  const { from } = await withKv(t, {});
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(5, "/")), { 200: 3, 429: 2 });
});

test("a silent KV delays the first request by a quarter of a second, a failing one by nothing; POLICY holds", async (t) => {
  const { kv, weir, from } = await withKv(t, { policy: log(1) });
  for (const mode of ["silent", "fail"]) {
    kv.be(mode);
    await weir.restart();
    const from_ms = performance.now();
    assert.equal((await from(`192.0.2.${mode.length}`).ask("/")).status, 200);
    const first_ms = performance.now() - from_ms;
    assert.ok(first_ms < 3_000, `${mode}: ${first_ms} ms`);
    assert.deepEqual(statuses(await from(`192.0.2.${mode.length}`).askAtOnce(4, "/")), { 200: 2, 429: 2 }, mode);
    kv.be("ok");
  }
});

test("who leaves while the policy is read is not counted, and the origin is not asked", async (t) => {
  const { kv, weir, origin, from } = await withKv(t, {});
  kv.be("silent");
  await weir.restart();
  const leaver = await connect(weir.port);
  leaver.send({ headers: [["CF-Connecting-IP", "192.0.2.1"]] });
  while (kv.waiting() === 0) await pause(5);
  leaver.reset();
  // this one waits until after the other would have
  assert.match((await from("192.0.2.1").ask("/")).header("ratelimit"), /r=2/);
  assert.equal((await origin.records()).length, 1);
});

test("a policy that does not load leaves the site as it was, whatever is wrong with it", async (t) => {
  const { kv, weir, from } = await withKv(t, { "policy:previous": log(2) });
  const documents = {
    truncated: JSON.stringify(log(1)).slice(0, -3),
    "an unknown field": bad(['"quota"', '"qouta"']),
    "10,000 rules": JSON.stringify({ rules: Array.from({ length: 10_000 }, (_, i) => ({ ...log(1).rules[0], name: `r${i}` })) }),
    "5 MB": " ".repeat(5_000_000),
    "a bad header name": bad(['["ip"]', '["header:bad name"]']),
    "a bad pattern": bad(['"/*"', '"/a*b*"']),
    "an empty document": "",
    "a key kind that there is not": bad(['["ip"]', '["api_kye:x"]']),
  };
  for (const [i, [what, document]] of Object.entries(documents).entries()) {
    kv.values.set("policy", document);
    await weir.restart();
    assert.equal((await from(`203.0.113.${i}`).ask("/")).status, 200, what);
    await logged(weir, /the policy in POLICY_KV policy does not load, POLICY stays in force: .+; .+/g);
    await logged(weir, /the policy in force is now \w+ from POLICY_KV policy:previous/g);
    // this isolate has no good one of its own, so the previous one holds
    assert.deepEqual(statuses(await from(`198.51.100.${i}`).askAtOnce(5, "/")), { 200: 2, 429: 3 }, what);
  }
  kv.values.delete("policy:previous");
  await weir.restart();
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(5, "/")), { 200: 3, 429: 2 }, "POLICY is the floor");
});

test("with no policy that loads, traffic passes", async (t) => {
  const { from } = await withKv(t, { policy: "{" }, { policy: null });
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(5, "/")), { 200: 5 });
});

test("a new policy takes hold without a deploy, counters stay, a broken one changes nothing, and a good one ends that", async (t) => {
  const { kv, weir, from } = await withKv(t, { policy: log(2) }, { vars: { ADMIN_TOKEN: TOKEN } });
  const status = async () => (await from("203.0.113.1").with(["Authorization", `Bearer ${TOKEN}`]).ask("/_weir/status")).json().policy;
  const ada = from("192.0.2.1");
  const bob = from("192.0.2.2");
  assert.deepEqual(statuses(await ada.askAtOnce(4, "/")), { 200: 2, 429: 2 });
  assert.equal((await bob.ask("/")).status, 200);
  // a quota raised, and an edit that has nothing to do with it
  const next = log(4, { cors: ["https://app.example"] });
  next.rules.push({ name: "another", match: { path: "/another" }, limits: next.rules[0].limits });
  kv.values.set("policy", JSON.stringify(next));
  await pause(30_500);
  // the first one after the cache's time still sees the old one, and has the new one read behind it
  assert.equal((await bob.ask("/")).status, 200);
  await logged(weir, /the policy in force is now/g, 2);
  assert.deepEqual(statuses(await ada.askAtOnce(4, "/")), { 200: 2, 429: 2 });
  assert.deepEqual(statuses(await bob.askAtOnce(4, "/")), { 200: 2, 429: 2 });
  // now a broken one: this isolate keeps its own
  kv.values.set("policy", "{");
  kv.values.set("policy:previous", JSON.stringify(log(1)));
  await pause(30_500);
  assert.equal((await from("192.0.2.3").ask("/")).status, 200);
  await logged(weir, /the policy in POLICY_KV policy does not load, POLICY_KV policy stays in force/g);
  assert.deepEqual(statuses(await from("192.0.2.3").askAtOnce(5, "/")), { 200: 3, 429: 2 });
  const broken = await status();
  assert.deepEqual([broken.source, broken.fault.source, broken.fault.path], ["POLICY_KV policy", "POLICY_KV policy", "policy"]);
  assert.match(broken.fault.found, /^not JSON/);
  // and the good one again: its limits, over the same counters
  kv.values.set("policy", JSON.stringify(log(5)));
  await pause(30_500);
  assert.equal((await bob.ask("/")).status, 429, "the last one under the old");
  await logged(weir, /the policy in force is now/g, 3);
  assert.deepEqual(statuses(await bob.askAtOnce(4, "/")), { 200: 1, 429: 3 });
  const mended = await status();
  assert.deepEqual([mended.source, mended.fault], ["POLICY_KV policy", null]);
  assert.notEqual(mended.fingerprint, broken.fingerprint);
});

test("WEIR_MODE has the last word", async (t) => {
  const { weir, from } = await stand(t, { policy: log(1), vars: { WEIR_MODE: "shadow" } });
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(4, "/")), { 200: 4 });
  await weir.restart({ vars: { WEIR_MODE: "off" } });
  assert.deepEqual(statuses(await from("192.0.2.2").askAtOnce(4, "/")), { 200: 4 });
  await weir.restart({ vars: {}, policy: { ...log(1), mode: "shadow" } });
  assert.deepEqual(statuses(await from("192.0.2.3").askAtOnce(4, "/")), { 200: 4 });
  await weir.restart({ vars: { WEIR_MODE: "enforce" } });
  assert.deepEqual(statuses(await from("192.0.2.4").askAtOnce(4, "/")), { 200: 1, 429: 3 });
});
