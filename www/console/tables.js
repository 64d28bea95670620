// The tables of the last minute: rules, networks, keys, slots.
import { byId, element, fill, network, rate } from './dom.js';
import { byNetwork } from './summary.js';

const MINUTE_S = 60;
const perSecond = (count) => rate(count, MINUTE_S);
const red = (count) => (count > 0 ? 'refused' : '');

/** What a rule does in the policy in force; a rule that was in an earlier one has no mode. */
const modeOf = (policy, name) => policy.rules.find((rule) => rule.name === name)?.mode ?? '';

/** Those that refuse the most first, then by what failed, would be refused, and passed. */
const busier = (a, b) => b[1] - a[1] || b[3] - a[3] || b[2] - a[2] || b[0] - a[0];

export function showRules(live, { policy }) {
  const rules = live.rules.filter(({ rule }) => rule !== '*').sort((a, b) => busier(a.minute, b.minute));
  const column = (title, place, name) => ({
    title,
    number: true,
    value: ({ minute }) => perSecond(minute[place]),
    class: ({ minute }) => (minute[place] > 0 ? name : ''),
  });
  fill(
    byId('rules'),
    [
      { title: 'Rule', value: ({ rule }) => rule || '(no rule)' },
      { title: 'Mode', value: ({ rule }) => modeOf(policy, rule) || '–' },
      column('Passed', 0, ''),
      column('Refused', 1, 'refused'),
      column('In shadow', 2, 'shadow'),
      ...(rules.some(({ minute }) => minute[3] > 0) ? [column('Uncounted', 3, 'refused')] : []),
    ],
    rules,
    'Nothing has come yet.',
  );
}

export function showNetworks(live) {
  fill(
    byId('networks'),
    [
      { title: 'Network', value: network },
      { title: 'Refused by', value: ({ rule }) => rule || '–' },
      { title: 'Refused', number: true, value: ({ refused }) => perSecond(refused), class: ({ refused }) => red(refused) },
      { title: 'Passed', number: true, value: ({ passed }) => perSecond(passed) },
    ],
    byNetwork(live.networks),
    'No network in the last minute.',
  );
}

/** A key's hash, cut for the eye, as a button that opens it. */
export function keyButton(seen, open) {
  const name = `${seen.rule}.${seen.limit}`;
  const made = element('button', { type: 'button', class: 'hash link', 'data-id': `${seen.what} ${name} ${seen.key}`, 'aria-label': `Key ${seen.key} of ${name}` }, `${seen.key.slice(0, 10)}…`);
  made.addEventListener('click', () => open(seen));
  return made;
}

/** Keys of one kind. */
export function showKeys(table, keys, empty, open) {
  fill(
    table,
    [
      { title: 'Key', value: (seen) => keyButton(seen, open) },
      { title: 'Limit', value: ({ rule, limit }) => `${rule}.${limit}` },
      { title: 'Network', value: network },
      { title: 'Times', number: true, value: ({ times }) => String(times) },
    ],
    keys,
    empty,
  );
}

export function showSlots(live, { policy }) {
  const most = ({ rule, name }) => policy.rules.find((known) => known.name === rule)?.concurrency.find((slot) => slot.name === name);
  byId('slots-card').hidden = live.slots.length === 0;
  fill(
    byId('slots'),
    [
      { title: 'Limit', value: ({ rule, name }) => `${rule}.${name}` },
      { title: 'Running', number: true, value: ({ running }) => String(running) },
      { title: 'Waiting', number: true, value: ({ waiting }) => String(waiting), class: ({ waiting }) => (waiting > 0 ? 'shadow' : '') },
      { title: 'Most of each key', number: true, value: (slot) => (most(slot) ? `${most(slot).running} and ${most(slot).waiting}` : '–') },
    ],
    live.slots,
    '',
  );
}

const window = (seconds) => {
  for (const [unit, length] of [['d', 86400], ['h', 3600], ['m', 60]]) if (seconds % length === 0) return `${seconds / length}${unit}`;
  return `${seconds}s`;
};

export function showPolicy({ mode, version, policy }) {
  const { fingerprint, source, loaded_at: at } = policy;
  byId('in-force').textContent = fingerprint
    ? `${fingerprint}, from ${source}, loaded ${new Date(at).toLocaleString()}; mode ${mode}; Weir ${version}.`
    : `None: traffic passes unlimited. Weir ${version}.`;
  const limit = ({ name, quota, window_s: seconds }) => `${name}: ${quota} in ${window(seconds)}`;
  const slot = ({ name, running, waiting }) => `${name}: ${running} run, ${waiting} wait`;
  fill(
    byId('policy-rules'),
    [
      { title: 'Rule', value: ({ name }) => name },
      { title: 'Mode', value: ({ mode }) => mode },
      { title: 'Limits', wrap: true, value: ({ limits, concurrency }) => [...limits.map(limit), ...concurrency.map(slot)].join('; ') || '–' },
    ],
    policy.rules,
    'No rules.',
  );
}
