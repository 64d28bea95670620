import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildLab } from '../../scripts/lib/lab.mjs';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { openPage } from './page.mjs';
import { openSite } from './site.mjs';

const run = promisify(execFile);
const POLICY = `rules = [{ name = "r", limits = [
  { name = "ip", key = "ip", algorithm = "sliding-window", quota = 10, window = "60s" },
  { name = "user", key = "query:u|ip", algorithm = "token-bucket", quota = 1, window = "2s", burst = 3 },
] }]`;

/** A log of `count` lines from a few addresses, in two formats, with lines that are none. */
function logOf(count) {
  const lines = [];
  for (let i = 0; i < count; i++) {
    const second = Math.floor(i / 7);
    const ip = `192.0.2.${(i * i) % 11}`;
    const time = new Date(1_767_614_400_000 + second * 1_000).toISOString();
    if (i % 100 === 99) lines.push('no request');
    else if (i % 3 === 0) lines.push(JSON.stringify({ time, ip, method: 'GET', url: `/x?u=${i % 5}`, status: 200 }));
    else lines.push(`${ip} - - [05/Jan/2026:${time.slice(11, 19)} +0000] "GET /x?u=${i % 4} HTTP/1.1" 200 12 "-" "test"`);
  }
  return lines.join('\n');
}

before(buildLab);

async function openLab(t, options = {}) {
  const site = await openSite(t);
  const page = await openPage(t, site.origin, options);
  page.setDefaultTimeout(30_000);
  await page.goto(`${site.origin}/_weir/lab`);
  return page;
}

const done = (page, text = /^Replayed/) => page.getByRole('status').getByText(text).waitFor();

