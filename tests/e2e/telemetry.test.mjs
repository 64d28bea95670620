// What has been counted stays counted: over silence, kill -9 and several isolates' objects; and how it gets to Analytics Engine.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { value } from "./lib/exposition.mjs";
import { operated } from "./lib/operated.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const LIMIT = { name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 6, window: "60s" };
const policy = oneRule({ limits: [LIMIT] });
const refused = (told) => value(told, "weir_requests_total", { rule: "rule", limit: "ip", outcome: "refused" });

test("counters survive the object leaving memory, and what was told survives kill -9", async (t) => {
  const { weir, from, metrics, operator } = await operated(t, { policy });
  for (let i = 0; i < 10; i += 1) await from("192.0.2.1").ask("/");
  // reported after three seconds, stored after five more; ten idle ones later the object is gone
  await pause(20_000);
  assert.equal(refused(await metrics()), 4);
  for (let i = 0; i < 3; i += 1) await from("192.0.2.1").ask("/");
  const told = await metrics();
  assert.equal(refused(told), 7);
  const live = (await operator.ask("/_weir/live")).json();
  await weir.kill();
  await weir.start();
  const after = await metrics();
  assert.equal(refused(after), 7);
  assert.equal(value(after, "weir_remaining_count", { rule: "rule" }), 13);
  assert.equal(value(after, "weir_telemetry_lost_total"), 0);
  const again = (await operator.ask("/_weir/live")).json();
  const history = ({ rules }) => rules.find(({ rule }) => rule === "rule").coarse.flat().reduce((sum, count) => sum + count);
  assert.equal(history(again), history(live));
});

test("counters never go back while traffic, reading and restarts go on", async (t) => {
  const { weir, from, metrics } = await operated(t, { policy });
  let before = 0;
  for (let round = 0; round < 4; round += 1) {
    for (let i = 0; i < 8; i += 1) await from(`192.0.2.${i + 1}`).ask("/");
    const told = value(await metrics(), "weir_requests_total", { rule: "rule", limit: "ip", outcome: "passed" });
    assert.ok(told > before, `${told} after ${before}`);
    before = told;
    // a new isolate may choose another of the objects
    await (round % 2 ? weir.restart() : weir.kill().then(() => weir.start()));
  }
  assert.equal(before, 8 * 4);
});

test("without a token nobody can read, so nothing is kept", async (t) => {
  const { weir, from } = await stand(t, { policy });
  await from("192.0.2.1").ask("/");
  await pause(4_000);
  await weir.restart({ vars: { ADMIN_TOKEN: "a token for tests" } });
  const operator = from("203.0.113.9").with(["Authorization", "Bearer a token for tests"]);
  const told = await operator.ask("/_weir/live");
  assert.deepEqual(told.json().rules, []);
});

/** What gets the data points of EVENTS: a list of `{ index, blobs, doubles }`, in the order of their coming. */
async function dataset(t) {
  const points = [];
  const text = (bytes) => bytes && Buffer.from(bytes).toString();
  const all = (point, name) => Array.from({ length: 20 }, (_, i) => point[`${name}${i + 1}`]).filter((value) => value !== undefined);
  const server = createServer(async (request, response) => {
    const point = JSON.parse(Buffer.concat(await Array.fromAsync(request)));
    points.push({ index: text(point.index1), blobs: all(point, "blob").map(text), doubles: all(point, "double") });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const until = async (holds) => {
    for (let waited = 0; !holds(points) && waited < 100; waited += 1) await pause(50);
    return points;
  };
  return { address: `127.0.0.1:${server.address().port}`, points, until };
}

test("EVENTS gets documented fields, at most 25 points of one invocation, and in the end everything", async (t) => {
  const events = await dataset(t);
  const rules = Array.from({ length: 30 }, (_, i) => ({ name: `rule${i}-`.padEnd(64, "x"), match: { path: `/${i}` }, limits: [{ ...LIMIT, quota: 1 }] }));
  const { from, operator } = await operated(t, { policy: { rules }, events });
  for (let i = 0; i < 30; i += 1) await from("192.0.2.1").ask(`/${i}`);
  for (let i = 0; i < 4; i += 1) await from("192.0.2.1").ask("/3");
  // requests that passed, networks, keys near their limit; and of one rule what was refused
  const wanted = 3 * 30 + 2;
  for (let invocations = 1; invocations <= Math.ceil(wanted / 25); invocations += 1) {
    await operator.ask("/_weir/status");
    await events.until(({ length }) => length >= Math.min(wanted, 25 * invocations));
  }
  assert.equal(events.points.length, wanted);
  const of = (kind) => events.points.filter(({ blobs }) => blobs[0] === kind);
  const name = rules[3].name;
  const refusal = of("requests").find(({ blobs }) => blobs[3] === "refused");
  assert.deepEqual([refusal.index, refusal.blobs, refusal.doubles[0]], [name, ["requests", name, "ip", "refused", ""], 4]);
  const [key] = of("key").filter(({ blobs }) => blobs[3] === "refused");
  assert.match(key.blobs[4], /^[A-Za-z0-9_-]{22}$/);
  assert.deepEqual([key.blobs.slice(1, 4), key.doubles[0]], [[name, "ip", "refused"], 4]);
  const [network] = of("network").filter(({ doubles }) => doubles[1] > 0);
  assert.deepEqual([network.blobs, network.doubles.slice(0, 2)], [["network", name, "0", ""], [1, 4]]);
  assert.doesNotMatch(JSON.stringify(events.points), /192\.0\.2/);
  for (const { index, blobs } of events.points) {
    assert.ok(Buffer.byteLength(index) <= 96 && blobs.length <= 20 && Buffer.byteLength(blobs.join("")) <= 16384, JSON.stringify(blobs));
  }
});

test("EVENTS alone is reason enough to count, and the first thing it hears of is the flush behind a request", async (t) => {
  const events = await dataset(t);
  const { from } = await stand(t, { policy, events });
  await from("192.0.2.1").ask("/");
  const [point] = await events.until(({ length }) => length > 0);
  assert.deepEqual(point?.blobs, ["requests", "rule", "ip", "passed", ""]);
});

test("without its objects nothing is told that would look as if counters had gone back", async (t) => {
  const { weir, from, metrics, operator } = await operated(t, { policy });
  for (let i = 0; i < 8; i += 1) await from("192.0.2.1").ask("/");
  assert.equal(refused(await metrics()), 2);
  await weir.restart({ telemetry: "throws" });
  assert.equal((await from("198.51.100.1").ask("/")).status, 200);
  for (const page of ["metrics", "live"]) {
    const answer = await operator.ask(`/_weir/${page}`);
    assert.equal(answer.status, 503, page);
    assert.equal(answer.json().error, "unavailable");
  }
  const status = (await operator.ask("/_weir/status")).json();
  assert.match(status.warnings.join(), /TELEMETRY cannot be reached/);
  await weir.restart({ telemetry: true });
  assert.equal(refused(await metrics()), 2);
});

test("without the binding an isolate shows what it has counted itself", async (t) => {
  const { from, metrics } = await operated(t, { policy, telemetry: false });
  for (let i = 0; i < 8; i += 1) await from("192.0.2.1").ask("/");
  assert.equal(refused(await metrics()), 2);
  await from("192.0.2.1").ask("/");
  assert.equal(refused(await metrics()), 3);
});
