// The right-hand side of the page: which calls the page makes, and how much of the quota is left. For the eye only;
// whoever listens instead has the form's own messages.

import { readLimits } from '../client/hints.js';

/** Entries that the list keeps. */
const MAX_ENTRIES = 8;

const log = document.getElementById('log');
const gauge = document.getElementById('gauge');
const gaugeLabel = document.getElementById('gauge-label');
const gaugeValue = document.getElementById('gauge-value');
const gaugeBar = document.getElementById('gauge-bar');

/** A `fetch` that shows every call in the list and what its answer says about the quota. */
export async function shownFetch(input, init) {
  const url = new URL(input, location.href);
  const entry = addEntry(`${init?.method ?? 'GET'} ${url.pathname.split('/').pop()}${url.search}`);
  try {
    const response = await fetch(input, init);
    finish(entry, response.ok ? 'passed' : response.status === 429 ? 'held' : 'failed', String(response.status));
    if (!init?.method) showQuota(readLimits(response.headers, Date.now()));
    return response;
  } catch (error) {
    finish(entry, 'off', init?.signal?.aborted ? 'called off' : 'no answer');
    throw error;
  }
}

function addEntry(text) {
  const entry = document.createElement('li');
  const call = document.createElement('code');
  const result = document.createElement('span');
  call.textContent = text;
  result.textContent = '…';
  entry.append(call, result);
  log.querySelector('.empty')?.remove();
  log.prepend(entry);
  while (log.children.length > MAX_ENTRIES) log.lastElementChild.remove();
  return entry;
}

function finish(entry, state, text) {
  entry.dataset.state = state;
  entry.lastElementChild.textContent = text;
}

/** The largest figure seen for each limit: a full bar. */
const full = new Map();

function showQuota(limits) {
  const known = limits.filter(({ remaining }) => remaining !== null);
  if (known.length === 0 || gauge.dataset.state === 'closed') return;
  const share = ({ name, remaining }) => remaining / Math.max(full.get(name), 1);
  for (const { name, remaining } of known) full.set(name, Math.max(full.get(name) ?? 0, remaining));
  const least = known.reduce((a, b) => (share(b) < share(a) ? b : a));
  gaugeLabel.textContent = 'Checks left';
  gaugeValue.textContent = String(least.remaining);
  gaugeBar.value = share(least);
}

let ticking = 0;

/** Counts down until checks may be made again. */
export function showPause(waitMs) {
  clearInterval(ticking);
  if (waitMs <= 0) {
    if (gauge.dataset.state === 'closed') gaugeLabel.textContent = 'Checks may be made again';
    gauge.dataset.state = 'open';
    gaugeValue.textContent = '';
    gaugeBar.value = 1;
    return;
  }
  const end = performance.now() + waitMs;
  const whole = Math.max(waitMs, Number(gauge.dataset.whole ?? 0));
  gauge.dataset.state = 'closed';
  gauge.dataset.whole = String(whole);
  gaugeLabel.textContent = 'No check before';
  const tick = () => {
    const left = end - performance.now();
    if (left <= 0) {
      delete gauge.dataset.whole;
      return showPause(0);
    }
    gaugeValue.textContent = `${Math.ceil(left / 1000)} s`;
    gaugeBar.value = 1 - left / whole;
  };
  ticking = setInterval(tick, 250);
  tick();
}
