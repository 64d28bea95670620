// Rows of the guides that rest on the whole policy, and the recipes as they stand in docs/recipes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "smol-toml";
import { ROOT } from "../../scripts/lib/paths.mjs";
import { statuses } from "./lib/client.mjs";
import { oneRule, passed, stand } from "./lib/stand.mjs";

// not what is tested here, and this machine may be slow
const PATIENT = { counter_timeout: "2s" };
const log = (name, quota, window, more) => ({ name, key: ["ip"], algorithm: "sliding-window", quota, window, ...more });
const session = (id) => ["Cookie", `session=${id}`];
const recipe = async (name) => ({ ...PATIENT, ...parse(await readFile(join(ROOT, "docs", "recipes", `${name}.toml`), "utf8")) });
const FORM = ["Content-Type", "application/x-www-form-urlencoded"];

/** The same, with an origin that answers 200 to everything. */
async function answering(t, policy) {
  const stage = await stand(t, { policy });
  await stage.origin.script({ path: "/*" });
  return stage;
}

test("G1.8 a session probes so many different names and no more; a breaker caps the endpoint", async (t) => {
  const { from } = await answering(t, {
    ...PATIENT,
    rules: [
      { name: "check", match: { path: "/check" }, limits: [{ name: "targets", key: ["cookie:session|ip"], distinct: "query:u", quota: 20, window: "600s" }] },
      { name: "endpoint", match: { path: "/breaker" }, limits: [{ name: "breaker", key: [], algorithm: "token-bucket", quota: 1, window: "10s", burst: 10 }] },
    ],
  });
  const ada = from("192.0.2.1").with(session("a"));
  for (let i = 0; i < 20; i += 1) assert.equal((await ada.ask(`/check?u=name${i}`)).status, 200);
  assert.equal((await ada.ask("/check?u=another")).status, 429);
  // what was asked before may be asked again
  assert.equal((await ada.ask("/check?u=name7")).status, 200);
  assert.equal((await ada.ask("/check?u=name%37")).status, 200);
  assert.equal((await from("192.0.2.1").with(session("b")).ask("/check?u=another")).status, 200);
  // many addresses, one endpoint
  const all = await Promise.all(Array.from({ length: 30 }, (_, i) => from(`198.51.${i}.1`).ask("/breaker")));
  assert.ok(passed(all) >= 10 && passed(all) <= 11, `${passed(all)}`);
});

test("G1.9 the same limiter on the submission path", async (t) => {
  const limits = [log("ip", 3, "60s")];
  const { from } = await answering(t, {
    ...PATIENT,
    rules: [
      { name: "check", match: { path: "/api/usernames/available" }, limits },
      { name: "submit", match: { path: "/signup", method: ["POST"] }, on_error: "deny", limits },
    ],
  });
  const ada = from("192.0.2.1");
  const post = { method: "POST", body: "u=grace", headers: [FORM] };
  assert.deepEqual(statuses(await ada.askAtOnce(5, "/signup", post)), { 200: 3, 429: 2 });
  const answer = await ada.ask("/signup", post);
  assert.deepEqual(answer.json()["violated-policies"], ["submit.ip"]);
  assert.deepEqual(statuses(await ada.askAtOnce(5, "/api/usernames/available?u=grace")), { 200: 3, 429: 2 });
});

test("G1.12 recipe for coupons and postcodes: ten codes, a hundred postcodes", async (t) => {
  const { from } = await answering(t, await recipe("coupons"));
  const ada = from("192.0.2.1").with(session("a"));
  for (let i = 0; i < 10; i += 1) assert.equal((await ada.ask(`/api/coupons/check?code=${i}`)).status, 200);
  const refused = await ada.ask("/api/coupons/check?code=eleventh");
  assert.equal(refused.status, 429);
  assert.deepEqual(refused.json()["violated-policies"], ["coupon.codes"]);
  const wait_s = Number(refused.header("retry-after"));
  assert.ok(wait_s > 3_560 && wait_s <= 3_600, `an hour after the first: ${wait_s}`);
  const bob = from("192.0.2.2");
  for (let i = 0; i < 100; i += 1) assert.equal((await bob.ask(`/api/postcodes/${10_000 + i}`)).status, 200);
  assert.deepEqual((await bob.ask("/api/postcodes/20000")).json()["violated-policies"], ["postcode.harvest"]);
});

