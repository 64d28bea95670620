// A world in which time stands still until a test moves it: a clock, its timers, and a server that answers by a script.

import { createClient } from '../../www/weir-client.js';

/** Half past nine on a Sunday; any moment at which a second begins would do. */
export const START = Date.UTC(2026, 10, 29, 9, 30, 0);

/**
 * @param {((call: Call) => Response | Promise<Response>)[]} script one answer per call; the last one repeats
 * @param {object} options passed on to `createClient`
 */
export function world(script, options = {}) {
  let now = START;
  const timers = new Map();
  let lastTimer = 0;
  let timerSet = () => {};
  const calls = [];

  const client = createClient({
    now: () => now,
    random: () => 0.5,
    setTimeout(run, ms) {
      // As in a browser: what does not fit 32 bits fires at once.
      const delay = ms > 2 ** 31 - 1 ? 1 : ms;
      timers.set(++lastTimer, { at: now + delay, run });
      timerSet();
      return lastTimer;
    },
    clearTimeout: (timer) => timers.delete(timer),
    async fetch(input, init) {
      init?.signal?.throwIfAborted();
      const call = { at: now, input, init };
      calls.push(call);
      return script[Math.min(calls.length, script.length) - 1](call);
    },
    ...options,
  });

  /** Moves time from timer to timer until `promise` is settled; resolves to how it ended. */
  async function outcome(promise) {
    let ended = null;
    promise.then(
      (value) => (ended = { value }),
      (error) => (ended = { error }),
    );
    for (;;) {
      await Promise.race([promise.catch(() => {}), new Promise((resolve) => armed(resolve))]);
      if (ended) return ended;
      if (timers.size === 0) continue; // cleared in the meantime
      const [id, next] = [...timers].sort(([, a], [, b]) => a.at - b.at)[0];
      timers.delete(id);
      now = Math.max(now, next.at);
      next.run();
    }
  }

  /** Calls back as soon as a timer is pending. */
  function armed(callback) {
    timerSet = callback;
    if (timers.size > 0) callback();
  }

  return {
    client,
    calls,
    outcome,
    timers,
    /** Resolves as soon as a timer is pending. */
    waiting: () => new Promise(armed),
    pass: (ms) => (now += ms),
    now: () => now,
    /** Milliseconds between one call and the next. */
    gaps: () => calls.slice(1).map((call, index) => call.at - calls[index].at),
  };
}

export const ok = (headers = {}, body = 'fine') => () => new Response(body, { headers });

/** A refusal by something that is not Weir. */
export const refused = (headers = {}, status = 429) => () => new Response('no', { status, headers });

/** A refusal as Weir words it. */
export function refusedByWeir({ status = 429, error = 'rate_limited', retryAfter, policies = [], headers = {} } = {}) {
  const problem = { type: 'about:blank', title: 'Refused', status, error, retryAfter, 'violated-policies': policies };
  if (retryAfter !== undefined) headers = { 'retry-after': String(retryAfter), ...headers };
  return () =>
    new Response(JSON.stringify(problem), { status, headers: { 'content-type': 'application/problem+json', ...headers } });
}
