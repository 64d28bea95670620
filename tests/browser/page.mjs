// One browser for a file of tests, and a page for each of them that notes whatever a page should not do.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { chromium } from 'playwright-core';
import { HOW_TO_GET_ONE, chromium as installedChromium } from '../../scripts/lib/chromium.mjs';

const QUIET = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let browser = null;
after(() => browser?.close());

async function launch() {
  const executablePath = installedChromium();
  assert.ok(executablePath, HOW_TO_GET_ONE);
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...QUIET] });
}

/**
 * Opens a page in a context of its own. When the test ends, the page must have run without errors, without violating its
 * Content-Security-Policy, and without a request to anything but `origin`.
 * @param {import('node:test').TestContext} t
 * @param {string} origin
 * @param {import('playwright-core').BrowserContextOptions} options
 */
export async function openPage(t, origin, options = {}) {
  browser ??= await launch();
  const context = await browser.newContext(options);
  const faults = [];
  const page = await context.newPage();
  page.setDefaultTimeout(5_000);
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack}`));
  page.on('console', (message) => {
    // Chromium itself reports every answer of 400 and above, and every call that fails, as an error.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`a request to ${request.url()}`);
  });
  await context.exposeBinding('reportViolation', (_, text) => faults.push(`CSP: ${text}`));
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => reportViolation(`${event.violatedDirective} ${event.blockedURI}`));
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(faults, []);
  });
  return page;
}