/** What a table shows: rows of texts. */
const tableOf = (page, id) => page.locator(`#${id} tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

const plain = (text) => Number(text.replaceAll(',', ''));

test('an attack is shown as soon as the page is there, and a changed number at once', async (t) => {
  const page = await openLab(t);
  await done(page);
  const refused = async (limit) => plain((await tableOf(page, 'limits')).find(([name]) => name === limit)[3]);
  assert.ok((await refused('availability.session')) > 1_000);
  const policy = page.getByRole('textbox', { name: 'Policy' });
  await policy.fill((await policy.inputValue()).replace('quota = 30,', 'quota = 10000,'));
  // The next limit has its turn.
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll('#limits tbody tr')];
    return rows.some(({ cells }) => cells[0].textContent === 'availability.ip' && cells[3].textContent !== '0');
  });
  assert.equal(await refused('availability.session'), 0);
  assert.ok((await refused('availability.ip')) > 1_000);
  assert.match((await tableOf(page, 'clients'))[0][0], /^203\.0\.113\.66$/);
});

test('a number is turned in its field, and its text with it; a log is not read again', async (t) => {
  const page = await openLab(t);
  await done(page);
  await page.getByRole('textbox', { name: 'Policy' }).fill(`# quota = 1 is no field
${POLICY}`);
  await page.getByLabel('From', { exact: true }).selectOption('files');
  const dir = await mkdtemp(join(tmpdir(), 'weir-lab-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'a.log');
  await writeFile(file, logOf(2_000));
  await page.getByLabel(/^Log files/).setInputFiles(file);
  await done(page, /1,980 requests/);
  const refusedBy = async (limit) => plain((await tableOf(page, 'limits')).find(([name]) => name === limit)[3]);
  const before = await refusedBy('r.user');
  assert.ok(before > 0);
  // Whoever reads the file again fails from now on.
  await rm(file);
  const fields = page.getByRole('group', { name: 'r.user' });
  assert.deepEqual(await page.getByRole('group', { name: 'r.ip' }).getByRole('spinbutton').count(), 1);
  const status = page.getByRole('status');
  await status.evaluate((element) => (element.textContent = ''));
  await fields.getByLabel('burst').fill('3000');
  await done(page, /1,980 requests/);
  assert.equal(await refusedBy('r.user'), 0);
  await status.evaluate((element) => (element.textContent = ''));
  await fields.getByLabel('window').fill('5s');
  await fields.getByLabel('burst').fill('3');
  await done(page, /1,980 requests.*20 of 2,000 lines/);
  await page.waitForFunction((least) => {
    const row = [...document.querySelectorAll('#limits tbody tr')].find(({ cells }) => cells[0].textContent === 'r.user');
    return Number(row.cells[3].textContent.replaceAll(',', '')) > least;
  }, before);
  const text = await page.getByRole('textbox', { name: 'Policy' }).inputValue();
  assert.equal(text, `# quota = 1 is no field
${POLICY.replace('"2s", burst = 3', '"5s", burst = 3')}`);
  await fields.getByLabel('window').fill('5 parsecs');
  await page.getByRole('alert').getByText(/window: "5 parsecs"/).waitFor();
  await fields.getByLabel('window').fill('5s');
  await page.waitForFunction(() => document.getElementById('policy-faults').textContent === '');
});

test('a log of several packed parts is read to its end, and one that has vanished is told', async (t) => {
  const page = await openLab(t);
  await done(page);
  await page.getByRole('textbox', { name: 'Policy' }).fill(POLICY);
  await page.getByLabel('From', { exact: true }).selectOption('files');
  const dir = await mkdtemp(join(tmpdir(), 'weir-lab-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'a.log.gz');
  await writeFile(file, Buffer.concat([logOf(1_000), logOf(500)].map((text) => gzipSync(`${text}\n`))));
  await page.getByLabel(/^Log files/).setInputFiles(file);
  await done(page, /^Replayed 1,485 requests/);
  await rm(file);
  await page.getByLabel('From', { exact: true }).selectOption('flood');
  await page.getByLabel('Requests', { exact: true }).fill('500');
  await done(page, /^Replayed 500 requests/);
  await page.getByLabel('From', { exact: true }).selectOption('files');
  await done(page, /1,485 requests/);
  await page.getByLabel(/^Log files/).dispatchEvent('change');
  await done(page, /^A log cannot be read to its end \(.+\)\. Stopped after 0 requests/);
});

test('a log that breaks off is told, with what there was of it', async (t) => {
  const page = await openLab(t);
  await done(page);
  await page.getByLabel('From', { exact: true }).selectOption('files');
  const whole = gzipSync(logOf(50_000));
  await page.getByLabel(/^Log files/).setInputFiles({ name: 'a.log.gz', mimeType: 'application/gzip', buffer: whole.subarray(0, whole.length - 2_000) });
  await done(page, /^A log cannot be read to its end \(.+\)\. Stopped after [\d,]+ requests/);
  assert.equal(await page.getByRole('textbox', { name: 'Policy' }).getAttribute('aria-invalid'), null);
});

test('a fault is named with its place, and what was good stays', async (t) => {
  const page = await openLab(t);
  await done(page);
  const policy = page.getByRole('textbox', { name: 'Policy' });
  await policy.fill('rules = [{ name = "r", limits = [{ name = "l", key = "ip", algorithm = "fixed-window", quota = 1, window = "60" }] }]');
  await page.getByRole('alert').getByText('rules[0].limits[0].window: "60" has no unit; write "60s"').waitFor();
  assert.equal(await policy.getAttribute('aria-invalid'), 'true');
  assert.ok(await page.locator('#results').isVisible());
});

test('the lab and `weir replay` agree to the request', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'weir-lab-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const log = logOf(5_000);
  const [policyFile, logFile] = [join(dir, 'policy.toml'), join(dir, 'access.log.gz')];
  await Promise.all([writeFile(policyFile, POLICY), writeFile(logFile, gzipSync(log))]);
  const cli = await run('cargo', ['run', '--quiet', '--bin', 'weir', '--', 'replay', policyFile, logFile, '--json'], { cwd: ROOT, maxBuffer: 1 << 24 })
    .catch((error) => error);
  assert.equal(cli.code, 1, 'there are lines that are no requests');
  const expected = JSON.parse(cli.stdout);
  assert.equal(expected.lines.unreadable, 50);
  assert.ok(expected.refused > 100 && expected.passed > 100);

  const page = await openLab(t);
  await done(page);
  await page.getByRole('textbox', { name: 'Policy' }).fill(POLICY);
  for (const kind of ['files', 'paste']) {
    await page.getByLabel('From', { exact: true }).selectOption(kind);
    if (kind === 'files') await page.getByLabel(/^Log files/).setInputFiles(logFile);
    else {
      // As pasting does it: typing so much would take longer than replaying it.
      await page.getByRole('textbox', { name: 'Log' }).evaluate((area, text) => {
        area.value = text;
        area.dispatchEvent(new Event('input', { bubbles: true }));
      }, log);
    }
    await done(page, /4,950 requests.*50 of 5,000 lines/);
    const figures = await page.locator('#figures dd').evaluateAll((all) => all.map((dd) => dd.firstChild.data));
    assert.deepEqual(figures.slice(0, 3).map(plain), [expected.requests, expected.passed, expected.refused], kind);
    const limits = (await tableOf(page, 'limits')).map(([name, asked, , refused]) => [name, plain(asked), plain(refused)]);
    const rows = expected.rows.map((row) => [row.kind === 'limit' ? row.name : `${row.name} (${row.kind})`, row.asked, row.refused]);
    assert.deepEqual(limits, rows, kind);
    const clients = (await tableOf(page, 'clients')).map(([name, refused, passed]) => [name, plain(refused), plain(passed)]);
    assert.deepEqual(clients, expected.clients.slice(0, 10).map((hit) => [hit.name, hit.refused, hit.passed]), kind);
    const cost = await page.locator('#cost').textContent();
    assert.ok(cost.includes(`$${expected.cost.usd}:`), cost);
  }
});

test('a long run can be stopped, and shows what it has', async (t) => {
  const page = await openLab(t);
  await done(page);
  await page.getByLabel('Requests', { exact: true }).fill('2000000');
  await page.getByRole('status').getByText(/so far/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await done(page, /^Stopped after [\d,]+ requests/);
  assert.ok(await page.getByRole('button', { name: 'Stop' }).isDisabled());
});

test('the one-file lab works from disk', async (t) => {
  const file = pathToFileURL(join(ROOT, 'www', 'lab', 'pkg', 'weir-lab.html'));
  const page = await openPage(t, 'null', {});
  page.setDefaultTimeout(30_000);
  await page.goto(file.href);
  await done(page);
  assert.match((await tableOf(page, 'clients'))[0][0], /^203\.0\.113\.66$/);
});

for (const colorScheme of ['light', 'dark']) {
  test(`nothing is cut off on a phone, by keyboard all is reached: ${colorScheme}`, async (t) => {
    const page = await openLab(t, { viewport: { width: 360, height: 740 }, colorScheme });
    await done(page);
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    assert.ok(scrollWidth <= clientWidth, `${scrollWidth} px in ${clientWidth} px`);
    const reached = [];
    while (reached.at(-1) !== 'run' && reached.length < 40) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.closest('label')?.textContent));
    }
    const numbers = [...Array(2).fill(['quota', 'window']), ['quota', 'window', 'burst'], ['quota', 'window']].flat();
    assert.deepEqual(reached, ['policy-file', 'policy', ...numbers, 'source', 'amount', 'mode', 'tier', 'run']);
    if (process.env.WEIR_SHOTS) await page.screenshot({ path: join(process.env.WEIR_SHOTS, `lab-phone-${colorScheme}.png`), fullPage: true });
    if (process.env.WEIR_SHOTS) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.screenshot({ path: join(process.env.WEIR_SHOTS, `lab-${colorScheme}.png`), fullPage: true });
    }
  });
}
