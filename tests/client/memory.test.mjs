import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockMemory } from '../../www/client/memory.js';
import { RateLimitedError, createClient } from '../../www/weir-client.js';
import { START, ok, refused, refusedByWeir, world } from './world.mjs';

const A = 'https://example.test/a';
const B = 'https://example.test/b';

test('a call made while another is refused waits for the same moment without being sent', async () => {
  const w = world([refused({ 'retry-after': '10' }), ok()]);
  const first = w.client.fetch(A);
  await w.waiting();
  const others = [1, 2, 3].map((page) => w.client.fetch(`${A}?page=${page}`));
  await w.outcome(Promise.all([first, ...others]));
  assert.equal(w.calls.length, 5);
  for (const call of w.calls.slice(1)) assert.ok(call.at > START + 10_000);
});

test('a block outlives the call that learned it', async () => {
  const w = world([refused({ 'retry-after': '10' }), ok()], { maxRetries: 0 });
  assert.ok((await w.outcome(w.client.fetch(A))).error instanceof RateLimitedError);
  assert.equal(w.client.waitTime(A), 10_000);
  w.pass(4_000);
  assert.equal(w.client.waitTime(A), 6_000);
  const { error } = await w.outcome(w.client.fetch(A, {}, { maxWaitMs: 1_000 }));
  assert.equal(error.retryAfter, 6);
  assert.equal(error.attempts, 0);
  assert.equal(error.response, null);
  assert.match(error.message, /not sent/);
  assert.equal(w.calls.length, 1);
  assert.equal((await w.outcome(w.client.fetch(A))).value.status, 200);
  assert.ok(w.calls[1].at > START + 10_000);
});

test('other paths, methods and origins are not held back by a refusal that names no policy they share', async () => {
  const w = world([refused({ 'retry-after': '10' }), ok()], { maxRetries: 0 });
  await w.outcome(w.client.fetch(A));
  assert.equal(w.client.waitTime(`${A}?other=query#part`), 10_000);
  assert.equal(w.client.waitTime(A, { method: 'HEAD' }), 10_000);
  assert.equal(w.client.waitTime(A, { method: 'POST' }), 0);
  assert.equal(w.client.waitTime(B), 0);
  assert.equal(w.client.waitTime('https://example.test:8443/a'), 0);
});

test('a path that spends the same quota is held back, for as long as that quota is spent', async () => {
  const policy = { 'ratelimit-policy': '"shared";q=5;w=60, "own";q=5;w=60' };
  const w = world(
    [
      ok({ 'ratelimit-policy': '"shared";q=5;w=60' }),
      refusedByWeir({
        retryAfter: 30,
        policies: ['shared', 'own'],
        headers: { ...policy, ratelimit: '"shared";r=0;t=5, "own";r=0;t=30' },
      }),
    ],
    { maxRetries: 0 },
  );
  await w.outcome(w.client.fetch(B));
  await w.outcome(w.client.fetch(A));
  assert.equal(w.client.waitTime(A), 30_000);
  assert.equal(w.client.waitTime(B), 5_000);
  assert.equal(w.client.waitTime('https://other.test/b'), 0);
});

