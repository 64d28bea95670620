import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './page.mjs';
import { SILENCE, available, openSite, refusal } from './site.mjs';

const UNKNOWN = /cannot check names/;

/** The demo, open in a browser, as its visitor sees it. */
async function open(t, options) {
  const site = await openSite(t);
  const page = await openPage(t, site.origin, options);
  await page.goto(`${site.origin}/_weir/demo`);
  const username = page.getByLabel('Username');
  return {
    site,
    page,
    username,
    submit: page.getByRole('button', { name: 'Sign up', exact: true }),
    status: page.locator('#username-status'),
    notice: page.locator('#notice'),
    welcome: page.getByRole('heading', { name: /^Welcome/ }),
    validity: () => username.evaluate((input) => input.validationMessage),
    shows: (text) => page.getByText(text).first().waitFor(),
  };
}

/** No error of any kind: the field is valid, and says so to assistive technology too. */
async function assertNeutral(demo) {
  assert.equal(await demo.validity(), '');
  assert.equal(await demo.username.getAttribute('aria-invalid'), null);
  assert.match(await demo.status.textContent(), UNKNOWN);
  assert.doesNotMatch(await demo.page.locator('form').innerText(), /taken|error|wrong/i);
}

test('a free name: one check after a pause in typing, a verdict, and the account', async (t) => {
  const demo = await open(t);
  await demo.username.pressSequentially('grace', { delay: 20 });
  await demo.shows('“grace” is free.');
  assert.deepEqual(demo.site.checks.map(({ name }) => name), ['grace']);
  assert.equal(await demo.validity(), '');
  await demo.page.getByLabel('E-mail').fill('grace@example.test');
  await demo.submit.click();
  await demo.welcome.waitFor();
  assert.equal(demo.site.forms.length, 1);
  assert.equal(String(demo.site.forms[0]), 'username=grace&email=grace%40example.test');
  assert.ok(await demo.welcome.evaluate((heading) => heading === document.activeElement), 'the focus follows');
});

test('typing until refused: a neutral hint, no check before its time, and the form still succeeds', async (t) => {
  const demo = await open(t);
  demo.site.check = (_, count) => (count <= 2 ? available(true, 2 - count + 1) : refusal(2));
  const letters = 'grace-hopper';
  await demo.username.fill('ad');
  for (let i = 0; demo.site.checks.length < 3; i += 1) {
    assert.ok(i < letters.length, 'the checks were refused at last');
    const checked = demo.page.waitForResponse(/available/);
    await demo.username.press(letters[i]);
    await checked;
  }
  await demo.shows(UNKNOWN);
  await assertNeutral(demo);
  const refusedAt = demo.site.checks[2].at;

  // Typing on changes nothing: still neutral, and nothing is asked.
  await demo.username.pressSequentially('xyz', { delay: 100 });
  await assertNeutral(demo);
  assert.equal(demo.site.checks.length, 3);

  await demo.submit.click();
  await demo.welcome.waitFor();
  assert.equal(demo.site.forms.length, 1);
  assert.ok(performance.now() - refusedAt < 2_000, 'the form did not wait for the checks');
});

test('once the time is over the form asks by itself', async (t) => {
  const demo = await open(t);
  demo.site.check = (name, count) => (count === 1 ? refusal(1) : available(name === 'grace'));
  await demo.username.fill('grac');
  await demo.shows(UNKNOWN);
  await demo.username.press('e');
  await demo.shows('“grace” is free.');
  assert.deepEqual(demo.site.checks.map(({ name }) => name), ['grac', 'grace']);
  assert.ok(demo.site.checks[1].at - demo.site.checks[0].at >= 1_000);
});

test('a taken name: a validity message, no form is sent; another name clears it', async (t) => {
  const demo = await open(t);
  await demo.username.fill('admin');
  await demo.shows('“admin” is taken.');
  assert.match(await demo.validity(), /“admin” is taken/);
  assert.equal(await demo.username.getAttribute('aria-invalid'), 'true');
  await demo.submit.click();
  assert.equal(demo.site.forms.length, 0);
  await demo.username.press('a');
  assert.equal(await demo.validity(), '');
  assert.equal(await demo.username.getAttribute('aria-invalid'), null);
  await demo.shows('“admina” is free.');
  await demo.submit.click();
  await demo.welcome.waitFor();
});

test('a verdict does not take the focus from another field', async (t) => {
  const demo = await open(t);
  await demo.username.pressSequentially('admin');
  await demo.page.getByLabel('E-mail').focus();
  await demo.shows('“admin” is taken.');
  assert.ok(await demo.page.getByLabel('E-mail').evaluate((input) => input === document.activeElement));
});

test('the check of the form itself decides: a name that could not be checked and is taken', async (t) => {
  const demo = await open(t);
  demo.site.check = () => refusal(60);
  demo.site.signUp = () => ({ status: 409, body: {} });
  await demo.username.fill('admin');
  await demo.shows(UNKNOWN);
  await demo.submit.click();
  await demo.shows('“admin” is taken.');
  assert.match(await demo.validity(), /“admin” is taken/);
  assert.ok(await demo.username.evaluate((input) => input === document.activeElement));
  assert.equal(await demo.username.inputValue(), 'admin');
});

