// A sign-up form that stays kind when it is rate limited: a check that is refused is "unknown", never "taken", and the
// form can be sent all the same. The server's answer to the form decides; the live check only saves a round.

import { RateLimitedError, createClient } from '../weir-client.js';
import { showPause, shownFetch } from './surface.js';
import { watchUsername } from './username-check.js';

const AVAILABILITY = '/api/usernames/available';

/** Longest time that somebody who has sent the form is kept waiting before being asked to try again. */
const MAX_SUBMIT_WAIT_MS = 10_000;

const byId = (id) => document.getElementById(id);
const form = byId('form');
const username = byId('username');
const field = byId('username-field');
const status = byId('username-status');
const submit = byId('submit');
const notice = byId('notice');
let busy = false;

const MESSAGES = {
  idle: () => '',
  checking: () => '',
  free: (name) => `“${name}” is free.`,
  taken: (name) => `“${name}” is taken. Try another.`,
  unknown: () => 'We cannot check names at the moment. You can sign up all the same: the name is checked when you send the form.',
};

const client = createClient({ fetch: shownFetch });
const check = watchUsername(username, client, AVAILABILITY, show);

function show(state, name, waitMs) {
  field.dataset.state = state;
  const message = MESSAGES[state](name);
  // An unchanged text stays as it is, so that a screen reader does not read it out again with every letter.
  if (status.textContent !== message) status.textContent = message;
  if (state === 'unknown' && waitMs > 0) showPause(waitMs);
  if (state !== 'taken') return username.removeAttribute('aria-invalid');
  username.setAttribute('aria-invalid', 'true');
  username.setCustomValidity(message);
  // To report moves the focus to the field; whoever has gone on to the next one is left there.
  if (document.activeElement === username) username.reportValidity();
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (busy) return;
  // The form's own check decides now.
  check.stop();
  if (field.dataset.state === 'checking') show('idle', username.value, 0);
  setBusy(true);
  notice.textContent = '';
  try {
    await signUp(username.value);
  } finally {
    setBusy(false);
  }
});

async function signUp(name) {
  const request = {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  };
  const onWait = ({ retryAfter }) => {
    notice.textContent = `Many people are signing up. Yours is sent in about ${retryAfter} s; there is nothing you need to do.`;
  };
  try {
    const response = await client.fetch(form.action, request, { maxWaitMs: MAX_SUBMIT_WAIT_MS, onWait });
    notice.textContent = '';
    if (response.ok) return welcome(name);
    if (response.status === 409) {
      username.focus();
      return show('taken', name, 0);
    }
    notice.textContent = `That did not work: ${await reason(response)} Your entries are still here.`;
  } catch (error) {
    notice.textContent =
      error instanceof RateLimitedError
        ? `There is a queue at the moment. Please send the form again in ${duration(error.retryAfter)}; your entries are still here.`
        : 'The server cannot be reached. Please check your connection and send the form again; your entries are still here.';
  }
}

/** What a problem document says, or at least the status. */
async function reason(response) {
  const fallback = `the server answered ${response.status}.`;
  if (!/[/+]json\b/.test(response.headers.get('content-type') ?? '')) return fallback;
  const problem = await response.json().catch(() => null);
  const text = problem?.detail ?? problem?.message;
  return typeof text === 'string' ? text : fallback;
}

function duration(seconds) {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

function setBusy(now) {
  busy = now;
  // Not `disabled`: a disabled button loses the focus, and whoever uses the keyboard with it.
  submit.setAttribute('aria-disabled', String(busy));
  submit.textContent = busy ? 'Signing up…' : 'Sign up';
}

function welcome(name) {
  byId('welcome-title').textContent = `Welcome, ${name}`;
  form.hidden = true;
  byId('welcome').hidden = false;
  byId('welcome-title').focus();
}

byId('again').addEventListener('click', () => {
  form.reset();
  show('idle', '', 0);
  form.hidden = false;
  byId('welcome').hidden = true;
  username.focus();
});