test("G1.12 recipe for e-mail checks: ten addresses, whether by GET or by POST", async (t) => {
  const { from } = await answering(t, await recipe("email"));
  const ada = from("192.0.2.1").with(session("a"));
  const post = (email) => ({ method: "POST", headers: [FORM], body: `email=${email}%40a.example` });
  for (let i = 0; i < 5; i += 1) {
    assert.equal((await ada.ask(`/api/emails/available?email=${i}@a.example`)).status, 200, `GET ${i}`);
    assert.equal((await ada.ask("/api/emails/available", post(`p${i}`))).status, 200, `POST ${i}`);
  }
  const refused = await ada.with(["Origin", "https://www.example.com"]).ask("/api/emails/available", post("another"));
  assert.equal(refused.status, 429);
  assert.deepEqual(refused.json()["violated-policies"], ["email-check.targets"]);
  assert.equal(refused.header("access-control-allow-origin"), "https://www.example.com");
});

test("G1.12 recipe for sign-in: fifty guesses at once for one account, and five reach the origin", async (t) => {
  const { origin, from } = await answering(t, await recipe("sign-in"));
  await origin.script({ path: "/login", status: 401, reason: "Unauthorized", delay_ms: 300 });
  const guess = { method: "POST", headers: [FORM], body: "username=grace&password=guess" };
  const callers = Array.from({ length: 50 }, (_, i) => from(`198.51.${i}.1`));
  const answers = await Promise.all(callers.map((caller) => caller.ask("/login", guess)));
  assert.deepEqual(statuses(answers), { 401: 5, 429: 45 });
  assert.equal((await origin.records("/login")).length, 5);
  const refused = await from("192.0.2.1").ask("/login", guess);
  assert.equal(refused.status, 429);
  assert.equal(refused.header("x-help"), "https://www.example.com/help/sign-in");
  const other = { ...guess, body: "username=ada&password=guess" };
  assert.equal((await from("192.0.2.1").ask("/login", other)).status, 401);
});

test("G3.9 RateLimit fields on every answer; 429 for the client, 503 for the server, Retry-After with both", async (t) => {
  const { origin, from } = await answering(t, {
    ...PATIENT,
    rules: [
      { name: "rate", match: { path: "/rate" }, limits: [log("ip", 1, "60s")] },
      { name: "busy", match: { path: "/busy" }, concurrency: [{ name: "all", key: [], running: 1, status: 503, retry_after: "5s" }] },
    ],
  });
  const ada = from("192.0.2.1");
  for (const status of [200, 429]) {
    const answer = await ada.ask("/rate");
    assert.equal(answer.status, status);
    assert.equal(answer.header("ratelimit-policy"), '"rate.ip";q=1;w=60');
    assert.match(answer.header("ratelimit"), /^"rate\.ip";r=0;t=\d+$/);
    assert.equal(answer.header("retry-after") !== null, status === 429);
    if (status === 429) assert.equal(answer.json().error, "rate_limited");
  }
  await origin.script({ path: "/busy", hold: true, times: 1 });
  const first = ada.ask("/busy");
  await origin.until({ held_min: 1 });
  const busy = await from("192.0.2.2").ask("/busy");
  assert.deepEqual([busy.status, busy.json().error, busy.header("retry-after")], [503, "busy", "5"]);
  await origin.release();
  assert.equal((await first).status, 200);
});

test("G3.10 by identity, operation and units of work: a thousand small ones or a few large ones", async (t) => {
  const work = (cost) => oneRule({
    match: { path: "/reports", method: ["POST"] },
    limits: [{ name: "work", key: ["header:x-tenant|ip", "route"], algorithm: "sliding-window", quota: 1_000, window: "300s", cost }],
    body: { max_bytes: "16KiB", json: { cost: { terms: ["/accounts#", "/pageSize"], max: 500 } } },
  }, PATIENT);
  const { from } = await answering(t, work("body"));
  const report = (accounts, pageSize) => ({
    method: "POST",
    headers: [["Content-Type", "application/json"]],
    body: JSON.stringify({ accounts: Array.from({ length: accounts }, (_, i) => `a${i}`), pageSize }),
  });
  const ada = from("192.0.2.1").with(["X-Tenant", "one"]);
  const left = (answer) => Number(/r=(\d+)/.exec(answer.header("ratelimit"))[1]);
  assert.equal(left(await ada.ask("/reports", report(5, 100))), 500);
  assert.equal(left(await ada.ask("/reports", report(4, 100))), 100);
  assert.equal((await ada.ask("/reports", report(2, 51))).status, 429, "102 are more than what is left");
  assert.equal(left(await ada.ask("/reports", report(1, 100))), 0);
  assert.equal((await ada.ask("/reports", report(6, 100))).json().error, "too_expensive");
  assert.equal((await from("192.0.2.1").with(["X-Tenant", "two"]).ask("/reports", report(5, 100))).status, 200);
});
