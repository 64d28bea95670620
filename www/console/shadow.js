// Rules in shadow beside what is enforced: the page from which one decides.
import { byId, element, fill, network } from './dom.js';
import { all } from './summary.js';
import { keyButton } from './tables.js';

const percent = (part, whole) => (whole === 0 ? '–' : part > 0 && part / whole < 0.01 ? '< 1 %' : `${Math.round((100 * part) / whole)} %`);
const sum = (steps) => steps.reduce((sums, step) => sums.map((count, place) => count + step[place]), [0, 0, 0, 0]);
const NAMED = 5;

function table(rule, every, live) {
  const minutes = Math.round((every.fine.length * live.fine_s) / 60);
  const hours = Math.round((every.coarse.length * live.coarse_s) / 3600);
  const spans = [
    ['the last minute', rule.minute, every.minute],
    [`${minutes} minutes`, sum(rule.fine), sum(every.fine)],
    [`${hours} hours`, sum(rule.coarse), sum(every.coarse)],
  ];
  const made = element('table');
  fill(
    made,
    [
      { title: 'In', value: ([span]) => span },
      { title: 'It let pass', number: true, value: ([, own]) => String(own[0]) },
      { title: 'Of these it would refuse', number: true, value: ([, own]) => `${own[2]} (${percent(own[2], own[0])})`, class: ([, own]) => (own[2] > 0 ? 'shadow' : '') },
      { title: 'Refused by what is enforced', number: true, value: ([, , total]) => `${total[1]} (${percent(total[1], total[0] + total[1])})`, class: ([, , total]) => (total[1] > 0 ? 'refused' : '') },
    ],
    spans,
    '',
  );
  return made;
}

function whom(keys, open) {
  if (keys.length === 0) return element('p', { class: 'quiet' }, 'Nobody in the last minute.');
  const list = element('ul', { class: 'plain-list' });
  for (const seen of keys.slice(0, NAMED)) list.append(element('li', {}, keyButton(seen, open), ` ${network(seen)}, ${seen.times} times`));
  const more = keys.length > NAMED ? [element('li', { class: 'quiet' }, `and ${keys.length - NAMED} more`)] : [];
  list.append(...more);
  return list;
}

/** One block for each rule in shadow. */
export function showShadow(live, { policy }, open) {
  const names = policy.rules.filter(({ mode }) => mode === 'shadow').map(({ name }) => name);
  // a rule that enforces for a share of its keys is in shadow for the others
  const partly = live.rules.filter(({ rule, coarse }) => rule !== '*' && !names.includes(rule) && sum(coarse)[2] > 0).map(({ rule }) => rule);
  const wanted = [...names, ...partly];
  byId('shadow-card').hidden = wanted.length === 0;
  const nothing = { minute: [0, 0, 0, 0], fine: [], coarse: [] };
  const focused = document.activeElement?.dataset?.id;
  byId('shadow').replaceChildren(
    ...wanted.map((name) => {
      const rule = live.rules.find((known) => known.rule === name) ?? nothing;
      const keys = live.keys.filter((seen) => seen.what === 'shadow' && seen.rule === name);
      return element(
        'section',
        { class: 'block', 'aria-label': `Rule ${name}` },
        element('h3', {}, name, ' ', element('span', { class: 'tag' }, names.includes(name) ? 'in shadow' : 'partly in shadow')),
        element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `What ${name} would do` }, table(rule, all(live.rules), live)),
        element('h4', {}, 'Whom it would refuse'),
        whom(keys, open),
      );
    }),
  );
  if (focused) byId('shadow').querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}
