import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ok, refused, refusedByWeir, world } from './world.mjs';

const URL_ = 'https://example.test/api/usernames/available';
const json = (body) => ok({ 'content-type': 'application/json' }, body);

async function check(expected, answer) {
  const w = world([answer]);
  const { value, error } = await w.outcome(w.client.checkAvailability(URL_, 'ann'));
  assert.equal(error, undefined);
  assert.strictEqual(value, expected);
  assert.equal(w.calls.length, 1, 'a check is never retried');
  assert.equal(w.timers.size, 0);
}

test('true and false are what the server says', async () => {
  await check(true, json('{"available":true}'));
  await check(false, json('{"available":false}'));
});

test('everything else is unknown, and never "taken"', async () => {
  for (const body of ['', '{}', 'null', '[]', 'false', '{"available":"false"}', '{"available":0}', '<html>']) await check(null, json(body));
  await check(null, refusedByWeir({ retryAfter: 5 }));
  await check(null, refused({}, 503));
  for (const status of [204, 400, 401, 404, 409, 500, 502, 504]) {
    await check(null, () => new Response(status === 204 ? null : '{"available":false}', { status }));
  }
  await check(null, () => Promise.reject(new TypeError('offline')));
});

test('the value is one query parameter, whatever it contains', async () => {
  const w = world([json('{"available":true}')]);
  await w.client.checkAvailability(`${URL_}?site=1`, 'a&u=b #é');
  await w.client.checkAvailability(new URL(URL_), 'ann', { parameter: 'name' });
  assert.deepEqual(
    w.calls.map(({ input }) => input),
    [`${URL_}?site=1&u=a%26u%3Db+%23%C3%A9`, `${URL_}?name=ann`],
  );
});

test('no check is sent before Retry-After is over', async () => {
  const w = world([refusedByWeir({ retryAfter: 5 }), json('{"available":true}')]);
  assert.equal(await w.client.checkAvailability(URL_, 'a'), null);
  w.pass(4_999);
  assert.equal(await w.client.checkAvailability(URL_, 'an'), null);
  assert.equal(w.calls.length, 1);
  w.pass(1);
  assert.equal(await w.client.checkAvailability(URL_, 'ann'), true);
});

test('a stale check rejects with the reason of its signal and leaves nothing behind', async () => {
  const hang = ({ init }) => new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)));
  const w = world([hang]);
  const controller = new AbortController();
  const stale = w.client.checkAvailability(URL_, 'ann', { signal: controller.signal });
  await w.waiting();
  controller.abort();
  await assert.rejects(stale, { name: 'AbortError' });
  assert.equal(w.timers.size, 0);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  await assert.rejects(w.client.checkAvailability(URL_, 'ann', { signal: controller.signal }), { name: 'AbortError' });
  assert.equal(w.calls.length, 1);
});

test('a check that gets no answer is unknown after its time', async () => {
  const hang = ({ init }) => new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(init.signal.reason)));
  const w = world([hang]);
  const start = w.now();
  const { value } = await w.outcome(w.client.checkAvailability(URL_, 'ann', { timeoutMs: 700 }));
  assert.strictEqual(value, null);
  assert.equal(w.now() - start, 700);
});