test('an answer that spends the last of a quota holds the next call back until its reset', async () => {
  const check = async (headers, expected) => {
    const w = world([ok(headers)]);
    await w.outcome(w.client.fetch(A));
    assert.equal(w.client.waitTime(A), expected);
  };
  await check({ ratelimit: '"a";r=0;t=5' }, 5_000);
  await check({ ratelimit: '"a";r=1;t=5' }, 0);
  await check({ ratelimit: '"a";r=0' }, 0);
  await check({ 'ratelimit-remaining': '0', 'ratelimit-reset': '5' }, 5_000);
  await check({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 5_000);
  await check({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999' }, 86_400_000);
});

test('refusals of calls that were under way together count as one', async () => {
  const w = world([refused()], { maxRetries: 0 });
  await Promise.allSettled(Array.from({ length: 10 }, () => w.client.fetch(A)));
  assert.equal(w.client.waitTime(A), 1_000);
});

test('refusals in a row without a hint double the wait, across calls, until one passes', async () => {
  const w = world([refused(), refused(), ok(), refused()], { maxRetries: 0 });
  const next = async () => {
    await w.outcome(w.client.fetch(A));
    return w.client.waitTime(A);
  };
  assert.deepEqual([await next(), await next(), await next(), await next()], [1_000, 2_000, 0, 1_000]);
});

test('a success that was under way before a refusal does not lift the block', async () => {
  let answer;
  const w = world([() => new Promise((resolve) => (answer = resolve)), refused({ 'retry-after': '10' })], { maxRetries: 0 });
  const slow = w.client.fetch(A);
  await w.outcome(w.client.fetch(A));
  answer(ok()());
  await slow;
  assert.equal(w.client.waitTime(A), 10_000);
});

test('an earlier end does not replace a later one', () => {
  const memory = new BlockMemory(10);
  const route = { key: 'GET https://example.test/a', origin: 'https://example.test' };
  memory.blockRoute(route, 10_000, START);
  memory.blockRoute(route, 2_000, START + 1_000);
  assert.equal(memory.remaining(route, START + 1_000), 9_000);
  memory.blockRoute(route, 20_000, START + 1_000);
  assert.equal(memory.remaining(route, START + 1_000), 20_000);
});

test('only a success of a call sent after the block ends the row of refusals', () => {
  const memory = new BlockMemory(10);
  const route = { key: 'GET https://example.test/a', origin: 'https://example.test' };
  assert.equal(memory.refused(route, START, START), 1);
  memory.blockRoute(route, 1_000, START);
  memory.passed(route, START - 500);
  assert.equal(memory.refused(route, START + 1_000, START + 1_100), 2);
  memory.blockRoute(route, 2_000, START + 1_100);
  memory.passed(route, START + 3_100);
  assert.equal(memory.refused(route, START + 3_200, START + 3_200), 1);
});

test('a clock that is set back does not prolong a block', () => {
  const memory = new BlockMemory(10);
  const route = { key: 'GET https://example.test/a', origin: 'https://example.test' };
  memory.blockRoute(route, 2_000, START);
  assert.equal(memory.remaining(route, START + 500), 1_500);
  assert.equal(memory.remaining(route, START - 3_600_000), 2_000);
});

test('a wall clock that is set, either way, neither shortens a block nor prolongs it', async (t) => {
  let wall = START;
  t.mock.method(Date, 'now', () => wall);
  const client = createClient({ fetch: async () => refused({ 'retry-after': '600' })(), maxRetries: 0 });
  await assert.rejects(client.fetch(A), RateLimitedError);
  for (const shift of [3_600_000, -3_600_000]) {
    wall = START + shift;
    const left = client.waitTime(A);
    assert.ok(left > 590_000 && left <= 600_000, `${left} ms`);
    await assert.rejects(client.fetch(A, {}, { maxWaitMs: 0 }), (error) => error.attempts === 0);
  }
});

test('a date without a clock beside it is read by the wall clock', async (t) => {
  const wall = START + 86_400_000;
  t.mock.method(Date, 'now', () => wall);
  const headers = { 'retry-after': new Date(wall + 5_000).toUTCString() };
  const client = createClient({ fetch: async () => refused(headers)(), maxRetries: 0 });
  await assert.rejects(client.fetch(A), (error) => error.retryAfter === 5);
});

test('the memory is bounded, and forgets what blocks nothing before what does', () => {
  const memory = new BlockMemory(100);
  const route = (i) => ({ key: `GET https://example.test/${i}`, origin: 'https://example.test' });
  memory.blockRoute(route('blocked'), 60_000, START);
  for (let i = 0; i < 1_000; i += 1) {
    memory.learn(route(i), [`policy-${i}`], START);
    memory.blockPolicy(route(i), `policy-${i}`, 1, START);
  }
  assert.equal(memory.size, 200);
  assert.equal(memory.remaining(route('blocked'), START), 60_000);
  for (let i = 0; i < 1_000; i += 1) memory.blockRoute(route(i), 60_000, START);
  assert.equal(memory.size, 200);
});
