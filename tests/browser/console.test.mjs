// The console in a browser, in front of a running Weir: an attack from one network, with others who mean well.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { CF_HEADER } from '../e2e/lib/workerd.mjs';
import { stand } from '../e2e/lib/stand.mjs';
import { tooFaint } from './contrast.mjs';
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

const on = (asn, country) => [CF_HEADER, JSON.stringify({ asn, country })];

async function operated(t, vars = {}, more = {}) {
  const place = await stand(t, { policy, ...more, vars: { ADMIN_TOKEN: TOKEN, KEY_SECRET: 'for tests', ...vars } });
  const flood = async () => {
    const bots = [1, 2, 3, 4].map((n) => place.from(`192.0.2.${n}`).with(on(64500, 'NL')));
    const others = [['198.51.100.1', 64501, 'DE'], ['203.0.113.7', 64502, 'FR'], ['203.0.113.130', 64503, 'US']];
    const answers = (await Promise.all(bots.map((bot) => bot.askAtOnce(40, CHECK)))).flat();
    for (const [ip, asn, country] of others) {
      for (let i = 0; i < 4; i += 1) assert.equal((await place.from(ip).with(on(asn, country)).ask(i % 2 ? QUIZZES : CHECK)).status, 200);
    }
    return answers.filter(({ status }) => status === 429).length;
  };
  return { ...place, flood, script: place.origin, origin: place.weir.url };
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
  const refused = await flood();
  const page = await openPage(t, weir.url, { viewport: { width: 1280, height: 900 } });
  await signIn(page, weir.url);
  const summary = page.locator('#summary');
  await summary.getByText(/requests a second from AS64500 \(NL\) are refused by rule “availability”/).waitFor();
  assert.match(await summary.textContent(), /^\d+(\.\d)? requests .*: 100 % of all refusals\. All other networks are unharmed: 0\.\d a second pass, none is refused\.$/);
  const networks = page.locator('#networks tbody tr');
  assert.equal(await networks.count(), 4);
  const first = networks.first();
  assert.match(await first.textContent(), /AS64500 \(NL\)availability\d/);
  assert.match(await page.locator('#chart svg').getAttribute('aria-label'), new RegExp(`^In the last 5 minutes: \\d+ passed, ${refused} refused`));
  assert.equal(await page.locator('#spoken').textContent(), 'Most refusals are of AS64500 (NL), by availability. Nobody else is refused.');
  await shot(page, 'flood-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'flood-dark');
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
  const cut = await page.evaluate(() => [...document.querySelectorAll('#board .scroll')].filter((box) => box.scrollWidth > box.clientWidth).map(({ firstChild }) => firstChild.id));
  assert.deepEqual(cut, [], 'no table is cut off');
  await shot(page, 'flood-phone');
});

test('trying a request explains it, and from there its key is unblocked', async (t) => {
  const { weir, flood, from } = await operated(t);
  await flood();
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  await page.getByLabel('Path or URL').fill(CHECK);
  await page.getByLabel('Client address').fill('192.0.2.1');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('It would be refused: 429 rate_limited.').waitFor();
  await page.getByText('refuse in shadow').first().waitFor();
  assert.ok(await page.locator('#told .scroll').evaluate((box) => box.scrollWidth <= box.clientWidth), 'the table is not cut off');
  await page.getByRole('button', { name: 'Unblock this key of availability.ip' }).click();
  assert.equal(await page.getByLabel('Values of the key').inputValue(), '192.0.2.1');
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByText('Lifted: this key starts anew.').waitFor();
  assert.equal((await from('192.0.2.1').ask(CHECK)).status, 200);
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('It would pass.').waitFor();
  await shot(page, 'explained');
});

