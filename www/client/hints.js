// What an answer says about when to come back: Retry-After (RFC 9110, section 10.2.3) and the RateLimit fields
// in the dialects that Weir speaks. Nothing here waits, stores or decides; what cannot be read is null.

/** A field longer than this is not read: Weir's are far shorter, and parsing has to stay bounded. */
const MAX_FIELD_CHARS = 8192;

/** A reset at or above this is a moment (seconds since 1970), as some servers send it, and not a number of seconds. */
const FIRST_EPOCH_S = 1_000_000_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CLOCK = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

/**
 * The three forms of a date that RFC 9110 (section 5.6.7) asks a recipient to read. `Date.parse` is not used: it takes
 * the third for local time, and reads much that is no date at all.
 */
const DATE_FORMS = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${CLOCK} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${CLOCK} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
];

/**
 * Milliseconds since 1970, or null where `text` is no HTTP-date.
 * @param {string} text
 * @param {number} nowMs decides the century of a two-digit year
 */
export function parseHttpDate(text, nowMs) {
  for (const form of DATE_FORMS) {
    const found = form.exec(text)?.groups;
    if (!found) continue;
    const month = MONTHS.indexOf(found.month);
    if (month < 0) return null;
    let year = Number(found.year);
    if (found.year.length === 2) {
      // RFC 9110: what would lie more than 50 years ahead is meant to be in the past.
      const thisYear = new Date(nowMs).getUTCFullYear();
      year += thisYear - (thisYear % 100);
      if (year > thisYear + 50) year -= 100;
    }
    return Date.UTC(year, month, Number(found.day), Number(found.hour), Number(found.minute), Number(found.second));
  }
  return null;
}

/**
 * Milliseconds to wait by a Retry-After field, or null where it gives no usable answer: absent, negative, unreadable, or
 * a moment that is over (most likely a clock that is wrong, so nobody knows how long). `0` is an answer. A fraction is
 * not in the grammar, but what it means is plain, and to wait for less would be to come early.
 * @param {string | null} value the field
 * @param {string | null} date the answer's Date field: the server's own clock, which a date form is measured against
 * @param {number} nowMs this side's clock, for an answer without a Date
 */
export function retryAfterMs(value, date, nowMs) {
  const text = value?.trim() ?? '';
  if (text === '' || text.length > MAX_FIELD_CHARS) return null;
  // Of several fields, which a Headers object joins by commas, the one that takes longest is kept to.
  if (/^\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*$/.test(text)) return Math.ceil(Math.max(...text.split(',').map(Number)) * 1000);
  const moment = parseHttpDate(text, nowMs);
  if (moment === null) return null;
  const ahead = moment - (parseHttpDate(date?.trim() ?? '', nowMs) ?? nowMs);
  return ahead > 0 ? ahead : null;
}

const QUOTED = '"(?:[^"\\\\]|\\\\["\\\\])*"';
const PARAMETER = new RegExp(`\\s*;\\s*([a-z*][a-z0-9_.*-]*)(?:=(${QUOTED}|[^\\s;,"]+))?`, 'y');
const NAME = new RegExp(`\\s*(${QUOTED}|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_\`|~:/-]*)`, 'y');
const SEPARATOR = /\s*(?:,(?=\s*\S)|$)/y;

/**
 * The items of a structured field's list (RFC 9651), each with its name and parameters. As that standard asks, a field
 * that does not parse is ignored whole.
 * @param {string | null} field
 * @returns {{ name: string, parameters: Map<string, string> }[]}
 */
export function parseItems(field) {
  const items = [];
  if (!field || field.length > MAX_FIELD_CHARS) return items;
  let position = 0;
  const take = (pattern) => {
    pattern.lastIndex = position;
    const found = pattern.exec(field);
    if (found) position = pattern.lastIndex;
    return found;
  };
  while (position < field.length) {
    const name = take(NAME);
    if (!name) return [];
    const parameters = new Map();
    for (let found = take(PARAMETER); found; found = take(PARAMETER)) parameters.set(found[1], unquote(found[2] ?? ''));
    items.push({ name: unquote(name[1]), parameters });
    if (!take(SEPARATOR)) return [];
  }
  return items;
}

/** @param {string} text */
function unquote(text) {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
}

/** @param {string | null | undefined} text */
function wholeNumber(text) {
  return text && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

/**
 * The limits that an answer reports. `name` is null where the dialect names none; `remaining` and `resetMs` are null
 * where the answer does not say.
 * @param {Headers} headers
 * @param {number} nowMs
 * @returns {{ name: string | null, remaining: number | null, resetMs: number | null }[]}
 */
export function readLimits(headers, nowMs) {
  const limits = new Map();
  for (const { name } of parseItems(headers.get('ratelimit-policy'))) {
    limits.set(name, { name, remaining: null, resetMs: null });
  }
  for (const { name, parameters } of parseItems(headers.get('ratelimit'))) {
    const remaining = wholeNumber(parameters.get('r'));
    const reset = wholeNumber(parameters.get('t'));
    // An item without `r` belongs to another revision of the draft, or to something else altogether.
    if (remaining !== null) limits.set(name, { name, remaining, resetMs: reset === null ? null : reset * 1000 });
  }
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    const remaining = wholeNumber(headers.get(`${prefix}-remaining`));
    const reset = wholeNumber(headers.get(`${prefix}-reset`));
    if (remaining === null || reset === null) continue;
    const resetMs = reset >= FIRST_EPOCH_S ? Math.max(reset * 1000 - nowMs, 0) : reset * 1000;
    limits.set(prefix.toUpperCase(), { name: null, remaining, resetMs });
  }
  return [...limits.values()];
}
