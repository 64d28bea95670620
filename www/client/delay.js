// How long to wait after a refusal. All figures are milliseconds.

/** No call follows a refusal sooner, whatever the server says. */
export const MIN_GAP_MS = 250;

/** Back-off without a hint starts here and doubles up to MAX_BACKOFF_MS. */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/** Longest wait that is believed: a day. A timer's range is 24.8 days (2^31 ms); beyond it one fires at once. */
export const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

/** Bounds of the spread that is added to a wait; between them it is half of the wait. */
const MIN_SPREAD_MS = 500;
const MAX_SPREAD_MS = 30_000;

/** Timers may fire a millisecond early; even the smallest spread makes up for it. */
const TIMER_SLACK_MS = 5;

/**
 * The time before which no call is made.
 * @param {number | null} hintMs what the server asked for
 * @param {number} refusals how many in a row, this one included
 * @param {number} maxDelayMs
 */
export function baseDelay(hintMs, refusals, maxDelayMs) {
  const doubled = (first) => Math.min(first * 2 ** Math.min(refusals - 1, 16), MAX_BACKOFF_MS);
  // The least gap doubles as well: a server that keeps answering "0" is not asked four times a second.
  const asked = hintMs === null ? doubled(FIRST_BACKOFF_MS) : Math.max(hintMs, doubled(MIN_GAP_MS));
  return Math.min(asked, maxDelayMs);
}

/**
 * What is added to a wait so that clients refused in the same instant do not come back in the same instant. Never
 * negative: a wait is never shortened.
 * @param {number} waitMs
 * @param {number} random in [0, 1)
 */
export function spread(waitMs, random) {
  const width = Math.min(Math.max(waitMs / 2, MIN_SPREAD_MS), MAX_SPREAD_MS);
  return TIMER_SLACK_MS + Math.floor(width * random);
}
