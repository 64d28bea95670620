// A small site on 127.0.0.1: `www/` under /_weir/, as the Worker serves it, and the two calls of the demo by a script.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const WWW = new URL('../../www/', import.meta.url);
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

/** Nothing inline, nothing from elsewhere; the lab's worker alone compiles Wasm. */
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

/** An answer that never comes. */
export const SILENCE = Symbol('silence');

export const available = (yes, left) => ({
  status: 200,
  headers: left === undefined ? {} : { ratelimit: `"availability.session";r=${left};t=60` },
  body: { available: yes },
});

/** A refusal as Weir words it. */
export function refusal(retryAfter, policies = ['availability.session']) {
  return {
    status: 429,
    headers: { 'content-type': 'application/problem+json', 'retry-after': String(retryAfter), 'cache-control': 'no-store' },
    body: { title: 'Too many requests', status: 429, error: 'rate_limited', retryAfter, 'violated-policies': policies },
  };
}

/** @param {import('node:test').TestContext} t the site closes with it */
export async function openSite(t) {
  const site = {
    /** What a check of `name` is answered with. */
    check: (name) => available(name !== 'admin'),
    /** What the form is answered with. */
    signUp: (fields) => ({ status: 201, body: { username: fields.get('username') } }),
    /** Every check: { name, at, gone }, `gone` once the browser has called it off. */
    checks: [],
    /** Every form that was sent: its fields. */
    forms: [],
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://site.invalid');
    if (url.pathname.startsWith('/_weir/')) return file(response, url.pathname.slice('/_weir/'.length));
    let answer = { status: 404, body: {} };
    if (url.pathname === '/api/usernames/available') {
      const check = { name: url.searchParams.get('u'), at: performance.now(), gone: false };
      response.on('close', () => (check.gone = !response.writableFinished));
      site.checks.push(check);
      answer = site.check(check.name, site.checks.length);
    } else if (url.pathname === '/signup' && request.method === 'POST') {
      let text = '';
      for await (const chunk of request) text += chunk;
      const fields = new URLSearchParams(text);
      site.forms.push(fields);
      answer = site.signUp(fields, site.forms.length);
    }
    if (answer === SILENCE) return;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.origin = `http://127.0.0.1:${server.address().port}`;
  return site;
}

async function file(response, path) {
  const target = new URL(extname(path) ? path : `${path}.html`, WWW);
  const body = target.href.startsWith(WWW.href) ? await readFile(fileURLToPath(target)).catch(() => null) : null;
  response.writeHead(body ? 200 : 404, {
    'content-type': TYPES[extname(target.pathname)] ?? 'application/octet-stream',
    'content-security-policy': CSP,
    'x-content-type-options': 'nosniff',
  });
  response.end(body ?? 'not found');
}