test('a stale check is called off, and only the last verdict counts', async (t) => {
  const demo = await open(t);
  demo.site.check = (name) => (name === 'adm' ? SILENCE : available(name === 'admiral'));
  const asked = demo.page.waitForRequest(/u=adm$/);
  await demo.username.pressSequentially('adm');
  const stale = await asked;
  const calledOff = demo.page.waitForEvent('requestfailed', (request) => request === stale);
  await demo.username.pressSequentially('iral');
  await calledOff;
  await demo.shows('“admiral” is free.');
  assert.deepEqual(demo.site.checks.map(({ name, gone }) => [name, gone]), [['adm', true], ['admiral', false]]);
});

test('sending the form calls off the check that is under way', async (t) => {
  const demo = await open(t);
  demo.site.check = () => SILENCE;
  const asked = demo.page.waitForRequest(/available/);
  await demo.username.fill('grace');
  await asked;
  await demo.username.press('Enter');
  await demo.welcome.waitFor();
  assert.equal(demo.site.forms.length, 1);
});

test('failing checks, of whatever kind, are unknown and never in the way', async (t) => {
  for (const answer of [{ status: 500, body: {} }, { status: 200, body: { available: 'no' } }, { status: 404, body: {} }]) {
    const demo = await open(t);
    demo.site.check = () => answer;
    await demo.username.fill('grace');
    await demo.shows(UNKNOWN);
    await assertNeutral(demo);
  }
  const demo = await open(t);
  await demo.page.context().setOffline(true);
  await demo.username.fill('grace');
  await demo.shows(UNKNOWN);
  await assertNeutral(demo);
  await demo.submit.click();
  await demo.shows(/cannot be reached/);
  await demo.page.context().setOffline(false);
  await demo.submit.click();
  await demo.welcome.waitFor();
});

test('a form that is refused for a moment is sent again by itself, once its time has come', async (t) => {
  const demo = await open(t);
  const at = [];
  demo.site.signUp = (_, count) => (at.push(performance.now()), count === 1 ? refusal(1, ['signup.ip']) : { status: 201, body: {} });
  await demo.username.fill('grace');
  await demo.submit.click();
  await demo.shows(/sent in about 1 s/);
  await demo.username.press('Enter'); // an impatient second time
  await demo.welcome.waitFor();
  assert.equal(at.length, 2);
  assert.ok(at[1] - at[0] >= 1_000);
});

test('a form that is refused for longer says when to come back, and asks nothing before', async (t) => {
  const demo = await open(t);
  demo.site.signUp = () => refusal(60, ['signup.ip']);
  await demo.username.fill('grace');
  await demo.submit.click();
  await demo.shows(/again in 60 s/);
  await demo.submit.click();
  await demo.shows(/again in (60|59) s/);
  assert.equal(demo.site.forms.length, 1);
  assert.equal(await demo.username.inputValue(), 'grace');
});

test('what the server says against a form is shown as text', async (t) => {
  const demo = await open(t);
  demo.site.signUp = () => ({ status: 422, body: { detail: 'The name <img src=x> is not allowed.' } });
  await demo.username.fill('grace');
  await demo.submit.click();
  await demo.shows('The name <img src=x> is not allowed.');
});

test('by keyboard alone: every control is reached, in order, and seen', async (t) => {
  const demo = await open(t);
  const { page } = demo;
  const focused = () =>
    page.evaluate(() => ({ id: document.activeElement.id, outline: getComputedStyle(document.activeElement).outlineStyle }));
  for (const id of ['username', 'email', 'submit']) {
    await page.keyboard.press('Tab');
    assert.deepEqual(await focused(), { id, outline: 'solid' });
  }
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('grace');
  await demo.shows('“grace” is free.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await demo.welcome.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal((await focused()).id, 'username');
  assert.equal(await demo.username.inputValue(), '');
});

test('what is invalid anyway is not asked about', async (t) => {
  const demo = await open(t);
  await demo.username.pressSequentially('ab');
  await demo.username.fill('two words');
  await demo.submit.click();
  assert.notEqual(await demo.validity(), '');
  // A check that is asked for afterwards shows that none was pending before.
  await demo.username.fill('grace');
  await demo.shows('“grace” is free.');
  assert.deepEqual(demo.site.checks.map(({ name }) => name), ['grace']);
  assert.equal(demo.site.forms.length, 0);
});

test('without scripts it is an ordinary form', async (t) => {
  const demo = await open(t, { javaScriptEnabled: false });
  await demo.username.fill('grace');
  await Promise.all([demo.page.waitForURL('**/signup'), demo.submit.click()]);
  assert.equal(String(demo.site.forms[0]), 'username=grace&email=');
});
