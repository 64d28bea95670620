// One key: what its counter holds now, what happened to it in the last minute, and a way to lift it.
import { ask } from './api.js';
import { byId, element, network, say } from './dom.js';

const WHAT = { refused: 'refused', shadow: 'would be refused by a rule in shadow', near: 'came over 80 % of the quota' };

let shown = null;
let live = null;

const facts = (pairs) =>
  pairs.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);

const often = (count) => (count === 1 ? 'once' : `${count} times`);
const WOULD = { pass: 'would pass', refuse: 'would be refused', 'refuse in shadow': 'would be refused, in shadow' };

function counter({ quota, window_s: seconds, remaining, blocked, would, retry_after_s: wait }) {
  if (remaining === undefined) return [['Counter', 'Its object could not be reached.']];
  return [
    ['Left', `${remaining} of ${quota}, in ${seconds} s`],
    ['Blocked', blocked ? 'yes' : 'no'],
    ['Next request', `${WOULD[would]}${wait ? `, for ${wait} s more` : ''}`],
  ];
}

/** Others that the console shows of the same network. */
function neighbours() {
  const same = (other) => other.asn === shown.asn && other.country === shown.country && other.key !== shown.key;
  return new Set(live.keys.filter(same).map(({ key }) => key)).size;
}

async function look() {
  const of = live.keys.filter(({ key }) => key === shown.key);
  const happened = of.map(({ what, times }) => `${WHAT[what]} ${often(times)}`).join('; ');
  byId('key-title').textContent = `A key of ${shown.rule}.${shown.limit}`;
  const known = [
    ['Hash', element('span', { class: 'hash' }, shown.key)],
    ['Network', `${network(shown)}; ${neighbours()} other keys from there are listed`],
    ['Last minute', happened || 'nothing any more'],
  ];
  byId('key-facts').replaceChildren(...facts(known));
  try {
    const told = await ask('explain', { object: shown.object, ask: shown.ask });
    byId('key-facts').replaceChildren(...facts([...known, ...counter(told.counter)]));
  } catch (error) {
    say(byId('key-said'), error.message);
  }
}

/** Opens a key of `told.keys`. */
export function openKey(seen) {
  shown = seen;
  say(byId('key-said'), '');
  byId('key').showModal();
  look();
}

/** What `live` told last. */
export const keepLive = (told) => {
  live = told;
};

export function wireKey() {
  byId('key-again').addEventListener('click', () => {
    say(byId('key-said'), '');
    look();
  });
  byId('key-close').addEventListener('click', () => byId('key').close());
  byId('key-lift').addEventListener('click', async () => {
    try {
      const { counters } = await ask('unblock', { object: shown.object, ask: shown.ask });
      await look();
      say(byId('key-said'), counters === 0 ? 'Nothing was counted for this key.' : 'Lifted: this key starts anew. An isolate that remembers the refusal forgets it within ten seconds.');
    } catch (error) {
      say(byId('key-said'), error.message);
    }
  });
}
