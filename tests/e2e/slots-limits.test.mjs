// Slots beside limits and deadlines: who is refused a slot has spent nothing, and restarts heal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "./lib/client.mjs";
import { untilCounts } from "./lib/counts.mjs";
import { NOTHING, begin } from "./lib/live.mjs";
import { oneRule, stand as standIn } from "./lib/stand.mjs";

// a machine that is busy with other things is not an object that fails
const stand = (t, { policy, ...rest }) => standIn(t, { policy: { counter_timeout: "5s", ...policy }, ...rest });

const QUOTA = { name: "ip", key: ["ip"], quota: 10, window: "1h", algorithm: "sliding-window" };

test("who waits in vain or leaves the queue has spent nothing, whoever runs has", async (t) => {
  const policy = oneRule({ limits: [QUOTA], concurrency: [{ name: "one", key: [], running: 1, waiting: 1, max_wait: "1500ms" }] });
  const { origin, weir, from } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/held", hold: true });
  await origin.script({ path: "/next" });
  const left = async () => /r=(\d+);/.exec((await from("192.0.2.1").ask("/next")).header("ratelimit"))[1];
  assert.equal(await left(), "9");
  await begin(weir, "/held");
  await origin.until({ held_min: 1 });
  // waits longer than a charge stays open without a word
  const waits = await begin(weir, "/held");
  await untilCounts(weir, { running: 1, waiting: 1 });
  assert.equal((await (await begin(weir, "/held")).answer).status, 429, "full");
  assert.equal((await waits.answer).status, 429, "timed out");
  const leaves = await begin(weir, "/held");
  await untilCounts(weir, { running: 1, waiting: 1 });
  leaves.connection.reset();
  await untilCounts(weir, { running: 1, waiting: 0 });
  const succeeds = await begin(weir, "/next");
  await untilCounts(weir, { running: 1, waiting: 1 });
  await origin.release();
  assert.equal((await succeeds.answer).status, 200);
  await untilCounts(weir, NOTHING);
  // 10, less the first, the one held, the one that waited and ran, and this one
  assert.equal(await left(), "6");
  assert.equal((await origin.records("/held")).length, 1);
});

test("a body that takes its time leaves charges that can still be taken back", async (t) => {
  const policy = oneRule({
    limits: [QUOTA],
    body: { max_bytes: "1KiB" },
    concurrency: [{ name: "one", key: [], running: 1 }],
  });
  const { origin, weir, from } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/held", hold: true });
  await origin.script({ path: "/next" });
  await begin(weir, "/held");
  await origin.until({ held_min: 1 });
  const slow = await connect(weir.port);
  slow.write("POST /next HTTP/1.1\r\nHost: weir.test\r\nCF-Connecting-IP: 192.0.2.1\r\nContent-Length: 20\r\n\r\n");
  await slow.trickle(Buffer.alloc(20, "x"), { every_ms: 60 });
  assert.equal((await slow.response()).status, 429);
  slow.close();
  await origin.release();
  await untilCounts(weir, NOTHING);
  assert.match((await from("192.0.2.1").ask("/next")).header("ratelimit"), /r=8;/);
});

test("G3.7 a deadline ends what runs, frees its slot and does not count the wait", async (t) => {
  const policy = oneRule({ deadline: "600ms", concurrency: [{ name: "one", key: [], running: 1, waiting: 2 }] });
  const { origin, weir } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/stalls", hold: true });
  await origin.script({ path: "/runs", delay_ms: 300 });
  const stalls = [await begin(weir, "/stalls")];
  await untilCounts(weir, { running: 1, waiting: 0 });
  stalls.push(await begin(weir, "/stalls"));
  await untilCounts(weir, { running: 1, waiting: 1 });
  const runs = await begin(weir, "/runs");
  for (const { answer } of stalls) {
    const { status, response } = await answer;
    assert.deepEqual([status, response.json().error], [504, "deadline_exceeded"]);
  }
  // it waited for twice the deadline, and then took half of it
  const { status, ms } = await runs.answer;
  assert.equal(status, 200);
  assert.ok(ms > 1200, `${ms} ms`);
  await untilCounts(weir, NOTHING);
  const ends = (await origin.records("/stalls")).map(({ aborted }) => aborted);
  assert.deepEqual(ends, [true, true], "the origin's work is cancelled");
});

test("G3.11 a stalled origin and a full queue stop one tenant and no other, and it recovers", async (t) => {
  const policy = oneRule({ deadline: "1s", concurrency: [{ name: "tenant", key: ["header:x-tenant"], running: 2, waiting: 5, max_wait: "5s" }] });
  const { origin, weir, from } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/ok" });
  await origin.script({ path: "/stalls", hold: true });
  const of = (name) => from("192.0.2.1").with(["X-Tenant", name]);
  for (const [count, refused] of [[7, 0], [8, 1], [12, 5]]) {
    const stalled = of("acme").askAtOnce(count, "/stalls");
    await untilCounts(weir, { running: 2, waiting: 5 });
    for (let n = 0; n < 5; n += 1) assert.equal((await of("globex").ask("/ok")).status, 200);
    const codes = (await stalled).map(({ status }) => status);
    assert.equal(codes.filter((status) => status === 429).length, refused, `${count}: ${codes}`);
    assert.equal(codes.filter((status) => status === 504).length, 7, `${count}: ${codes}`);
  }
  await untilCounts(weir, NOTHING);
  assert.equal((await of("acme").ask("/ok")).status, 200);
});

test("without its objects a rule's on_error decides", async (t) => {
  const policy = { rules: ["allow", "local", "deny"].map((on_error) => ({
    name: on_error, match: { path: `/${on_error}` }, on_error, concurrency: [{ name: "one", key: [], running: 1, waiting: 5, status: 503 }],
  })) };
  const { origin, weir } = await stand(t, { policy, counters: false });
  const expected = { allow: [200, 200, "-"], local: [200, 503, "busy"], deny: [503, 503, "unavailable"] };
  for (const [path, [first, second, code]] of Object.entries(expected)) {
    await origin.script({ path: `/${path}`, hold: true });
    // twice: what was held in the first round has been given back in the second
    for (const round of [1, 2]) {
      const one = await begin(weir, `/${path}`);
      if (first === 200) await origin.until({ held_min: 1 });
      const two = await begin(weir, `/${path}`);
      if (second === 200) await origin.until({ held_min: 2 });
      else assert.equal((await two.answer).response.json().error, code);
      await origin.release();
      assert.deepEqual([(await one.answer).status, (await two.answer).status], [first, second], `${path}, round ${round}`);
    }
  }
});

test("after kill -9 the slots of those who ran come back by lease, and nobody runs twice", async (t) => {
  const policy = oneRule({ concurrency: [{ name: "one", key: [], running: 1 }] });
  const { origin, weir, from } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/held", hold: true });
  await origin.script({ path: "/next" });
  await begin(weir, "/held");
  await origin.until({ held_min: 1 });
  // only what has run for a while is written down
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await weir.kill();
  await weir.start();
  await untilCounts(weir, { running: 1, waiting: 0 });
  assert.equal((await from("192.0.2.1").ask("/next")).status, 429);
  const from_ms = performance.now();
  await untilCounts(weir, NOTHING, 40_000);
  t.diagnostic(`free ${((performance.now() - from_ms) / 1000).toFixed(1)} s after the restart`);
  assert.equal((await from("192.0.2.1").ask("/next")).status, 200);
});
