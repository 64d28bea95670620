import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHttpDate, parseItems, readLimits, retryAfterMs } from '../../www/client/hints.js';
import { START } from './world.mjs';

const httpDate = (ms) => new Date(ms).toUTCString();

test('Retry-After is read as RFC 9110 has it, and what is unreadable is no hint', () => {
  const check = (value, expected, date = null) =>
    assert.equal(retryAfterMs(value, date, START), expected, `Retry-After: ${value}, Date: ${date}`);
  check('2', 2_000);
  check(' 2 ', 2_000);
  check('0', 0);
  check('2.5', 2_500);
  check('0.0001', 1);
  check('9999999999', 9_999_999_999_000);
  check('9'.repeat(400), Infinity);
  check('2, 3', 3_000);
  check('10,0', 10_000);
  for (const text of [null, '', '-5', '+5', 'soon', '2s', '2,', '2, soon', ',2', '1e3', '0x10', 'NaN', 'Infinity', '9'.repeat(9000)]) {
    check(text, null);
  }
  check(httpDate(START + 3_000), 3_000);
  check(httpDate(START), null);
  check(httpDate(START - 60_000), null);
  // The server's clock is an hour behind this one, or ahead of it: what counts is the difference on its own clock.
  check(httpDate(START - 3_600_000 + 3_000), 3_000, httpDate(START - 3_600_000));
  check(httpDate(START + 3_600_000 + 3_000), 3_000, httpDate(START + 3_600_000));
  check(httpDate(START + 3_000), 3_000, 'yesterday');
});

test('the three forms of an HTTP-date are read, and all of them as UTC', () => {
  const moment = Date.UTC(1994, 10, 6, 8, 49, 37);
  const check = (text, expected) => assert.equal(parseHttpDate(text, START), expected, text);
  check('Sun, 06 Nov 1994 08:49:37 GMT', moment);
  check('Sunday, 06-Nov-94 08:49:37 GMT', moment);
  check('Sun Nov  6 08:49:37 1994', moment);
  check('Friday, 06-Nov-76 08:49:37 GMT', Date.UTC(2076, 10, 6, 8, 49, 37));
  check('Sun, 06 Nov 1994 08:49:37 CET', null);
  check('Sun, 06 Foo 1994 08:49:37 GMT', null);
  check('1994-11-06T08:49:37Z', null);
});

test('structured fields are read with quotes and parameters, or not at all', () => {
  const check = (field, expected) =>
    assert.deepEqual(parseItems(field).map(({ name, parameters }) => [name, Object.fromEntries(parameters)]), expected, field);
  check('"a.ip";r=0;t=5', [['a.ip', { r: '0', t: '5' }]]);
  check('"a";r=1;t=5, "b, c;d";r=2', [['a', { r: '1', t: '5' }], ['b, c;d', { r: '2' }]]);
  check('token;q=10;w=60;pk=:c2VjcmV0:', [['token', { q: '10', w: '60', pk: ':c2VjcmV0:' }]]);
  check('"say \\"hi\\"";flag;note="x;r=9"', [['say "hi"', { flag: '', note: 'x;r=9' }]]);
  for (const field of [null, '', ' ', '"a', '"a";;r=1', '"a" "b"', '"a";r=1,', ',"a"', '5;r=1', '"a";R=1']) check(field, []);
  check(`"${'a'.repeat(9000)}";r=1`, []);
});

test('a hostile field costs no more than its length', () => {
  // Each of these would take a backtracking pattern minutes; the suite's own time limit is the measure.
  for (const field of ['"' + '\\'.repeat(8000), 'a' + ';'.repeat(8000), 'a' + ' '.repeat(8000) + '!', 'a;b'.repeat(2600) + '"']) {
    assert.deepEqual(parseItems(field), []);
  }
});

test('limits are read in each dialect', () => {
  const check = (headers, expected) => assert.deepEqual(readLimits(new Headers(headers), START), expected);
  check({}, []);
  check({ 'ratelimit-policy': '"a";q=9;w=60, "b";q=5;w=1', ratelimit: '"a";r=0;t=5' }, [
    { name: 'a', remaining: 0, resetMs: 5_000 },
    { name: 'b', remaining: null, resetMs: null },
  ]);
  check({ ratelimit: '"a";r=4' }, [{ name: 'a', remaining: 4, resetMs: null }]);
  check({ ratelimit: 'limit;t=4' }, []);
  check({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, [{ name: null, remaining: 0, resetMs: 7_000 }]);
  check({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3' }, [{ name: null, remaining: 0, resetMs: 3_000 }]);
  check({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(START / 1000 + 9) }, [{ name: null, remaining: 0, resetMs: 9_000 }]);
  check({ 'x-ratelimit-remaining': '0, 4', 'x-ratelimit-reset': '3' }, []);
  check({ 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '3' }, []);
});
