/** What a client is made of. Every member has a default; the functions are there to be replaced in tests. */
export interface ClientOptions extends CallOptions {
  /** Sends one request. Default: the global `fetch`. */
  fetch?: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  /** Milliseconds by a clock that is never set, to measure waits with. Default: `performance.timeOrigin + performance.now()`. */
  now?: () => number;
  /**
   * Milliseconds since 1970, to read a date in an answer that does not say what time it is there. Default: `now` where
   * that is given, else `Date.now`.
   */
  date?: () => number;
  /** A number from 0 up to, but not including, 1. Default: `Math.random`. */
  random?: () => number;
  /** Default: the global `setTimeout`. */
  setTimeout?: (run: () => void, ms: number) => unknown;
  /** Default: the global `clearTimeout`. */
  clearTimeout?: (timer: any) => void;
  /**
   * Longest wait that is believed, in milliseconds, 1,000 to 86,400,000. A server that asks for more is asked again
   * after this. Default: 86,400,000, a day.
   */
  maxDelayMs?: number;
}

/** What may differ from call to call; given to `createClient`, it is the default of all calls. */
export interface CallOptions {
  /** How often a refused request is sent again, 0 to 10. Default: 3. */
  maxRetries?: number;
  /**
   * How long the call may wait in all, in milliseconds. If the next wait would take it beyond, the call fails at once.
   * 0 never waits. Default: no bound, so give one wherever somebody is watching.
   */
  maxWaitMs?: number;
  /** Told of every wait before it begins. */
  onWait?: (wait: Wait) => void;
}

/** A wait that is about to begin. */
export interface Wait {
  /** Milliseconds, the random spread included. */
  delayMs: number;
  /** Whole seconds that have to pass, rounded up, without the spread. */
  retryAfter: number;
  /** Requests sent so far for this call; 0 where it is held back before the first. */
  attempts: number;
  /** Names of the quota policies that refused, as far as they are known. */
  policies: string[];
}

/**
 * The request was refused (429 or 503), and waiting did not help, was not safe (a request that may not be replayed), or
 * would have taken longer than `maxWaitMs`.
 */
export class RateLimitedError extends Error {
  readonly name: 'RateLimitedError';
  /** Whole seconds, rounded up, after which it may be tried again: the server's figure, else the back-off's. */
  readonly retryAfter: number;
  /** The last refusal; null where no request was sent, because it was known that it would be refused. */
  readonly response: Response | null;
  /** Names of the quota policies that refused, as far as they are known. */
  readonly policies: string[];
  /** Weir's code: `rate_limited`, `busy`, `unavailable`; null where the refusal has none. */
  readonly code: string | null;
  /** Requests that were sent. */
  readonly attempts: number;
}

export interface AvailabilityOptions {
  /** Ends the check; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Name of the query parameter that carries the value. Default: `u`. */
  parameter?: string;
  /** After so many milliseconds without an answer the verdict is unknown. Default: 5,000. */
  timeoutMs?: number;
}

export interface Client {
  /**
   * Like `fetch`, with these differences. It makes no call before its time: not before Retry-After is over, and not while
   * a quota that the call would spend is known to be spent. An answer of 429 or 503 is waited upon and the request sent
   * again, provided that it is safe: the method is idempotent, or the refusal is Weir's own (a problem document with its
   * code); and the body is none, text, form data, a Blob or a buffer (leave it unchanged meanwhile), never a stream and
   * never that of a Request object. A refusal that remains is a RateLimitedError and never a Response.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit, options?: CallOptions): Promise<Response>;
  /**
   * Asks `url` whether `value` is free: GET with the value in a query parameter, answered by `{ "available": boolean }`.
   * True or false is the server's verdict. Null is unknown: refused, failing, offline, or not asked because it would be
   * refused. It never waits for its turn and never retries.
   */
  checkAvailability(url: string | URL, value: string, options?: AvailabilityOptions): Promise<boolean | null>;
  /** Milliseconds until such a call may be made; 0 where nothing is known against it. */
  waitTime(input: RequestInfo | URL, init?: RequestInit): number;
}

/**
 * Makes a client with a memory of its own. Calls that belong to one caller (one session, one API key) should share one
 * client; different callers should not, since one's spent quota would hold back the other.
 */
export function createClient(options?: ClientOptions): Client;

/** `fetch` of the client that everything in this page or process shares. */
export const weirFetch: Client['fetch'];
/** `checkAvailability` of the shared client. */
export const checkAvailability: Client['checkAvailability'];
/** `waitTime` of the shared client. */
export const waitTime: Client['waitTime'];
