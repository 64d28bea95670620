import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProblem } from '../../www/client/replay.js';
import { RateLimitedError } from '../../www/weir-client.js';
import { ok, refused, refusedByWeir, world } from './world.mjs';

const URL_ = 'https://example.test/api/items';

/** Whether a request that was refused once is sent again. */
async function check(replayed, answer, ...request) {
  const w = world([answer, ok()]);
  const { value, error } = await w.outcome(w.client.fetch(...request));
  assert.equal(w.calls.length, replayed ? 2 : 1);
  if (replayed) assert.equal(value.status, 200);
  else assert.ok(error instanceof RateLimitedError);
  for (const call of w.calls) assert.equal(call.init?.body, request[1]?.body, 'the body is the one that was given');
}

const byWeir = refusedByWeir({ retryAfter: 1 });
const byOrigin = refused({ 'retry-after': '1' });

test('idempotent methods are replayed whoever refused', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'get', 'put']) {
    await check(true, byWeir, URL_, { method });
    await check(true, byOrigin, URL_, { method });
  }
});

test('other methods are replayed only if Weir itself refused', async () => {
  for (const method of ['POST', 'PATCH', 'post', 'PURGE']) {
    await check(true, byWeir, URL_, { method });
    await check(true, refusedByWeir({ status: 503, error: 'busy', retryAfter: 1 }), URL_, { method });
    await check(true, refusedByWeir({ status: 503, error: 'unavailable' }), URL_, { method });
    await check(false, byOrigin, URL_, { method });
    await check(false, refused({ 'retry-after': '1' }, 503), URL_, { method });
  }
});

test('what merely looks like a refusal by Weir is not taken for one', async () => {
  const post = { method: 'POST', body: 'x' };
  const answer = (body, type = 'application/problem+json', status = 429) => () =>
    new Response(body, { status, headers: { 'content-type': type } });
  await check(true, answer('{"error":"rate_limited","status":429}'), URL_, post);
  await check(true, answer('{"error":"rate_limited","status":429}', 'Application/Problem+JSON; charset=utf-8'), URL_, post);
  await check(false, answer('{"error":"rate_limited","status":429}', 'application/json'), URL_, post);
  await check(false, answer('{"error":"rate_limited","status":503}'), URL_, post);
  await check(false, answer('{"error":"rate_limited"}'), URL_, post);
  await check(false, answer('{"error":"payment_pending","status":429}'), URL_, post);
  await check(false, answer('{"error":["rate_limited"],"status":429}'), URL_, post);
  for (const body of ['', 'null', '[]', '"rate_limited"', '{"error":"rate_limited","status":429', '{']) {
    await check(false, answer(body), URL_, post);
  }
  await check(false, answer(`{"error":"rate_limited","status":429,"detail":"${'x'.repeat(70_000)}"}`), URL_, post);
});

test('bodies that can be read again are replayed', async () => {
  const form = new FormData();
  form.set('name', 'ann');
  for (const body of ['text', '', new URLSearchParams('a=1'), form, new Blob(['x']), new ArrayBuffer(3), new Uint8Array(3)]) {
    await check(true, byWeir, URL_, { method: 'POST', body });
    await check(true, byOrigin, URL_, { method: 'PUT', body });
  }
});

test('streams are never replayed, not even with an idempotent method', async () => {
  const stream = () => new Blob(['x']).stream();
  await check(false, byWeir, URL_, { method: 'POST', body: stream(), duplex: 'half' });
  await check(false, byWeir, URL_, { method: 'PUT', body: stream(), duplex: 'half' });
  await check(false, byWeir, URL_, { method: 'PUT', body: { async *[Symbol.asyncIterator]() {} }, duplex: 'half' });
  await check(false, byWeir, new Request(URL_, { method: 'PUT', body: 'x' }));
  // Some browsers have no Request.body.
  await check(false, byWeir, { url: URL_, method: 'PUT', signal: null });
});

test('a Request without a body is replayed', async () => {
  await check(true, byOrigin, new Request(URL_));
  await check(true, byOrigin, new Request(URL_, { method: 'DELETE' }));
  await check(true, byOrigin, new Request(URL_, { method: 'POST' }), { method: 'PUT', body: 'x' });
  await check(true, byOrigin, new URL(URL_));
});

test('an answer that is waited upon gives its connection back', async () => {
  let cancelled = 0;
  const body = () => new ReadableStream({ cancel: () => void (cancelled += 1) });
  const w = world([() => new Response(body(), { status: 429 }), ok()]);
  await w.outcome(w.client.fetch(URL_));
  assert.equal(cancelled, 1);
});

test('a refusal whose document never ends is a refusal without one', async () => {
  const head = new TextEncoder().encode('{"error":"rate_limited","status":429');
  const body = new ReadableStream({ start: (controller) => controller.enqueue(head) });
  const response = new Response(body, { status: 429, headers: { 'content-type': 'application/problem+json' } });
  assert.equal(await readProblem(response, 20), null);
  // The caller may still read what there is of it.
  assert.deepEqual((await response.body.getReader().read()).value, head);
});
