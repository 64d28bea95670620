// Which requests a rule is about, and how refusals look.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";

const APP = "https://app.example";
const limit = (quota, more) => [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window: "300s", ...more }];
const rule = (name, quota, { match, ...more } = {}) => ({ name, match: { path: `/${name}`, ...match }, limits: limit(quota), ...more });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  preflight: { quota: 5, window: "300s", burst: 5 },
  rules: [
    rule("r", 1, { match: { method: ["GET"] } }),
    rule("o", 1, { match: { method: ["POST", "DELETE"], header: { "x-http-method-override": "DELETE" } } }),
    rule("skip", 1, { skip: { header: { "user-agent": "health-*" } } }),
    { name: "deny", match: { path: "/deny/*", not: { country: ["DE"] } }, action: "deny" },
    rule("cors", 1, { cors: [APP] }),
    rule("plain", 1),
    rule("own", 1, { respond: { status: 503, content_type: "application/json", body: '{"slow":"down"}', headers: { "X-Why": "busy" } } }),
    { name: "fold", match: { path: "/Fold/*", case_insensitive: true }, limits: limit(1) },
    { name: "all", match: { path: "/both" }, limits: limit(2) },
    { name: "few", match: { path: "/both" }, limits: limit(1) },
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
const somebody = () => from(`192.0.2.${(next += 1)}`);

test("The method: unknown ones are matched and forwarded as they are", async () => {
  const ada = somebody();
  for (const method of ["PROPFIND", "MKCOL", "REPORT", "PURGE"]) {
    assert.equal((await ada.ask("/r", { method, body: "<a/>" })).status, 200, method);
  }
  const records = await origin.records("/r");
  assert.deepEqual(records.map((r) => [r.method, r.body_bytes]), [["PROPFIND", 4], ["MKCOL", 4], ["REPORT", 4], ["PURGE", 4]]);
  assert.equal((await ada.ask("/r")).status, 200);
  const [head, get] = [await ada.ask("/r", { method: "HEAD" }), await ada.ask("/r")];
  assert.deepEqual([head.status, get.status], [429, 429]);
  assert.equal(head.body.length, 0);
  const names = (answer) => answer.headers.map(([name]) => name.toLowerCase()).filter((name) => name !== "content-length" && name !== "transfer-encoding").sort();
  assert.deepEqual(names(head), names(get));
});

test("The method: an override header counts where the policy says so, and nowhere else", async () => {
  const override = ["X-HTTP-Method-Override", "DELETE"];
  const ada = somebody().with(override);
  const post = { method: "POST", body: "{}" };
  assert.deepEqual([(await ada.ask("/o", post)).status, (await ada.ask("/o", post)).status], [200, 429]);
  assert.equal((await ada.ask("/r", { method: "GET" })).status, 200);
  assert.equal((await ada.ask("/r", { method: "GET" })).status, 429);
});

test("skip exempts, deny refuses, and neither spends anything", async () => {
  const ada = somebody();
  for (let i = 0; i < 3; i += 1) assert.equal((await ada.with(["User-Agent", "health-check"]).ask("/skip")).status, 200);
  assert.deepEqual([(await ada.ask("/skip")).status, (await ada.ask("/skip")).status], [200, 429]);
  await origin.reset();
  const denied = await ada.ask("/deny/it");
  assert.equal(denied.status, 403);
  assert.equal(denied.json().error, "denied");
  assert.equal((await ada.ask("/%64eny/./it")).status, 403);
  assert.deepEqual(await origin.records(), []);
  await origin.script({ path: "/*" });
  assert.equal((await ada.with(["x-test-cf", '{"country":"DE"}']).ask("/deny/it")).status, 200);
});

test("the spelling of a path does not dodge a rule, and the origin gets it as it was", async () => {
  const ada = somebody();
  assert.equal((await ada.ask("/fold/A")).status, 200);
  for (const target of ["/FOLD/b", "/fold//c", "/f%6Fld/d", "/x/../Fold/e", "/fold/f/"]) {
    assert.equal((await ada.ask(target)).status, 429, target);
  }
  assert.deepEqual((await origin.records()).map((r) => r.target), ["/fold/A"]);
  assert.equal((await somebody().ask("/Fold/%7Eme//x?a=%41")).status, 200);
  assert.equal((await origin.records()).at(-1).target, "/Fold/%7Eme//x?a=%41");
});

test("all matching rules apply, and a refusal by one spends nothing of another", async () => {
  const ada = somebody();
  assert.equal((await ada.ask("/both")).header("ratelimit"), '"all.ip";r=1;t=300, "few.ip";r=0;t=300');
  for (let i = 0; i < 3; i += 1) {
    const answer = await ada.ask("/both");
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.json()["violated-policies"], ["few.ip"]);
  }
});

