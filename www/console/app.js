// The console: asks every two seconds while the tab is seen, and shows what it is told.
import { TokenError, ask, token } from './api.js';
import { draw } from './chart.js';
import { byId, element, fill, network, rate, say } from './dom.js';
import { offerLimits, wireForms } from './forms.js';
import { all, summary } from './summary.js';

const EVERY_MS = 2000;
const MINUTE_S = 60;
const WHAT = { refused: 'refused', shadow: 'would be refused', near: 'crossed 80 %' };

let live = null;
let timer = 0;

function showRules() {
  const column = (title, place, name) => ({
    title,
    number: true,
    value: ({ minute }) => rate(minute[place], MINUTE_S),
    class: ({ minute }) => (minute[place] > 0 ? name : ''),
  });
  fill(
    byId('rules'),
    [
      { title: 'Rule', value: ({ rule }) => rule || '(no rule)' },
      column('Passed /s', 0, ''),
      column('Refused /s', 1, 'refused'),
      column('In shadow /s', 2, 'shadow'),
      column('Uncounted /s', 3, 'refused'),
    ],
    live.rules.filter(({ rule }) => rule !== '*'),
    'Nothing has come yet.',
  );
  const select = byId('rule');
  for (const { rule } of live.rules) {
    if ([...select.options].some(({ value }) => value === rule) || rule === '' || rule === '*') continue;
    select.append(element('option', { value: rule }, rule));
  }
}

function showChart() {
  const chosen = byId('rule').value;
  const range = byId('range').value;
  const rule = chosen === '' ? all(live.rules) : live.rules.find(({ rule }) => rule === chosen);
  draw(byId('chart'), rule?.[range] ?? [], live[`${range}_s`]);
}

function showTables() {
  const perSecond = (count) => rate(count, MINUTE_S);
  fill(
    byId('networks'),
    [
      { title: 'Network', value: network },
      { title: 'Rule', value: ({ rule }) => rule || '–' },
      { title: 'Refused /s', number: true, value: ({ refused }) => perSecond(refused), class: ({ refused }) => (refused > 0 ? 'refused' : '') },
      { title: 'Passed /s', number: true, value: ({ passed }) => perSecond(passed) },
    ],
    live.networks,
    'No network in the last minute.',
  );
  fill(
    byId('keys'),
    [
      { title: 'What', value: ({ what }) => WHAT[what] ?? what, class: ({ what }) => (what === 'near' ? '' : what) },
      { title: 'Times', number: true, value: ({ times }) => String(times) },
      { title: 'Limit', value: ({ rule, limit }) => `${rule}.${limit}` },
      { title: 'Key', value: ({ key }) => element('span', { class: 'hash' }, key) },
      { title: 'Network', value: network },
    ],
    live.keys,
    'No key was refused or came near its limit in the last minute.',
  );
  byId('slots-card').hidden = live.slots.length === 0;
  fill(
    byId('slots'),
    [
      { title: 'Limit', value: ({ rule, name }) => `${rule}.${name}` },
      { title: 'Running', number: true, value: ({ running }) => String(running) },
      { title: 'Waiting', number: true, value: ({ waiting }) => String(waiting) },
    ],
    live.slots,
    '',
  );
}

function showFigures() {
  const total = (column) => all(live.rules).minute[column];
  const figures = [['Passed /s', 0, ''], ['Refused /s', 1, 'refused'], ['In shadow /s', 2, 'shadow']];
  byId('figures').replaceChildren(...figures.map(([title, column, name]) =>
    element('div', {}, element('dt', {}, title), element('dd', total(column) > 0 && name ? { class: name } : {}, rate(total(column), MINUTE_S)))));
  say(byId('summary'), summary(live));
}

function showStatus(status) {
  const { policy } = status;
  say(byId('policy'), policy.fingerprint
    ? `mode ${status.mode} · policy ${policy.fingerprint} from ${policy.source} · version ${status.version}`
    : `no policy · version ${status.version}`);
  const alarms = [];
  if (policy.fault) {
    const { source, path, found, expected } = policy.fault;
    alarms.push(['alarm', `The policy in ${source} is not in force. ${path}: ${found}; ${expected}.`]);
  }
  for (const { limit, how, requests } of status.failing) {
    alarms.push(['alarm', `${limit} fails ${how}: its counter could not be reached for ${requests} requests in half a minute.`]);
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
  say(byId('sign-in-fault'), fault);
  if (!signedIn) byId('token').focus();
}

async function refresh() {
  clearTimeout(timer);
  if (token.get() === null) return show(false);
  try {
    const [status, told] = await Promise.all([ask('status'), ask('live')]);
    live = told;
    show(true);
    showStatus(status);
    showFigures();
    showChart();
    showRules();
    showTables();
  } catch (error) {
    if (error instanceof TokenError) {
      token.forget();
      return show(false, error.message);
    }
    say(byId('policy'), `No answer: ${error.message} Trying again.`);
  }
  timer = setTimeout(() => (document.hidden ? undefined : refresh()), EVERY_MS);
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
byId('rule').addEventListener('change', showChart);
byId('range').addEventListener('change', showChart);
document.addEventListener('visibilitychange', () => document.hidden || refresh());
wireForms();
refresh();
