// The last minute in a sentence: who is refused, by which rule, how fast, and whether others are served.
import { network, rate } from './dom.js';

const MINUTE_S = 60;

/** The sums over every request, each counted once however many rules hold for it. */
export const all = (rules) => rules.find(({ rule }) => rule === '*') ?? { minute: [0, 0, 0, 0], fine: [], coarse: [] };

/** Networks of `live`, each once: those with the most refusals first, and the rule that refused the most of it. */
export function byNetwork(list) {
  const found = new Map();
  for (const { rule, asn, country, passed, refused } of list) {
    const name = `${asn} ${country}`;
    const one = found.get(name) ?? found.set(name, { asn, country, rule: '', worst: 0, passed: 0, refused: 0 }).get(name);
    one.passed += passed;
    one.refused += refused;
    if (refused > one.worst) Object.assign(one, { rule, worst: refused });
  }
  return [...found.values()].sort((a, b) => b.refused - a.refused || b.passed - a.passed);
}

/** `live` as `GET live` gives it, in pieces: every second one matters most. */
export function summary(live) {
  const { rules } = live;
  const networks = byNetwork(live.networks);
  const total = (column) => all(rules).minute[column];
  const each = (count) => `${rate(count, MINUTE_S)} a second`;
  const refused = total(1);
  if (refused === 0) return total(0) === 0 ? ['Nothing has come.'] : ['', 'Nobody is refused', `; ${each(total(0))} pass.`];
  const [worst, ...others] = networks;
  if (!worst || worst.refused === 0) return ['', each(refused), ' are refused.'];
  const share = Math.min(100, Math.round((worst.refused / refused) * 100));
  const sum = (column) => others.reduce((all, other) => all + other[column], 0);
  const first = ['', `${rate(worst.refused, MINUTE_S)} requests a second from ${network(worst)}`, ' are refused ', worst.rule ? `by rule “${worst.rule}”` : 'by no rule', `: ${share} % of all refusals. `];
  if (others.length === 0) return [...first, '', 'No other network has sent anything.'];
  if (sum('refused') === 0) return [...first, 'All other networks are unharmed', `: ${each(sum('passed'))} pass, none is refused.`];
  return [...first, '', `Of other networks ${each(sum('passed'))} pass and `, `${rate(sum('refused'), MINUTE_S)} are refused`, '.'];
}

/** The same without figures, for whoever listens: it changes only when the picture does. */
export function story(live) {
  const { rules } = live;
  const networks = byNetwork(live.networks);
  if (all(rules).minute[1] === 0) return 'Nobody is refused.';
  const [worst] = networks;
  if (!worst || worst.refused === 0) return 'Requests are refused.';
  const harmed = networks.some((other) => other.refused > 0 && (other.asn !== worst.asn || other.country !== worst.country));
  return `Most refusals are of ${network(worst)}, by ${worst.rule || 'no rule'}. ${harmed ? 'Others are refused too.' : 'Nobody else is refused.'}`;
}
