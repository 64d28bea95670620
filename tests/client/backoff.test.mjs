import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { RateLimitedError, createClient } from '../../www/weir-client.js';
import { START, ok, refused, refusedByWeir, world } from './world.mjs';

const URL_ = 'https://example.test/api/items?page=2';
const DAY_MS = 86_400_000;
const httpDate = (ms) => new Date(ms).toUTCString();

// Seen in several clients: a Retry-After beyond 32 bits of milliseconds fired at once, a date became NaN and no delay at
// all, a missing field counted as 0, and equal waits brought everybody back in the same instant.
const TABLE = [
  // Retry-After, least gap, largest gap without the spread
  ['2', 2_000, 2_000],
  ['0', 250, 250],
  ['-5', 1_000, 1_000],
  ['2.5', 2_500, 2_500],
  ['9999999999', DAY_MS, DAY_MS],
  ['', 1_000, 1_000],
  ['soon', 1_000, 1_000],
  [httpDate(START + 3_000), 3_000, 3_000],
  [httpDate(START - 3_000), 1_000, 1_000],
  [null, 1_000, 1_000],
];

for (const [value, least, most] of TABLE) {
  test(`Retry-After ${JSON.stringify(value)}: the gap is at least ${least} ms and bounded`, async () => {
    for (const random of [0, 0.5, 0.999999]) {
      const w = world([refused(value === null ? {} : { 'retry-after': value }), ok()], { random: () => random });
      const { value: response } = await w.outcome(w.client.fetch(URL_));
      assert.equal(response.status, 200);
      const [gap] = w.gaps();
      assert.ok(gap > least, `${gap} ms is before its time, or on the very instant of everybody else`);
      assert.ok(gap <= most + Math.max(500, Math.min(most / 2, 30_000)) + 5, `${gap} ms is not bounded`);
      assert.ok(gap < 2 ** 31 - 1);
    }
  });
}

test('100 clients that were given the same "2" come back over more than 0.3 s, none of them early', async () => {
  const gaps = [];
  for (let i = 0; i < 100; i += 1) {
    const w = world([refused({ 'retry-after': '2' }), ok()], { random: Math.random });
    await w.outcome(w.client.fetch(URL_));
    gaps.push(...w.gaps());
  }
  assert.equal(gaps.length, 100);
  assert.ok(Math.min(...gaps) >= 2_000);
  assert.ok(Math.max(...gaps) - Math.min(...gaps) >= 300);
});

test('without a hint the gap doubles from 1 s, and after three retries there is a typed error', async () => {
  const w = world([refused()], { random: () => 0 });
  const { error } = await w.outcome(w.client.fetch(URL_));
  assert.deepEqual(w.gaps(), [1_005, 2_005, 4_005]);
  assert.ok(error instanceof RateLimitedError && error instanceof Error);
  assert.equal(error.name, 'RateLimitedError');
  assert.equal(error.attempts, 4);
  assert.equal(error.retryAfter, 8);
  assert.equal(error.code, null);
  assert.deepEqual(error.policies, []);
  assert.equal(await error.response.text(), 'no');
  assert.equal(w.timers.size, 0);
});

test('without a hint the gap stops doubling at 30 s', async () => {
  const w = world([refused({}, 503)], { random: () => 0, maxRetries: 8 });
  await w.outcome(w.client.fetch(URL_));
  assert.deepEqual(w.gaps(), [1_005, 2_005, 4_005, 8_005, 16_005, 30_005, 30_005, 30_005]);
});

test('a server that repeats "0" is asked ever less often', async () => {
  const w = world([refused({ 'retry-after': '0' })], { random: () => 0 });
  await w.outcome(w.client.fetch(URL_));
  assert.deepEqual(w.gaps(), [255, 505, 1_005]);
});

test('the error of a refusal by Weir carries its code, its policies and its figure', async () => {
  const w = world([refusedByWeir({ retryAfter: 7, policies: ['items.ip', 'items.key'] })], { maxRetries: 0 });
  const { error } = await w.outcome(w.client.fetch(URL_));
  assert.equal(error.code, 'rate_limited');
  assert.equal(error.retryAfter, 7);
  assert.deepEqual(error.policies, ['items.ip', 'items.key']);
  assert.equal((await error.response.json()).error, 'rate_limited');
  assert.match(error.message, /items\.ip, items\.key.*429.*7 s/);
});

