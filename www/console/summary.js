// The last minute in a sentence: who is refused, by which rule, how fast, and whether others are served.
import { network, rate } from './dom.js';

const MINUTE_S = 60;

/** The sums over every request, each counted once however many rules hold for it. */
export const all = (rules) => rules.find(({ rule }) => rule === '*') ?? { minute: [0, 0, 0, 0], fine: [], coarse: [] };

/** `live` as `GET live` gives it. */
export function summary({ networks, rules }) {
  const total = (column) => all(rules).minute[column];
  const refused = total(1);
  if (refused === 0) return total(0) === 0 ? 'Nothing has come.' : `Nobody is refused; ${rate(total(0), MINUTE_S)} requests a second pass.`;
  const [worst] = networks;
  if (!worst || worst.refused === 0) return `${rate(refused, MINUTE_S)} requests a second are refused.`;
  const share = Math.min(100, Math.round((worst.refused / refused) * 100));
  const same = (other) => other.asn === worst.asn && other.country === worst.country;
  const others = networks.filter((other) => !same(other));
  const sum = (column) => others.reduce((all, other) => all + other[column], 0);
  const served = sum('passed') + sum('refused');
  const bystanders =
    served === 0
      ? 'No other network has sent anything.'
      : sum('refused') === 0
        ? `All other networks are unharmed: ${rate(served, MINUTE_S)} a second pass, none is refused.`
        : `Of other networks ${rate(sum('passed'), MINUTE_S)} a second pass and ${rate(sum('refused'), MINUTE_S)} are refused.`;
  const rule = worst.rule ? `by rule “${worst.rule}”` : 'by no rule';
  return `${rate(worst.refused, MINUTE_S)} requests a second from ${network(worst)} are refused ${rule}: ${share} % of all refusals. ${bystanders}`;
}
