import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tooFaint } from './contrast.mjs';
import { openPage } from './page.mjs';
import { openSite, refusal } from './site.mjs';

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
