// What Weir counts, and where an operator reads it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { value } from "./lib/exposition.mjs";
import { startKv } from "./lib/kv.mjs";
import { operated } from "./lib/operated.mjs";
import { oneRule } from "./lib/stand.mjs";
import { CF_HEADER } from "./lib/workerd.mjs";

const PATH = "/api/v1/quizzes";
const LIMIT = { name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 6, window: "60s" };

const on = (asn, country) => [CF_HEADER, JSON.stringify({ asn, country })];

test("G1.10 refusals by network", async (t) => {
  const { from, metrics, operator } = await operated(t, { policy: oneRule({ limits: [LIMIT] }) });
  const bot = from("192.0.2.1").with(on(64500, "NL"));
  const ada = from("198.51.100.1").with(on(64501, "DE"));
  for (let i = 0; i < 20; i += 1) await bot.ask(PATH);
  for (let i = 0; i < 3; i += 1) assert.equal((await ada.ask(PATH)).status, 200);
  const told = await metrics();
  const refused = "weir_refusals_by_network_total";
  assert.equal(value(told, refused, { rule: "rule", asn: "64500", country: "NL" }), 14);
  assert.equal(value(told, refused, { asn: "64501" }), 0);
  const live = (await operator.ask("/_weir/live")).json();
  assert.deepEqual(live.networks.slice(0, 2), [
    { rule: "rule", asn: "64500", country: "NL", passed: 6, refused: 14 },
    { rule: "rule", asn: "64501", country: "DE", passed: 3, refused: 0 },
  ]);
  const worst = live.keys.find(({ what }) => what === "refused");
  assert.deepEqual([worst.rule, worst.limit, worst.asn, worst.times], ["rule", "ip", "64500", 14]);
  const minute = (name) => live.rules.find(({ rule }) => rule === name).minute;
  assert.deepEqual([minute("rule"), minute("*")], [[9, 14, 0, 0], [9, 14, 0, 0]]);
  // nothing in there is an address
  assert.doesNotMatch(JSON.stringify(live), /192\.0\.2|198\.51\.100/);
});

test("G2.8 requests by rule, limit and outcome, what remained, and what it took", async (t) => {
  const shadow = { name: "quiet", mode: "shadow", match: { path: "/*" }, limits: [{ ...LIMIT, quota: 2 }] };
  const bounded = { name: "bounded", match: { path: "/b" }, body: { max_bytes: 10 } };
  const rule = { name: "rule", match: { path: PATH }, limits: [LIMIT] };
  const { from, metrics } = await operated(t, { policy: { rules: [rule, shadow, bounded] } });
  const ada = from("192.0.2.1");
  for (let i = 0; i < 8; i += 1) await ada.ask(PATH);
  assert.equal((await ada.ask("/b", { method: "POST", body: "far too long a body" })).status, 413);
  const told = await metrics();
  const requests = (labels) => value(told, "weir_requests_total", { tier: "", ...labels });
  assert.equal(requests({ rule: "rule", limit: "ip", outcome: "passed" }), 6);
  assert.equal(requests({ rule: "rule", limit: "ip", outcome: "refused" }), 2);
  assert.equal(requests({ rule: "bounded", limit: "", outcome: "body" }), 1);
  assert.ok(requests({ rule: "quiet", limit: "ip", outcome: "shadow" }) >= 4);
  const remaining = (le) => value(told, "weir_remaining_bucket", { rule: "rule", limit: "ip", le });
  assert.deepEqual(["0", "1", "5", "10", "25", "50", "100", "+Inf"].map(remaining), [3, 4, 8, 8, 8, 8, 8, 8]);
  assert.equal(value(told, "weir_near_limit_total", { rule: "rule", limit: "ip" }), 1);
  const calls = value(told, "weir_object_calls_total", { kind: "charge" });
  assert.ok(calls >= 1);
  assert.equal(value(told, "weir_decision_seconds_count", { source: "object" }), calls);
  assert.equal(value(told, "weir_policy_fault"), 0);
  assert.match(told.weir_policy_info.samples[0].labels.version, /^[0-9a-f]{16}$/);
  // a second look finds the same, and more after more
  await ada.ask(PATH);
  assert.equal(value(await metrics(), "weir_requests_total", { rule: "rule", outcome: "refused", limit: "ip" }), 3);
});

