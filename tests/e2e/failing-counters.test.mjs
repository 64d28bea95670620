// Guide 1, G1.7: what happens when the counters cannot be reached.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

const TIMEOUT_MS = 400;
/** What a busy machine may add. */
const SLACK_MS = 1_000;

const policy = (on_error, timeout_ms = TIMEOUT_MS) =>
  oneRule({ on_error, limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 3, window: "60s" }] }, { counter_timeout: `${timeout_ms}ms` });

const objects = (fetch) => `export default () => ({ getByName: () => ({ fetch: async () => { ${fetch} } }) });`;
const error = (flags) => `throw Object.assign(new Error("no counter"), ${JSON.stringify(flags)});`;

const FAILURES = {
  "they throw": objects(error({})),
  "they are overloaded": objects(error({ overloaded: true })),
  "they fail and may be tried again": objects(error({ retryable: true })),
  "they do not answer": objects("return new Promise(() => {});"),
  "they answer nonsense": objects('return new Response(null, { headers: { a: "what?" } });'),
};

async function timed(ask) {
  const begun_ms = performance.now();
  const answer = await ask();
  return { answer, ms: performance.now() - begun_ms };
}

for (const [how, standIn] of Object.entries(FAILURES)) {
  test(`G1.7 counters fail: ${how}`, async (t) => {
    const { weir, from } = await stand(t, { policy: policy("allow"), standIn });
    // the very first request waits for the Worker to start
    assert.equal((await from("192.0.2.1").ask("/")).status, 200, "allow");
    const open = await timed(() => from("198.51.100.1").ask("/"));
    assert.equal(open.answer.status, 200, "allow");
    assert.ok(open.ms < TIMEOUT_MS + SLACK_MS, `answered after ${open.ms} ms`);
    assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(6, "/")), { 200: 6 }, "allow");

    await weir.restart({ policy: policy("deny") });
    assert.equal((await from("192.0.2.1").ask("/")).status, 503, "deny");
    const closed = await timed(() => from("198.51.100.1").ask("/"));
    assert.equal(closed.answer.status, 503, "deny");
    assert.equal(closed.answer.json().error, "unavailable");
    assert.match(closed.answer.header("retry-after"), /^[1-9]\d*$/);
    assert.ok(closed.ms < TIMEOUT_MS + SLACK_MS, `answered after ${closed.ms} ms`);

    await weir.restart({ policy: policy("local") });
    assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(5, "/")), { 200: 3, 429: 2 }, "local");
  });
}

test("what an isolate counts itself is given back as the answer says", async (t) => {
  const limits = [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 2, window: "60s", count: { status: [401] } }];
  const { origin, from } = await stand(t, { policy: oneRule({ on_error: "local", limits }), standIn: FAILURES["they throw"] });
  const ada = from("192.0.2.1");
  for (let i = 0; i < 5; i += 1) assert.equal((await ada.ask("/")).status, 200, "none of these counts");
  await origin.script({ path: "/wrong", status: 401 });
  for (let i = 0; i < 2; i += 1) assert.equal((await ada.ask("/wrong")).status, 401);
  assert.equal((await ada.ask("/wrong")).status, 429);
});

test("three failures in a row, and an object is left alone", async (t) => {
  const { from } = await stand(t, { policy: policy("allow"), standIn: FAILURES["they do not answer"] });
  const ada = from("192.0.2.1");
  for (let i = 0; i < 3; i += 1) {
    const { answer, ms } = await timed(() => ada.ask("/"));
    assert.equal(answer.status, 200);
    assert.ok(ms > TIMEOUT_MS * 0.9, `waited for the object: ${ms} ms`);
  }
  const { answer, ms } = await timed(() => ada.ask("/"));
  assert.equal(answer.status, 200);
  assert.ok(ms < TIMEOUT_MS * 0.9, `did not wait any more: ${ms} ms`);
});

test("a retryable failure is tried once more, with a fresh stub and under the same id", async (t) => {
  const standIn = `let calls = [];
    export default () => ({
      getByName: () => {
        let used = false;
        return {
          fetch: async (url) => {
            const again = used;
            used = true;
            calls.push(url);
            if (calls.length === 1) ${error({ retryable: true })}
            // as an object answers that has admitted one item and has two units left
            const same = !again && calls.length === 2 && calls[0] === calls[1];
            return new Response(null, { headers: { a: same ? "1c.1~1.2" : "what?" } });
          },
        };
      },
    });`;
  const { from } = await stand(t, { policy: policy("deny", 5_000), standIn });
  assert.equal((await from("192.0.2.1").ask("/")).status, 200);
});

for (const [how, options] of [["that answer", {}], ["that fail", { standIn: FAILURES["they throw"] }]]) {
  test(`an origin that fails is no limiter that fails, with counters ${how}`, async (t) => {
    const body = { max_bytes: 1_000 };
    const open = { ...policy("allow") };
    open.rules = [{ ...open.rules[0], deadline: "500ms", body }];
    open.rules[0].limits[0].quota = 4;
    const { origin, from } = await stand(t, { policy: open, ...options });
    const ada = from("192.0.2.1");
    await origin.script({ path: "/broken", status: 500, body: [{ text: "theirs" }] });
    await origin.script({ path: "/reset", end: "reset", body: [{ text: "half" }, { delay_ms: 50 }] });
    await origin.script({ path: "/late", hold: true });
    const broken = await ada.ask("/broken");
    assert.deepEqual([broken.status, broken.text], [500, "theirs"]);
    const reset = await ada.ask("/reset");
    assert.deepEqual([reset.status, reset.text, reset.whole], [200, "half", false]);
    const late = await ada.ask("/late");
    assert.deepEqual([late.status, late.json().error], [504, "deadline_exceeded"]);
    assert.equal((await ada.ask("/broken")).status, 500);
    // all four were counted where there is a counter, and what needs none holds either way
    assert.equal((await ada.ask("/broken")).status, options.standIn ? 500 : 429);
    const large = await from("192.0.2.2").ask("/broken", { method: "POST", body: Buffer.alloc(1_001) });
    assert.deepEqual([large.status, large.json().error], [413, "body_too_large"]);
  });
}
