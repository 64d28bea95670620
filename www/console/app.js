// The console: asks every two seconds while the tab is seen, and shows what it is told.
import { TokenError, ask, token } from './api.js';
import { draw } from './chart.js';
import { byId, element, rate, say } from './dom.js';
import { offerLimits, wireForms } from './forms.js';
import { keepLive, openKey, wireKey } from './key.js';
import { showShadow } from './shadow.js';
import { all, story, summary } from './summary.js';
import { showKeys, showNetworks, showPolicy, showRules, showSlots } from './tables.js';

const EVERY_MS = 2000;
/** What status tells changes seldom. */
const STATUS_EVERY_MS = 10_000;
const MINUTE_S = 60;

let live = null;
let status = null;
let statusAt = -Infinity;
let timer = 0;
let paused = false;

function showChart() {
  const chosen = byId('rule').value;
  const [range, most] = byId('range').value.split(' ');
  const rule = chosen === '' ? all(live.rules) : live.rules.find(({ rule }) => rule === chosen);
  draw(byId('chart'), (rule?.[range] ?? []).slice(-(most ?? 0)), live[`${range}_s`]);
}

function offerRules() {
  const select = byId('rule');
  for (const { rule } of live.rules) {
    if ([...select.options].some(({ value }) => value === rule) || rule === '' || rule === '*') continue;
    select.append(element('option', { value: rule }, rule));
  }
}

function showFigures() {
  const total = (column) => all(live.rules).minute[column];
  const figures = [['Passed /s', 0, ''], ['Refused /s', 1, 'refused'], ['In shadow /s', 2, 'shadow'], ['Uncounted /s', 3, 'refused']];
  byId('figures').replaceChildren(...figures.map(([title, column, name]) =>
    element('div', {}, element('dt', {}, title), element('dd', total(column) > 0 && name ? { class: name } : {}, rate(total(column), MINUTE_S)))));
  const pieces = summary(live);
  if (byId('summary').textContent !== pieces.join('')) {
    byId('summary').replaceChildren(...pieces.map((text, i) => (i % 2 ? element('strong', {}, text) : text)));
  }
  say(byId('spoken'), story(live));
}

function showStatus() {
  const { policy } = status;
  say(byId('policy'), policy.fingerprint
    ? `mode ${status.mode} · policy ${policy.fingerprint} from ${policy.source} · version ${status.version}`
    : `no policy · version ${status.version}`);
  const alarms = [];
  if (policy.fault) {
    const { source, path, found, expected } = policy.fault;
    alarms.push(['alarm', `The policy in ${source} is not in force. ${path}: ${found}; ${expected}.`]);
  }
  for (const { limit, how } of live.failing) {
    const then = how === 'open' ? 'requests pass uncounted, or are counted by each isolate alone' : 'requests are refused for it';
    alarms.push(['alarm', `${limit} fails ${how}: its counter cannot be reached, and ${then}.`]);
  }
  for (const warning of status.warnings) alarms.push(['alarm mild', warning]);
  const box = byId('alarms');
  if ([...box.children].map(({ textContent }) => textContent).join() !== alarms.map(([, text]) => text).join()) {
    box.replaceChildren(...alarms.map(([name, text]) => element('p', { class: name }, text)));
  }
  offerLimits(policy.rules);
}

function show(signedIn, fault = '') {
  byId('sign-in').hidden = signedIn;
  byId('board').hidden = !signedIn;
  byId('sign-out').hidden = !signedIn;
  byId('pause').hidden = !signedIn;
  say(byId('sign-in-fault'), fault);
  if (!signedIn) byId('token').focus();
}

function showAll() {
  showStatus();
  showFigures();
  offerRules();
  showChart();
  showRules(live, status);
  showNetworks(live);
  const keys = (kind) => live.keys.filter(({ what }) => what === kind);
  const refused = keys('refused');
  const isRefused = (seen) => refused.some(({ rule, limit, key }) => rule === seen.rule && limit === seen.limit && key === seen.key);
  showKeys(byId('keys'), refused, 'No key was refused in the last minute.', openKey);
  showKeys(byId('near'), keys('near').filter((seen) => !isRefused(seen)), 'No other key came near its limit in the last minute.', openKey);
  showShadow(live, status, openKey);
  showSlots(live, status);
  showPolicy(status);
}

async function refresh() {
  clearTimeout(timer);
  if (token.get() === null) return show(false);
  try {
    const isOld = performance.now() - statusAt > STATUS_EVERY_MS;
    const [told, newer] = await Promise.all([ask('live'), isOld ? ask('status') : status]);
    if (isOld) statusAt = performance.now();
    [live, status] = [told, newer];
    keepLive(live);
    show(true);
    showAll();
  } catch (error) {
    if (error instanceof TokenError) {
      token.forget();
      return show(false, error.message);
    }
    say(byId('policy'), `No answer: ${error.message} Trying again.`);
  }
  if (!paused) timer = setTimeout(() => (document.hidden ? undefined : refresh()), EVERY_MS);
}

byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  token.set(byId('token').value);
  byId('token').value = '';
  refresh();
});
byId('sign-out').addEventListener('click', () => {
  token.forget();
  refresh();
});
byId('pause').addEventListener('click', () => {
  paused = !paused;
  byId('pause').setAttribute('aria-pressed', String(paused));
  if (paused) clearTimeout(timer);
  else refresh();
});
byId('rule').addEventListener('change', showChart);
byId('range').addEventListener('change', showChart);
document.addEventListener('visibilitychange', () => document.hidden || paused || refresh());
wireForms();
wireKey();
refresh();