test("G2.8 requests are told apart by the caller's tier", async (t) => {
  const sha256 = createHash("sha256").update("key-pro").digest("hex");
  const TIERS = await startKv(t, { [sha256]: "pro" });
  const tiers = { plan: { key: "header:x-api-key", kv: "TIERS", cache: "300s", default: "free" } };
  const limit = { ...LIMIT, name: "key", key: ["header:x-api-key|ip"], quota: 2, tier: "plan", quotas: { free: { quota: 2 }, pro: { quota: 5 } } };
  const { from, metrics } = await operated(t, { policy: oneRule({ limits: [limit] }, { tiers }), kv: { TIERS } });
  const pro = from("192.0.2.1").with(["X-Api-Key", "key-pro"]);
  await pro.ask(PATH);
  // the tier of a first request may come too late for it
  await pause(400);
  for (let i = 0; i < 6; i += 1) await pro.ask(PATH);
  for (let i = 0; i < 3; i += 1) await from("198.51.100.1").ask(PATH);
  const told = await metrics();
  const requests = (tier, outcome) => value(told, "weir_requests_total", { rule: "rule", limit: "key", tier, outcome });
  assert.ok(requests("pro", "passed") >= 4 && requests("pro", "refused") >= 1, JSON.stringify(told.weir_requests_total));
  assert.deepEqual([requests("free", "passed") >= 2, requests("free", "refused") >= 1], [true, true]);
});

test("who is turned away for want of a slot is counted as busy, by the limit's name, and its charge is not", async (t) => {
  const concurrency = [{ name: "tenant", key: ["ip"], running: 1 }];
  const { origin, from, metrics } = await operated(t, { policy: oneRule({ limits: [LIMIT], concurrency }) });
  await origin.script({ path: "/*" });
  await origin.hold();
  const held = from("192.0.2.1").ask(PATH);
  await origin.until({ held_min: 1 });
  assert.equal((await from("192.0.2.1").ask(PATH)).status, 429);
  const during = await metrics();
  const requests = (told, labels) => value(told, "weir_requests_total", { rule: "rule", tier: "", ...labels });
  assert.equal(requests(during, { limit: "tenant", outcome: "busy" }), 1);
  assert.equal(value(during, "weir_slots", { name: "tenant", state: "running" }), 1);
  await origin.release();
  assert.equal((await held).status, 200);
  const after = await metrics();
  assert.equal(requests(after, { limit: "ip", outcome: "passed" }), 1);
  assert.equal(requests(after, { limit: "ip", outcome: "refused" }), 0);
  assert.equal(value(after, "weir_object_calls_total", { kind: "acquire" }), 2);
});

test("permits, the isolate's own memory and objects are told apart as what decided", async (t) => {
  const { from, metrics } = await operated(t, { policy: oneRule({ limits: [{ ...LIMIT, quota: 300 }] }) });
  for (let i = 0; i < 310; i += 1) await from("192.0.2.1").ask(PATH);
  const told = await metrics();
  const decided = (source) => value(told, "weir_decision_seconds_count", { source });
  const by = { local: decided("local"), lease: decided("lease"), object: decided("object") };
  t.diagnostic(JSON.stringify(by));
  assert.equal(by.local + by.lease + by.object, 310);
  assert.equal(by.object, value(told, "weir_object_calls_total", { kind: "charge" }));
  assert.ok(by.lease > by.object, "most are paid by permits");
  assert.ok(by.local >= 8, "refusals are remembered");
  // 300, 80 % of which is 240: once, however the permits came
  assert.equal(value(told, "weir_near_limit_total", { rule: "rule", limit: "ip" }), 1);
  assert.equal(value(told, "weir_remaining_bucket", { rule: "rule", limit: "ip", le: "50" }), 61);
});

