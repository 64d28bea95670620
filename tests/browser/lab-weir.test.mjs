// The lab as a running Weir serves it, under its own headers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { buildLab } from '../../scripts/lib/lab.mjs';
import { oneRule, stand } from '../e2e/lib/stand.mjs';
import { openPage } from './page.mjs';

const TOKEN = 'a token for tests';

before(buildLab);

for (const adminPath of ['/_weir', '/ops/limits']) {
  test(`the shell needs no token, its policy holds, and the lab runs under it: ${adminPath}`, async (t) => {
    // Nothing of the visitor's passes; Weir's own pages are subject to no rule.
    const policy = oneRule({ action: 'deny' }, { admin_path: adminPath });
    const { weir, origin } = await stand(t, { policy, vars: { ADMIN_TOKEN: TOKEN } });
    const page = await openPage(t, weir.url);
    page.setDefaultTimeout(60_000);
    const answer = await page.goto(`${weir.url}${adminPath}/lab`);
    assert.equal(answer.status(), 200);
    const headers = answer.headers();
    assert.match(headers['content-type'], /^text\/html/);
    assert.equal(headers['x-frame-options'], 'DENY');
    const rules = new Map(headers['content-security-policy'].split(';').map((rule) => rule.trim().split(/ (.*)/s)));
    assert.equal(rules.get('default-src'), "'none'");
    assert.equal(rules.get('script-src'), "'self' 'wasm-unsafe-eval'");
    assert.equal(rules.get('connect-src'), "'self'");
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('status').getByText(/^Replayed 50,000 requests/).waitFor();
    await page.getByLabel('Requests', { exact: true }).fill('2000');
    await page.getByRole('status').getByText(/^Replayed 2,000 requests/).waitFor();
    // Another run asks the network for nothing at all.
    assert.deepEqual(asked.filter((path) => !path.startsWith(`${adminPath}/lab/`)), []);
    assert.deepEqual(await origin.records(), []);
  });
}

test('without the secret there is no lab', async (t) => {
  const { from } = await stand(t, { policy: oneRule({}) });
  for (const path of ['lab', 'lab/lab.js', 'lab/pkg/weir_bg.wasm']) {
    assert.equal((await from('192.0.2.1').ask(`/_weir/${path}`)).status, 404, path);
  }
});
