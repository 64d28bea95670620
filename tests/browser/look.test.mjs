import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './page.mjs';
import { openSite, refusal } from './site.mjs';

/** Texts of the page whose contrast with what is behind them is below WCAG 2.2's 4.5 to 1. */
function tooFaint() {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (text.length === 0 || element.closest('noscript') || element.checkVisibility() === false) continue;
    const [a, b] = [getComputedStyle(element).color, behind(element)].map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)}: ${text[0].data.trim()}`);
  }
  return faint;
}

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
