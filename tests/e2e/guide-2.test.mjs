// Guide 2, a quiz API: one test for each row of what it asks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { oneRule, passed, refused, stand } from "./lib/stand.mjs";

const QUIZZES = "/api/v1/quizzes";
const KEY = ["header:x-api-key|ip"];
const bucket = (burst, per_second, key = KEY) => ({ name: "key", key, algorithm: "token-bucket", quota: per_second, window: "1s", burst });

/** What a full bucket admits in a burst of this length: its capacity, and what flows in meanwhile. */
function assertBurst(answers, capacity, per_second, elapsed_ms) {
  const most = capacity + Math.floor((elapsed_ms * per_second) / 1000);
  const count = passed(answers);
  assert.ok(count >= capacity && count <= most, `${count} passed, not ${capacity} to ${most}, in ${elapsed_ms} ms`);
  assert.equal(count + refused(answers).length, answers.length);
}

async function timed(ask) {
  const from = performance.now();
  return [await ask, performance.now() - from];
}

test("G2.1 token bucket: a burst takes the capacity and no more, then one a second", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ limits: [bucket(10, 1)] }) });
  const ada = from("192.0.2.1");
  const [answers, elapsed_ms] = await timed(ada.askAtOnce(50, QUIZZES));
  assertBurst(answers, 10, 1, elapsed_ms);
  assert.equal((await origin.records()).length, passed(answers));
  // The burst may have taken so long that a token is back already.
  let refusal = await ada.ask(QUIZZES);
  for (let i = 0; i < 5 && refusal.status === 200; i += 1) refusal = await ada.ask(QUIZZES);
  const wait_s = Number(refusal.header("retry-after"));
  assert.equal(wait_s, 1);
  await pause(wait_s * 1000);
  assert.deepEqual(statuses(await ada.askAtOnce(2, QUIZZES)), { 200: 1, 429: 1 });
});

test("G2.2 sliding window: what is left, and a time to retry that is right", async (t) => {
  const limits = [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 3, window: "2s" }];
  const { from } = await stand(t, { policy: oneRule({ limits }, { headers: ["draft-8"] }) });
  const ada = from("192.0.2.1");
  for (const left of [2, 1, 0]) {
    const answer = await ada.ask(QUIZZES);
    assert.equal(answer.header("ratelimit-policy"), '"rule.ip";q=3;w=2');
    assert.match(answer.header("ratelimit"), new RegExp(`^"rule\\.ip";r=${left};t=[12]$`));
  }
  const answer = await ada.ask(QUIZZES);
  assert.equal(answer.status, 429);
  assert.equal(answer.header("retry-after"), "2");
  assert.equal(answer.header("ratelimit"), '"rule.ip";r=0;t=2');
  await pause(2000);
  assert.equal((await ada.ask(QUIZZES)).status, 200);
});

test("G2.3 the key is the API key, else the address", async (t) => {
  const limits = [{ name: "key", key: KEY, algorithm: "sliding-window", quota: 2, window: "60s" }];
  const { from } = await stand(t, { policy: oneRule({ limits }) });
  const [home, away] = [from("192.0.2.1"), from("198.51.100.1")];
  assert.deepEqual(statuses(await home.with(["X-Api-Key", "a"]).askAtOnce(3, QUIZZES)), { 200: 2, 429: 1 });
  assert.equal((await away.with(["x-api-key", "a"]).ask(QUIZZES)).status, 429);
  assert.equal((await home.with(["X-Api-Key", "b"]).ask(QUIZZES)).status, 200);
  // a key that spells the address is not the address
  assert.equal((await away.with(["X-Api-Key", "192.0.2.1"]).ask(QUIZZES)).status, 200);
  assert.deepEqual(statuses(await home.askAtOnce(3, QUIZZES)), { 200: 2, 429: 1 });
  assert.equal((await away.ask(QUIZZES)).status, 200);
});

test("G2.4 each endpoint has its own limit", async (t) => {
  const rule = (name, path, burst, per_second) => ({ name, match: { path }, limits: [bucket(burst, per_second)] });
  const { from } = await stand(t, {
    policy: {
      rules: [
        rule("quizzes", QUIZZES, 100, 10),
        rule("questions", "/api/v1/questions", 200, 20),
        rule("submit", "/api/v1/quizzes/:id/submit", 10, 1),
      ],
    },
  });
  const ada = from("192.0.2.1").with(["X-Api-Key", "a"]);
  // a rule is one budget, whichever quiz it is
  const submit = (quiz) => ada.askAtOnce(15, `${QUIZZES}/${quiz}/submit`, { method: "POST", body: "{}" });
  const [submits, submitting_ms] = await timed(Promise.all([submit(7), submit(8)]));
  assertBurst(submits.flat(), 10, 1, submitting_ms);
  for (const [target, capacity, per_second] of [[QUIZZES, 100, 10], ["/api/v1/questions", 200, 20]]) {
    const [answers, elapsed_ms] = await timed(ada.askAtOnce(capacity + 60, target));
    assertBurst(answers, capacity, per_second, elapsed_ms);
  }
});

test("G2.5 X-RateLimit fields on every answer, and a JSON body on refusals", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ limits: [bucket(2, 1)] }, { headers: ["x-ratelimit"] }) });
  const ada = from("192.0.2.1");
  for (const left of ["1", "0"]) {
    const answer = await ada.ask(QUIZZES);
    assert.equal(answer.status, 200);
    assert.equal(answer.header("x-ratelimit-limit"), "2");
    assert.equal(answer.header("x-ratelimit-remaining"), left);
  }
  const answer = await ada.ask(QUIZZES);
  assert.equal(answer.status, 429);
  assert.equal(answer.header("x-ratelimit-limit"), "2");
  assert.equal(answer.header("x-ratelimit-remaining"), "0");
  assert.equal(answer.header("retry-after"), "1");
  assert.equal(answer.header("content-type"), "application/problem+json");
  const body = answer.json();
  assert.equal(body.error, "rate_limited");
  assert.equal(body.status, 429);
  assert.equal(body.retryAfter, 1);
  assert.equal(typeof body.message, "string");
});
