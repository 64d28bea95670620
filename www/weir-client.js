// A fetch that behaves towards a rate limiter: it waits as long as it is told to, backs off where it is told nothing,
// replays only what is safe to replay, and gives up with an error that says when to come back.
//
// It has no dependencies and runs in pages, workers and Node. What it knows (blocked until when) is plain data of the
// client that learned it, so calls that share a client share that knowledge, and no call is made before its time.

import { MAX_DELAY_MS, baseDelay, spread } from './client/delay.js';
import { readLimits, retryAfterMs } from './client/hints.js';
import { BlockMemory } from './client/memory.js';
import { hasReplayableBody, mayReplay, readProblem } from './client/replay.js';

/** The answers that mean "not now": for this caller (429), or for everybody (503). */
const REFUSALS = new Set([429, 503]);

/** Routes, and as many policies, that a client remembers. */
const MAX_ENTRIES = 500;

/** Looked up at each call and not once, so that whoever replaces a global later is heard. */
const DEFAULTS = {
  fetch: (input, init) => globalThis.fetch(input, init),
  // Runs on evenly, whatever the wall clock is set to: a block neither ends early by that nor lasts longer.
  now: () => performance.timeOrigin + performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  setTimeout: (run, ms) => globalThis.setTimeout(run, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  maxRetries: 3,
  maxWaitMs: Infinity,
  maxDelayMs: MAX_DELAY_MS,
  onWait: () => {},
};

/** The request was refused (429 or 503), and waiting did not help, was not allowed, or would have taken too long. */
export class RateLimitedError extends Error {
  constructor({ retryAfter, response, policies, code, attempts }) {
    const whom = policies.length > 0 ? ` by ${policies.join(', ')}` : '';
    super(
      attempts > 0
        ? `refused${whom} with status ${response.status}; may be tried again in ${retryAfter} s`
        : `not sent, because it would be refused${whom}; may be tried in ${retryAfter} s`,
    );
    this.name = 'RateLimitedError';
    this.retryAfter = retryAfter;
    this.response = response;
    this.policies = policies;
    this.code = code;
    this.attempts = attempts;
  }
}

/** Makes a client with a memory of its own. Every option has a default; see weir-client.d.ts. */
export function createClient(options = {}) {
  const settings = withOptions({ ...DEFAULTS, date: options.now ?? DEFAULTS.date }, options);
  const memory = new BlockMemory(MAX_ENTRIES);

  async function send(input, init, options = {}) {
    const call = describe(input, init ?? {});
    const { maxRetries, maxWaitMs, onWait } = withOptions(settings, options);
    // A call's own time never runs behind the timers it has waited for: timers fire early, and clocks are set back.
    let earliest = 0;
    const time = () => Math.max(settings.now(), earliest);
    let waitedMs = 0;
    let attempts = 0;
    let refusal = { response: null, policies: [], code: null };

    for (;;) {
      call.signal?.throwIfAborted();
      const blockedMs = memory.remaining(call.route, time());
      if (blockedMs > 0) {
        const retryAfter = Math.ceil(blockedMs / 1000);
        const delayMs = Math.ceil(blockedMs) + spread(blockedMs, settings.random());
        waitedMs += delayMs;
        if (waitedMs > maxWaitMs) throw new RateLimitedError({ ...refusal, retryAfter, attempts });
        onWait({ delayMs, retryAfter, attempts, policies: refusal.policies });
        // An answer that is waited upon is of no further use; unread, it would keep its connection.
        if (refusal.response?.bodyUsed === false) refusal.response.body?.cancel().catch(() => {});
        earliest = time() + delayMs;
        await sleep(delayMs, call.signal, settings);
        continue;
      }

      const sentAt = time();
      attempts += 1;
      const response = await settings.fetch(input, init);
      const limits = readLimits(response.headers, settings.date());
      memory.learn(call.route, limits.flatMap(({ name }) => name ?? []), time());
      if (!REFUSALS.has(response.status)) {
        memory.passed(call.route, sentAt);
        for (const limit of limits) if (limit.remaining === 0) block(call.route, limit, time());
        return response;
      }

      const problem = await readProblem(response);
      call.signal?.throwIfAborted();
      const policies = problem?.violatedPolicies.length ? problem.violatedPolicies : namesOfSpent(limits);
      refusal = { response, policies, code: problem?.error ?? null };
      const row = memory.refused(call.route, sentAt, time());
      const hintMs =
        retryAfterMs(response.headers.get('retry-after'), response.headers.get('date'), settings.date()) ??
        problem?.retryAfterMs ??
        longestReset(limits);
      const baseMs = baseDelay(hintMs, row, settings.maxDelayMs);
      memory.blockRoute(call.route, baseMs, time());
      for (const name of policies) {
        const limit = limits.find((limit) => limit.name === name && limit.remaining === 0);
        block(call.route, { name, resetMs: limit?.resetMs ?? baseMs }, time());
      }
      if (attempts > maxRetries || !mayReplay(call, problem, response.status)) {
        const retryAfter = Math.ceil(memory.remaining(call.route, time()) / 1000);
        throw new RateLimitedError({ ...refusal, retryAfter, attempts });
      }
    }
  }

  /** Notes that a quota is spent. Where the dialect gives it no name, only the route is known to be affected. */
  function block(route, { name, resetMs }, at) {
    const ms = Math.min(resetMs ?? 0, settings.maxDelayMs);
    if (ms <= 0) return;
    if (name === null) memory.blockRoute(route, ms, at);
    else memory.blockPolicy(route, name, ms, at);
  }

  async function checkAvailability(url, value, { signal, parameter = 'u', timeoutMs = 5000 } = {}) {
    const target = absolute(url);
    target.searchParams.set(parameter, value);
    signal?.throwIfAborted();
    const controller = new AbortController();
    const giveUp = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    const timer = settings.setTimeout(giveUp, timeoutMs);
    try {
      const init = { headers: { accept: 'application/json' }, signal: controller.signal };
      const response = await send(target.href, init, { maxRetries: 0, maxWaitMs: 0 });
      const verdict = response.ok ? (await response.json())?.available : null;
      if (!response.ok) response.body?.cancel().catch(() => {});
      signal?.throwIfAborted();
      return typeof verdict === 'boolean' ? verdict : null;
    } catch {
      // A caller that has given up is told so; whatever else went wrong says nothing about the value.
      signal?.throwIfAborted();
      return null;
    } finally {
      settings.clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  return {
    fetch: send,
    checkAvailability,
    waitTime: (input, init) => memory.remaining(describe(input, init ?? {}).route, settings.now()),
  };
}

const shared = createClient();

/** `fetch` through the client that everything in this page or process shares. */
export const weirFetch = shared.fetch;

/** `checkAvailability` of the shared client. */
export const checkAvailability = shared.checkAvailability;

/** `waitTime` of the shared client. */
export const waitTime = shared.waitTime;

/** What has to be known about a call besides what `fetch` itself is given. */
function describe(input, init) {
  // By its shape: a Request may come from another realm, where `instanceof` does not know it.
  const request = typeof input === 'object' && input !== null && 'url' in input && 'method' in input ? input : null;
  const method = String(init.method ?? request?.method ?? 'GET').toUpperCase();
  const url = absolute(request ? request.url : input);
  return {
    method,
    // HEAD spends the quota of GET. The query is left out: it is what varies from check to check.
    route: { key: `${method === 'HEAD' ? 'GET' : method} ${url.origin}${url.pathname}`, origin: url.origin },
    signal: init.signal ?? request?.signal,
    replayable: hasReplayableBody(request, init, method),
  };
}

/** @param {string | URL} url */
function absolute(url) {
  return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href);
}

function withOptions(defaults, options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const merged = { ...defaults, ...Object.fromEntries(given) };
  const check = (name, holds, expected) => {
    if (!holds) throw new RangeError(`${name}: ${merged[name]} is out of range; give ${expected}`);
  };
  const { maxRetries, maxWaitMs, maxDelayMs } = merged;
  check('maxRetries', Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= 10, 'a whole number from 0 to 10');
  check('maxWaitMs', maxWaitMs >= 0, 'milliseconds, 0 or more');
  check('maxDelayMs', maxDelayMs >= 1000 && maxDelayMs <= MAX_DELAY_MS, `milliseconds from 1000 to ${MAX_DELAY_MS}`);
  return merged;
}

function namesOfSpent(limits) {
  return limits.filter(({ name, remaining }) => name !== null && remaining === 0).map(({ name }) => name);
}

/** The reset of the spent limit that readmits last, or null where none says. */
function longestReset(limits) {
  const resets = limits.filter(({ remaining, resetMs }) => remaining === 0 && resetMs !== null);
  return resets.length > 0 ? Math.max(...resets.map(({ resetMs }) => resetMs)) : null;
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts, and leaves neither timer nor listener. */
function sleep(ms, signal, { setTimeout, clearTimeout }) {
  return new Promise((resolve, reject) => {
    let timer;
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    signal?.addEventListener('abort', stop, { once: true });
    timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
  });
}
