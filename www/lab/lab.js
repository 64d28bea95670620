// The lab's page: what to try goes to the worker, what comes back is drawn.

import { startWorker } from './bundle.js';
import { draw } from './draw.js';
import { EXAMPLE } from './example.js';
import { showNumbers } from './numbers.js';

/** After the last keystroke, in a text and in a number. */
const DEBOUNCE_MS = 350;
const NUMBER_DEBOUNCE_MS = 60;

const at = (id) => document.getElementById(id);
const form = at('form');
const policy = at('policy');
const source = at('source');
const amount = at('amount');
const log = at('log');
const faults = at('policy-faults');
const status = at('status');
const progress = at('progress');
const stop = at('stop');
const results = at('results');

let worker = null;
let run = 0;
let running = false;
let timer = null;
/** Which log is chosen: the worker keeps the last one. */
let chosen = 0;

const number = new Intl.NumberFormat('en');
const say = (text) => (status.textContent = text);

const kindOf = () => (source.value === 'files' || source.value === 'paste' ? source.value : 'attack');

/** What to replay, or null where there is nothing yet. */
function traffic() {
  if (kindOf() === 'attack') return amount.validity.valid ? { attack: source.value, requests: amount.valueAsNumber } : null;
  const files = kindOf() === 'files' ? [...at('log-files').files] : log.value.trim() ? [new File([log.value], 'pasted')] : [];
  return files.length ? { files, log: `${kindOf()} ${chosen}` } : null;
}

function setRunning(yes) {
  running = yes;
  stop.disabled = !yes;
  results.setAttribute('aria-busy', String(yes));
  if (!yes) progress.value = 0;
}

function start() {
  clearTimeout(timer);
  const what = traffic();
  if (!worker) return;
  if (!what) {
    worker.postMessage({ kind: 'stop' });
    setRunning(false);
    say(kindOf() === 'attack' ? 'Write a number of requests from 100 to 2,000,000.' : 'Choose or paste a log.');
    return;
  }
  run += 1;
  setRunning(true);
  worker.postMessage({ kind: 'run', run, policy: policy.value, mode: at('mode').value, tier: at('tier').value.trim(), source: what });
}

const after = (ms) => () => {
  clearTimeout(timer);
  timer = setTimeout(start, ms);
};
const soon = after(DEBOUNCE_MS);
const atOnce = after(NUMBER_DEBOUNCE_MS);

function show({ kind, requests, ms, report, broken }) {
  setRunning(false);
  const lines = report.lines.unreadable ? ` ${number.format(report.lines.unreadable)} of ${number.format(report.lines.read)} lines are no requests.` : '';
  const end = kind === 'stopped' ? 'Stopped after' : 'Replayed';
  const why = broken ? `A log cannot be read to its end (${broken}). ` : '';
  say(`${why}${end} ${number.format(requests)} ${requests === 1 ? 'request' : 'requests'} in ${(ms / 1000).toFixed(1)} s.${lines}`);
  showReport(report);
}

function showReport(report) {
  faults.textContent = '';
  policy.removeAttribute('aria-invalid');
  draw(report);
  results.hidden = false;
}

/** The program is not there, or has come to a stop. */
function fail(text) {
  setRunning(false);
  worker = null;
  say(`The lab's program has failed: ${text}. Load the page again; a smaller log may do.`);
}

function hear({ data }) {
  if (data.kind === 'ready') return start();
  if (data.kind === 'broken') return fail(data.text);
  if (data.run !== run) return;
  if (data.kind === 'numbers') {
    if (data.policy === policy.value) showNumbers(policy, data.numbers, atOnce);
  } else if (data.kind === 'progress') {
    progress.value = data.share;
    say(`${number.format(data.requests)} requests so far.`);
    if (data.report) showReport(data.report);
  } else if (data.kind === 'faults') {
    setRunning(false);
    faults.textContent = data.text;
    policy.setAttribute('aria-invalid', 'true');
    say('The policy has faults; what is shown is of the last good one.');
  } else {
    show(data);
  }
}

function choose() {
  for (const part of document.querySelectorAll('[data-for]')) {
    const wanted = part.dataset.for;
    part.hidden = wanted === 'log' ? kindOf() === 'attack' : wanted !== kindOf();
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  start();
});
stop.addEventListener('click', () => {
  worker.postMessage({ kind: 'stop' });
  at('run').focus();
});
policy.addEventListener('input', soon);
log.addEventListener('input', () => {
  chosen += 1;
  soon();
});
amount.addEventListener('input', soon);
at('tier').addEventListener('input', soon);
at('mode').addEventListener('change', start);
at('log-files').addEventListener('change', () => {
  chosen += 1;
  start();
});
source.addEventListener('change', () => {
  choose();
  start();
});
at('policy-file').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  policy.value = await file.text();
  start();
});

policy.value = EXAMPLE;
choose();
try {
  worker = startWorker();
  worker.addEventListener('message', hear);
  worker.addEventListener('error', (event) => say(`The lab's program cannot be loaded: ${event.message || 'open the page from a server, or use the one-file lab'}`));
} catch (error) {
  say(`This browser does not start the lab's program from here (${error.message}): open the page from a server, or use the one-file lab.`);
}
