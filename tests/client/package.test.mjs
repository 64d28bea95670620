import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test } from 'node:test';
import * as client from '../../www/weir-client.js';

test('the types declare what the module exports', async () => {
  const types = await readFile(new URL('../../www/weir-client.d.ts', import.meta.url), 'utf8');
  const declared = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(client).sort());
});

test('the module imports nothing but its own files', async () => {
  const imports = async (file) => {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    return [...source.matchAll(/^import .* from '(.*)';$/gm)].map(([, name]) => name);
  };
  for (const name of await imports('../../www/weir-client.js')) {
    assert.match(name, /^\.\/client\/\w+\.js$/);
    assert.deepEqual(await imports(`../../www/${name}`), []);
  }
});

test('with the real fetch, clock and timers: a refused POST is sent again with its body, after its time', async (t) => {
  const seen = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ at: performance.now(), body });
    if (seen.length > 1) return response.end('done');
    response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '1' });
    response.end(JSON.stringify({ status: 429, error: 'rate_limited', retryAfter: 1 }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const response = await client.weirFetch(`http://127.0.0.1:${server.address().port}/`, { method: 'POST', body: 'name=ann' });
  assert.equal(await response.text(), 'done');
  assert.deepEqual(seen.map(({ body }) => body), ['name=ann', 'name=ann']);
  assert.ok(seen[1].at - seen[0].at >= 995, `${seen[1].at - seen[0].at} ms`);
});