test("preflights have a limit of their own, are charged to no rule, and carry no body", async () => {
  const preflight = [["Origin", APP], ["Access-Control-Request-Method", "GET"]];
  const ada = somebody();
  const options = { method: "OPTIONS", headers: preflight };
  assert.equal((await ada.ask("/plain", { ...options, body: "x" })).status, 413);
  assert.equal((await ada.ask("/deny/it", options)).status, 403);
  assert.deepEqual(statuses(await ada.askAtOnce(8, "/plain", options)), { 200: 5, 429: 3 });
  assert.equal((await ada.ask("/plain")).status, 200);
  assert.equal((await ada.ask("/plain")).status, 429);
  // OPTIONS that is no preflight is a request like others
  assert.deepEqual(statuses(await somebody().askAtOnce(3, "/plain", { method: "OPTIONS" })), { 200: 1, 429: 2 });
});

test("CORS: listed origins may read refusals, and on passed answers what was added", async () => {
  const ada = somebody();
  await origin.script({ path: "/cors", headers: [["Access-Control-Allow-Origin", APP], ["Access-Control-Expose-Headers", "ETag"]], times: 1 });
  const passed = await ada.with(["Origin", APP]).ask("/cors");
  assert.equal(passed.status, 200);
  assert.equal(passed.header("access-control-allow-origin"), APP);
  assert.equal(passed.header("access-control-expose-headers"), "ETag, RateLimit-Policy, RateLimit");
  const refused = await ada.with(["Origin", APP]).ask("/cors");
  assert.equal(refused.status, 429);
  assert.equal(refused.header("access-control-allow-origin"), APP);
  assert.equal(refused.header("vary"), "Origin");
  assert.match(refused.header("access-control-expose-headers"), /Retry-After.*RateLimit/);
  const stranger = await ada.with(["Origin", "https://evil.example"]).ask("/cors");
  assert.equal(stranger.header("access-control-allow-origin"), null);
  // where the origin allows nobody, nothing is added
  const bob = await somebody().with(["Origin", APP]).ask("/cors");
  assert.deepEqual([bob.status, bob.header("access-control-expose-headers")], [200, null]);
});

test("a browser gets a page, a script a problem document, and respond overrides both", async () => {
  const ada = somebody();
  await ada.ask("/plain");
  const page = await ada.with(["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"]).ask("/plain");
  assert.equal(page.status, 429);
  assert.equal(page.header("content-type"), "text/html; charset=utf-8");
  assert.match(page.text, /^<!doctype html>/i);
  assert.match(page.header("content-security-policy"), /default-src 'none'/);
  const document = await ada.with(["Accept", "*/*"]).ask("/plain");
  assert.equal(document.header("content-type"), "application/problem+json");
  const { type, title, status, detail, error, retryAfter } = document.json();
  assert.match(type, /#quota-exceeded$/);
  assert.deepEqual([typeof title, status, typeof detail, error], ["string", 429, "string", "rate_limited"]);
  assert.equal(String(retryAfter), document.header("retry-after"));
  await ada.ask("/own");
  const own = await ada.with(["Accept", "text/html"]).ask("/own");
  assert.deepEqual([own.status, own.text, own.header("content-type"), own.header("x-why")], [503, '{"slow":"down"}', "application/json", "busy"]);
  assert.match(own.header("retry-after"), /^\d+$/);
  assert.equal(own.header("cache-control"), "no-store");
});
