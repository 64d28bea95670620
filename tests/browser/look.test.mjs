import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { buildLab } from '../../scripts/lib/lab.mjs';
import { tooFaint } from './contrast.mjs';
import { controls, unseenFocus } from './look.mjs';
import { openPage } from './page.mjs';
import { openSite, refusal } from './site.mjs';

before(buildLab);

for (const colorScheme of ['light', 'dark']) {
  test(`every text of the demo can be read: ${colorScheme}`, async (t) => {
    const site = await openSite(t);
    const page = await openPage(t, site.origin, { colorScheme });
    await page.goto(`${site.origin}/_weir/demo`);
    const check = async (act, text) => {
      await act();
      await page.getByText(text).first().waitFor();
      assert.deepEqual(await page.evaluate(tooFaint), [], text);
    };
    const name = page.getByLabel('Username');
    await check(() => {}, 'Nothing yet');
    await check(() => name.fill('grace'), '“grace” is free');
    await check(() => name.fill('admin'), '“admin” is taken');
    site.check = () => refusal(60);
    site.signUp = () => refusal(60);
    await check(() => name.fill('ada'), 'cannot check');
    await check(() => name.press('Enter'), 'There is a queue');
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`every text and every field of the lab can be read, and the focus seen: ${colorScheme}`, async (t) => {
    const site = await openSite(t);
    const page = await openPage(t, site.origin, { colorScheme });
    page.setDefaultTimeout(30_000);
    await page.goto(`${site.origin}/_weir/lab`);
    await page.getByRole('status').getByText(/^Replayed/).waitFor();
    assert.deepEqual(await page.evaluate(tooFaint), []);
    assert.deepEqual(await unseenFocus(page, 'run'), []);
    await page.getByLabel('Mode').selectOption('shadow');
    await page.getByText('In shadow', { exact: true }).first().waitFor();
    await page.getByRole('textbox', { name: 'Policy' }).fill('rules = 3');
    await page.getByRole('alert').getByText(/rules/).waitFor();
    assert.deepEqual(await page.evaluate(tooFaint), []);
  });

  test(`the focus is seen everywhere in the demo: ${colorScheme}`, async (t) => {
    const site = await openSite(t);
    const page = await openPage(t, site.origin, { colorScheme });
    await page.goto(`${site.origin}/_weir/demo`);
    const last = await page.evaluate(() => document.querySelector('form [type="submit"], form button').id);
    assert.deepEqual(await unseenFocus(page, last || 'BUTTON'), []);
  });
}

test('a screen reader is told a name for every control, and of what changes', async (t) => {
  const site = await openSite(t);
  const page = await openPage(t, site.origin);
  page.setDefaultTimeout(30_000);
  for (const [path, most] of [['demo', 1], ['lab', 10]]) {
    await page.goto(`${site.origin}/_weir/${path}`);
    if (path === 'lab') await page.getByRole('status').getByText(/^Replayed/).waitFor();
    const told = await controls(page);
    assert.ok(told.length > most, told.join('\n'));
    assert.deepEqual(told.filter((one) => /: $/.test(one)), []);
    assert.ok((await page.locator('[role="status"], [aria-live="polite"]').count()) > 0);
    // Headings go down one step at a time, and there is one at the top.
    const levels = await page.locator(':is(h1, h2, h3, h4):visible').evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.reduce((before, level) => (assert.ok(level <= before + 1, levels.join()), level), 0);
  }
});

test('nothing is cut off on a narrow screen, nor with text twice as large', async (t) => {
  const site = await openSite(t);
  for (const [viewport, size] of [[{ width: 320, height: 640 }, '100%'], [{ width: 640, height: 900 }, '200%']]) {
    const page = await openPage(t, site.origin, { viewport, bypassCSP: true });
    await page.goto(`${site.origin}/_weir/demo`);
    await page.evaluate((value) => (document.documentElement.style.fontSize = value), size);
    site.check = () => refusal(60);
    await page.getByLabel('Username').fill('a'.repeat(20));
    await page.getByText('cannot check').waitFor();
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    assert.ok(scrollWidth <= clientWidth, `${scrollWidth} px in ${clientWidth} px`);
  }
});

test('whoever wants less motion gets none', async (t) => {
  const site = await openSite(t);
  const page = await openPage(t, site.origin, { reducedMotion: 'reduce' });
  await page.goto(`${site.origin}/_weir/demo`);
  await page.getByLabel('Username').fill('grace');
  await page.locator('[data-state="checking"] .mark').waitFor();
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});