test("what is asked again is counted by why", async (t) => {
  const standIn = `export default () => ({
      getByName: () => ({ fetch: async () => { throw Object.assign(new Error("gone"), { retryable: true }); } }),
    });`;
  const { from, metrics, operator } = await operated(t, { policy: oneRule({ on_error: "allow", limits: [LIMIT] }), standIn });
  assert.equal((await from("192.0.2.1").ask(PATH)).status, 200);
  const told = await metrics();
  assert.equal(value(told, "weir_object_retries_total", { reason: "failed" }), 1);
  assert.equal(value(told, "weir_object_retries_total", { reason: "provisional" }), 0);
  assert.equal(value(told, "weir_requests_total", { limit: "ip", outcome: "failed_open", tier: "" }), 1);
  const { failing } = (await operator.ask("/_weir/status")).json();
  assert.deepEqual(failing, [{ limit: "rule.ip", how: "open", requests: 1 }]);
});

/** Lines of refusals, once they stand for as many: the log arrives when it does. */
async function logged(weir, wanted) {
  for (;;) {
    const lines = refusals(weir);
    if (lines.reduce((sum, { more }) => sum + more, lines.length) >= wanted) return lines;
    await weir.line(() => true);
  }
}

const refusals = (weir) => [...weir.log().matchAll(/\{[^\n{}]*"weir":"refused"[^\n{}]*\}/g)].map(([text]) => JSON.parse(text));

test("above ten refusals in a second the log says how many it left out", async (t) => {
  const { weir, from } = await operated(t, { policy: oneRule({ limits: [{ ...LIMIT, quota: 1 }] }) });
  await from("192.0.2.1").askAtOnce(41, PATH);
  await pause(1_100);
  await from("192.0.2.1").ask(PATH);
  const lines = await logged(weir, 41);
  const left = lines.reduce((sum, { more }) => sum + more, 0);
  assert.equal(lines.length + left, 41);
  assert.ok(left > 0, "some were left out");
});

test("a key is logged in the clear where the policy says so, and only there", async (t) => {
  const limits = [{ ...LIMIT, quota: 1, key: ["header:x-api-key|ip"] }];
  const { weir, from } = await operated(t, { policy: oneRule({ limits }, { log_key: true }) });
  const ada = from("192.0.2.1").with(["X-Api-Key", "known-by-design"]);
  for (const status of [200, 429]) assert.equal((await ada.ask(PATH)).status, status);
  assert.match(JSON.stringify((await logged(weir, 1))[0].keys), /known-by-design/);
});

test("one line is logged for a refusal, without an address or a key in the clear", async (t) => {
  const { from, weir } = await operated(t, { policy: oneRule({ limits: [{ ...LIMIT, key: ["header:x-api-key|ip"] }] }) });
  const ada = from("192.0.2.1").with(["X-Api-Key", "very-secret"], on(64500, "NL"));
  for (let i = 0; i < 7; i += 1) await ada.ask(PATH);
  const [line] = await logged(weir, 1);
  assert.deepEqual(
    [line.rule, line.limits, line.status, line.asn, line.country],
    ["rule", ["rule.ip"], 429, 64500, "NL"],
  );
  assert.doesNotMatch(weir.log(), /very-secret|192\.0\.2\.1/);
});

test("an origin that gives no valid answer is counted once, whichever way the request took", async (t) => {
  const limits = [{ ...LIMIT, quota: 100 }];
  const rules = [
    { name: "plain", match: { path: "/plain" }, limits },
    { name: "late", match: { path: "/late" }, limits, deadline: "5s" },
    { name: "held", match: { path: "/held" }, limits, concurrency: [{ name: "slots", key: ["ip"], running: 4 }] },
  ];
  const { origin, from, metrics } = await operated(t, { policy: { rules } });
  await origin.script({ path: "/*", status: 999 });
  for (const { name } of rules) assert.equal((await from("192.0.2.1").ask(`/${name}`)).status, 502, name);
  await origin.stop();
  for (const { name } of rules) assert.equal((await from("192.0.2.1").ask(`/${name}`)).status, 502, name);
  const told = await metrics();
  assert.equal(value(told, "weir_requests_total", { outcome: "origin" }), 6);
  for (const { name } of rules) assert.equal(value(told, "weir_requests_total", { rule: name, limit: "ip", outcome: "passed" }), 2, name);
});