test('where Retry-After is missing, the figure comes from the problem document or the RateLimit fields', async () => {
  const check = async (answer, gap) => {
    const w = world([answer, ok()], { random: () => 0 });
    await w.outcome(w.client.fetch(URL_));
    assert.deepEqual(w.gaps(), [gap + 5]);
  };
  await check(refusedByWeir({ retryAfter: 9, headers: { 'retry-after': 'soon' } }), 9_000);
  await check(refused({ ratelimit: '"a";r=0;t=5, "b";r=0;t=8, "c";r=3;t=90' }), 8_000);
  await check(refused({ 'ratelimit-remaining': '0', 'ratelimit-reset': '6' }), 6_000);
  await check(refused({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' }), 4_000);
  await check(refused({ 'retry-after': '3', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' }), 3_000);
});

test('maxWaitMs: a wait that would take too long is not begun', async () => {
  const w = world([refused({ 'retry-after': '60' })], { maxWaitMs: 30_000 });
  const { error } = await w.outcome(w.client.fetch(URL_));
  assert.equal(error.retryAfter, 60);
  assert.equal(error.attempts, 1);
  assert.equal(await error.response.text(), 'no');
  assert.equal(w.calls.length, 1);
});

test('onWait is told of each wait before it begins', async () => {
  const w = world([refusedByWeir({ retryAfter: 2, policies: ['a'] }), ok()]);
  const waits = [];
  await w.outcome(w.client.fetch(URL_, {}, { onWait: (wait) => waits.push(wait) }));
  assert.deepEqual(waits, [{ delayMs: 2_505, retryAfter: 2, attempts: 1, policies: ['a'] }]);
});

test('aborting cancels the timer, removes the listener, and rejects with the reason', async () => {
  const w = world([refused({ 'retry-after': '60' })]);
  const controller = new AbortController();
  const promise = w.client.fetch(URL_, { signal: controller.signal });
  await w.waiting();
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
  const reason = new Error('left the page');
  controller.abort(reason);
  await assert.rejects(promise, (error) => error === reason);
  assert.equal(w.timers.size, 0);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  assert.equal(w.calls.length, 1);
});

test('a wait that ends by itself leaves no listener; a signal aborted before sends nothing', async () => {
  const w = world([refused(), ok()]);
  const { signal } = new AbortController();
  await w.outcome(w.client.fetch(URL_, { signal }));
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const { error } = await w.outcome(w.client.fetch(URL_, { signal: AbortSignal.abort() }));
  assert.equal(error.name, 'AbortError');
  assert.equal(w.calls.length, 2);
});

test('the signal of a Request counts too', async () => {
  const w = world([refused()]);
  const controller = new AbortController();
  const promise = w.client.fetch(new Request(URL_, { signal: controller.signal }));
  await w.waiting();
  controller.abort();
  await assert.rejects(promise, { name: 'AbortError' });
  assert.equal(w.timers.size, 0);
});

test('a failing network, and any status but 429 and 503, is passed on and not retried', async () => {
  const broken = new TypeError('fetch failed');
  const w = world([() => Promise.reject(broken), ...[200, 204, 301, 404, 500, 502, 504].map((status) => () => new Response(null, { status }))]);
  assert.equal((await w.outcome(w.client.fetch(URL_))).error, broken);
  for (const status of [200, 204, 301, 404, 500, 502, 504]) {
    assert.equal((await w.outcome(w.client.fetch(URL_))).value.status, status);
  }
  assert.equal(w.calls.length, 8);
});

test('a clock that stands still does not keep a call waiting for ever', async () => {
  const gaps = [];
  const client = createClient({
    now: () => START,
    random: () => 0,
    setTimeout: (run, ms) => (gaps.push(ms), queueMicrotask(run)),
    fetch: async () => refused({ 'retry-after': '1' })(),
  });
  await assert.rejects(client.fetch(URL_), RateLimitedError);
  assert.deepEqual(gaps, [1_005, 1_005, 1_005]);
});

test('options out of range are refused by name', () => {
  const check = (options, name) => assert.throws(() => createClient(options), (error) => error instanceof RangeError && error.message.startsWith(name));
  for (const maxRetries of [-1, 1.5, 11, Infinity, NaN, '3']) check({ maxRetries }, 'maxRetries');
  for (const maxWaitMs of [-1, NaN]) check({ maxWaitMs }, 'maxWaitMs');
  for (const maxDelayMs of [0, 2 ** 31, Infinity, NaN]) check({ maxDelayMs }, 'maxDelayMs');
  createClient({ maxRetries: undefined, maxWaitMs: 0, maxDelayMs: 1000 });
});
