// The console in a browser, in front of a running Weir: an attack from one network, with others who mean well.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { CF_HEADER } from '../e2e/lib/workerd.mjs';
import { stand } from '../e2e/lib/stand.mjs';
import { openPage } from './page.mjs';

const TOKEN = 'a token for tests';
const SHOTS = process.env.WEIR_SHOTS;
const CHECK = '/api/usernames/available?u=ada';
const QUIZZES = '/api/v1/quizzes';
const rule = (name, path, quota, more = {}) => ({
  name,
  match: { path },
  limits: [{ name: 'ip', key: ['ip'], algorithm: 'sliding-window', quota, window: '60s' }],
  ...more,
});
const policy = { rules: [rule('availability', '/api/usernames/*', 10), rule('quizzes', QUIZZES, 50), rule('quiet', '/*', 5, { mode: 'shadow' })] };

async function operated(t, vars = {}) {
  const place = await stand(t, { policy, vars: { ADMIN_TOKEN: TOKEN, KEY_SECRET: 'for tests', ...vars } });
  const on = (asn, country) => [CF_HEADER, JSON.stringify({ asn, country })];
  const flood = async () => {
    const bots = [1, 2, 3, 4].map((n) => place.from(`192.0.2.${n}`).with(on(64500, 'NL')));
    const others = [['198.51.100.1', 64501, 'DE'], ['203.0.113.7', 64502, 'FR'], ['203.0.113.130', 64503, 'US']];
    await Promise.all(bots.map((bot) => bot.askAtOnce(40, CHECK)));
    for (const [ip, asn, country] of others) {
      for (let i = 0; i < 4; i += 1) assert.equal((await place.from(ip).with(on(asn, country)).ask(i % 2 ? QUIZZES : CHECK)).status, 200);
    }
  };
  return { ...place, flood, origin: place.weir.url };
}

async function signIn(page, url) {
  await page.goto(`${url}/_weir/`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByLabel('Token').press('Enter');
  await page.getByRole('heading', { name: 'The last minute' }).waitFor();
}

async function shot(page, name) {
  if (!SHOTS) return;
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

test('one screen names the attacker, the rule, the rate and the unharmed', async (t) => {
  const { weir, flood } = await operated(t);
  await flood();
  const page = await openPage(t, weir.url, { viewport: { width: 1280, height: 900 } });
  await signIn(page, weir.url);
  const summary = page.locator('#summary');
  await summary.getByText(/requests a second from AS64500 \(NL\) are refused by rule “availability”/).waitFor();
  assert.match(await summary.textContent(), /^\d+(\.\d)? requests .*: 100 % of all refusals\. All other networks are unharmed: 0\.\d a second pass, none is refused\.$/);
  const first = page.locator('#networks tbody tr').first();
  assert.match(await first.textContent(), /AS64500 \(NL\)availability\d/);
  assert.match(await page.locator('#chart svg').getAttribute('aria-label'), /120 refused/);
  await shot(page, 'flood-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'flood-dark');
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
  await shot(page, 'flood-phone');
});

test('trying a request explains it, and unblocking lets its key in again', async (t) => {
  const { weir, flood, from } = await operated(t);
  await flood();
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  await page.getByLabel('Path or URL').fill(CHECK);
  await page.getByLabel('Client address').fill('192.0.2.1');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('It would be refused: 429 rate_limited.').waitFor();
  await page.getByText('refuse in shadow').first().waitFor();
  await page.locator('#unblock select').selectOption('availability.ip');
  await page.getByLabel('Values of the key').fill('192.0.2.1');
  await page.getByRole('button', { name: 'Unblock' }).click();
  await page.getByText('Lifted: this key starts anew.').waitFor();
  assert.equal((await from('192.0.2.1').ask(CHECK)).status, 200);
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('It would pass.').waitFor();
  await shot(page, 'explained');
});

test('a wrong token is told, and nothing is shown', async (t) => {
  const { weir } = await operated(t);
  const page = await openPage(t, weir.url);
  await page.goto(`${weir.url}/_weir/`);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('This is not the token.').waitFor();
  assert.equal(await page.locator('#board').isVisible(), false);
});

test('the demo in front of a running Weir', async (t) => {
  const limits = [{ name: 'session', key: ['cookie:session|ip'], algorithm: 'sliding-window', quota: 3, window: '60s' }];
  const demo = { rules: [{ name: 'availability', match: { path: '/api/usernames/available' }, limits }] };
  const { weir } = await stand(t, { policy: demo, vars: { DEMO: 'on' } });
  const page = await openPage(t, weir.url);
  await page.goto(`${weir.url}/_weir/demo`);
  const name = page.getByLabel('Username');
  await name.fill('grace');
  await page.getByText('“grace” is free').waitFor();
  for (const other of ['ada1', 'ada2', 'ada3']) {
    await name.fill(other);
    await page.waitForResponse((response) => response.url().includes(`u=${other}`)).catch(() => {});
  }
  await page.getByText('We cannot check names at the moment').waitFor();
  await shot(page, 'demo');
  await name.press('Enter');
  await page.getByText('Welcome, ada3').waitFor();
});