test('a refused key opens with its counter and is unblocked, by keyboard alone and without knowing whose it is', async (t) => {
  const { weir, flood, from } = await operated(t);
  await flood();
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  const keys = page.locator('#keys tbody tr');
  await keys.nth(3).waitFor();
  assert.equal(await keys.count(), 4);
  const bots = [1, 2, 3, 4].map((n) => from(`192.0.2.${n}`).with(on(64500, 'NL')));
  const passing = async () => (await Promise.all(bots.map((bot) => bot.ask(CHECK)))).filter(({ status }) => status === 200).length;
  // a permit that lapsed during the flood may come back to its key after it
  for (let tries = 0; (await passing()) > 0; tries += 1) assert.ok(tries < 5, 'the quota is spent');
  await keys.first().getByRole('button').focus();
  const id = await page.evaluate(() => document.activeElement.dataset.id);
  // the table is drawn anew meanwhile, and the focus stays
  await page.waitForResponse((response) => response.url().endsWith('/live'));
  await page.waitForResponse((response) => response.url().endsWith('/live'));
  assert.equal(await page.evaluate(() => document.activeElement.dataset.id), id);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'A key of availability.ip' });
  await dialog.getByText('0 of 10, in 60 s').waitFor();
  await dialog.getByText(/refused \d+ times/).waitFor();
  await dialog.getByText(/AS64500 \(NL\); \d other keys from there are listed/).waitFor();
  await shot(page, 'key');
  await dialog.getByRole('button', { name: 'Unblock this key' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Lifted: this key starts anew.').waitFor();
  await dialog.getByText('10 of 10, in 60 s').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await passing(), 1);
});

test('a rule in shadow stands beside what is enforced, and near-limit keys beside refused ones', async (t) => {
  const { weir, from } = await operated(t);
  const ada = from('192.0.2.1');
  for (let i = 0; i < 9; i += 1) assert.equal((await ada.ask(CHECK)).status, 200);
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  const quiet = page.getByRole('region', { name: 'What quiet would do' });
  const minute = quiet.locator('tbody tr').first();
  await minute.getByText('4 (44 %)').waitFor();
  assert.deepEqual(await minute.locator('td').allTextContents(), ['the last minute', '9', '4 (44 %)', '0 (0 %)']);
  const whom = page.getByRole('region', { name: 'Rule quiet' }).locator('.plain-list li');
  assert.equal(await whom.count(), 1);
  assert.match(await page.locator('#near tbody').textContent(), /availability\.ip/);
  assert.match(await page.locator('#policy-rules').textContent(), /quiet.*shadow.*ip: 5 in 1m/);
});

test('slots and queues are shown while they are held', async (t) => {
  const reports = { name: 'reports', match: { path: '/reports' }, concurrency: [{ name: 'tenant', key: ['ip'], running: 1, waiting: 3 }] };
  const { weir, from, script } = await operated(t, {}, { policy: { rules: [reports] } });
  await script.script({ path: '/*' });
  await script.hold();
  const held = [1, 2, 3].map(() => from('192.0.2.1').ask('/reports'));
  await script.until({ held_min: 1 });
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  const row = page.locator('#slots tbody tr');
  await row.getByText('reports.tenant').waitFor();
  await page.waitForFunction(() => document.querySelector('#slots tbody tr')?.cells[2].textContent === '2');
  assert.deepEqual(await row.locator('td').allTextContents(), ['reports.tenant', '1', '2', '1 and 3']);
  await script.release({ count: 1 });
  await page.waitForFunction(() => document.querySelector('#slots tbody tr')?.cells[2].textContent === '1');
  await script.release({ count: 1 });
  await script.until({ held_min: 1 });
  await script.release();
  assert.deepEqual((await Promise.all(held)).map(({ status }) => status), [200, 200, 200]);
});

test('what cannot reach its counters raises an alarm', async (t) => {
  const { weir, from } = await operated(t, {}, { counters: 'throws', policy: { rules: [{ ...policy.rules[0], on_error: 'allow' }, { ...policy.rules[1], on_error: 'deny' }] } });
  assert.equal((await from('192.0.2.1').ask(CHECK)).status, 200);
  assert.equal((await from('192.0.2.1').ask(QUIZZES)).status, 503);
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  const alarms = page.getByRole('alert');
  await alarms.getByText('availability.ip fails open').waitFor();
  await alarms.getByText('quizzes.ip fails closed').waitFor();
  await shot(page, 'alarms');
});

test('every text can be read, in light and dark, and nothing moves while it is paused', async (t) => {
  const { weir, flood } = await operated(t);
  await flood();
  const page = await openPage(t, weir.url);
  await signIn(page, weir.url);
  await page.locator('#keys tbody button').first().waitFor();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await page.evaluate(tooFaint), [], colorScheme);
  }
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await page.locator('#board').textContent();
  let asked = 0;
  page.on('request', () => (asked += 1));
  await page.clock.install();
  await page.clock.runFor(10_000);
  assert.deepEqual([asked, await page.locator('#board').textContent()], [0, before]);
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
