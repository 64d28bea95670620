// A flood: refused from memory, with answers that are right all the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { value } from "./lib/exposition.mjs";
import { operated } from "./lib/operated.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const limit = (fields) => ({ name: "ip", key: ["ip"], algorithm: "token-bucket", quota: 1, window: "1s", ...fields });

test("a unit that comes back is asked for by one request, however many want it", async (t) => {
  const { from, metrics, origin } = await operated(t, { policy: oneRule({ limits: [limit({})] }) });
  const bot = from("192.0.2.1");
  const AT_ONCE = 24;
  let passed = 0;
  while (passed < 5) passed += statuses(await bot.askAtOnce(AT_ONCE, "/"))[200] ?? 0;
  assert.equal((await origin.records()).length, passed);
  const calls = value(await metrics(), "weir_object_calls_total", { kind: "charge" });
  // Whoever came first asked without knowing anything; then a unit costs the call that gets it, and
  // at most a few that find nothing left.
  assert.ok(calls <= AT_ONCE + 4 * passed, `${calls} calls for ${passed} units`);
});

test("refusals of one flood say to each what it asked for", async (t) => {
  const rules = ["/a", "/b"].map((path) => ({ name: path.slice(1), match: { path }, limits: [limit({ window: "60s" })] }));
  rules[1].respond = { status: 420, body: "calm down", content_type: "text/plain", headers: { "X-Why": "b" } };
  const { from } = await stand(t, { policy: { rules } });
  const [ada, bob] = [from("192.0.2.1"), from("192.0.2.2")];
  for (const path of ["/a", "/b"]) assert.equal((await ada.ask(path)).status, 404, "from the origin");
  const html = [["Accept", "text/html"]];
  for (let round = 0; round < 3; round += 1) {
    const plain = await ada.ask("/a");
    assert.equal(plain.status, 429);
    assert.equal(plain.header("content-type"), "application/problem+json");
    assert.equal(plain.json().retryAfter, Number(plain.header("retry-after")));
    assert.deepEqual(plain.json()["violated-policies"], ["a.ip"]);
    assert.match(plain.header("ratelimit"), /^"a\.ip";r=0;t=\d+$/);
    const page = await ada.ask("/a", { headers: html });
    assert.match(page.header("content-type"), /^text\/html/);
    assert.match(page.text, /^<!doctype html>/i);
    assert.ok(page.header("content-security-policy"));
    const head = await ada.ask("/a", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [429, ""]);
    assert.equal(head.header("content-type"), "application/problem+json");
    const own = await ada.ask("/b");
    assert.deepEqual([own.status, own.text, own.header("x-why")], [420, "calm down", "b"]);
  }
  assert.equal((await bob.ask("/a")).status, 404, "another address is not refused for it");
});

test("Retry-After falls with the time, to the second at which a retry succeeds", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [limit({ window: "3s" })] }) });
  const bot = from("192.0.2.1");
  assert.equal((await bot.ask("/")).status, 200);
  const told = [];
  let first;
  for (;;) {
    const answer = await bot.ask("/");
    if (answer.status === 200) break;
    first ??= performance.now();
    told.push([performance.now(), Number(answer.header("retry-after"))]);
  }
  const end = performance.now();
  assert.ok(told.length > 20, `only ${told.length} refusals`);
  for (const [at, seconds] of told) {
    // Rounded up, so never too early, nor later than a second and the width of the request.
    assert.ok(at + seconds * 1000 >= end - 50, `${seconds} s told ${end - at} ms before`);
    assert.ok(at + seconds * 1000 <= end + 1050, `${seconds} s told ${end - at} ms before`);
  }
  assert.deepEqual([...new Set(told.map(([, seconds]) => seconds))], [3, 2, 1]);
});
