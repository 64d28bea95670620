// What JavaScript does better than Rust across the boundary: chaining promises and handling
// streams. It decides nothing: every limit, status and time in here was handed over by Rust.

// ---- starting anew after a trap (see entry.js)

export const initState = { criticalError: false, instanceId: 0 };

export function panicked(message) {
  console.error("Critical", new Error(`Rust panic: ${message}`));
  initState.criticalError = true;
}

// ---- requests

/** Heads that Rust has numbered, by number; the numbers by head; and the head that was looked up last. */
const numbered = [];
const numbers = new Map();
let latest = "";

/** The number of the request's head, see `head`; -1 where it has none. */
export function numberOf(request, address) {
  latest = head(request, address);
  return numbers.get(latest) ?? -1;
}

export function latestHead() {
  return latest;
}

/** Gives the head that was looked up last a number, and takes it from the head that had it. */
export function numberLatest(number) {
  const before = numbered[number];
  // After a trap Rust counts from 0 again: a head may have been given another number since.
  if (numbers.get(before) === number) numbers.delete(before);
  numbered[number] = latest;
  numbers.set(latest, number);
}

/**
 * What every request is asked: `+` where there is a body, else `-`, and at once the method; the URL;
 * and, where the header is there, the client's address. A line each.
 */
export function head(request, address = "cf-connecting-ip") {
  const client = request.headers.get(address);
  const start = `${request.body === null ? "-" : "+"}${request.method}\n${request.url}`;
  return client === null ? start : `${start}\n${client}`;
}

export function header(request, name) {
  return request.headers.get(name) ?? undefined;
}

export function accept(request) {
  return request.headers.get("accept") ?? undefined;
}

/** The client has gone away. */
export const hasLeft = ({ signal }) => signal?.aborted === true;

/** Number and country of the client's network, a line each; empty where the platform does not say. */
export function network(request) {
  const { asn, country } = request.cf ?? {};
  return `${asn ?? ""}\n${country ?? ""}`;
}

/** Bytes of all header names and values, as characters: a value's bytes are one character each. */
export function headerBytes(request) {
  let bytes = 0;
  for (const [name, value] of request.headers) bytes += name.length + value.length;
  return bytes;
}

// ---- calls to counter objects

const ASK = "http://counter/";

/**
 * Asks several objects at once. `names`, `hints` and `messages` are lines of the same number.
 * Resolves to as many lines: an answer, or `!` and why there is none: `t` no answer in time,
 * `o` overloaded, `r` worth a retry, `f` failed.
 */
export function ask(namespace, names, hints, messages, timeoutMs) {
  const hint = hints.split("\n");
  const message = messages.split("\n");
  const calls = names.split("\n").map((name, i) => one(namespace, name, hint[i], message[i], timeoutMs));
  return calls.length === 1 ? calls[0] : Promise.all(calls).then((lines) => lines.join("\n"));
}

/**
 * Asks one object, as `ask` does; `question` is its name, hint and message, and `go` goes on, even when
 * the client has left.
 */
export function askOne(namespace, question, timeoutMs, go, context) {
  const [name, hint, message] = question.split("\n");
  const asked = one(namespace, name, hint, message, timeoutMs);
  context.waitUntil(asked);
  return asked.then((line) => {
    try {
      return go(line);
    } catch (error) {
      // Nobody else would see a trap here: it only rejects this promise.
      if (error instanceof WebAssembly.RuntimeError) initState.criticalError = true;
      throw error;
    }
  });
}

function one(namespace, name, hint, message, timeoutMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, "!t");
    const settle = (line) => {
      clearTimeout(timer);
      resolve(line);
    };
    const fail = (error) => settle(error?.overloaded ? "!o" : error?.retryable ? "!r" : "!f");
    try {
      const stub = namespace.getByName(name, hint ? { locationHint: hint } : undefined);
      stub.fetch(ASK + message).then((response) => settle(response.headers.get("a") ?? "!f"), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** What a promise of a list of one thing holds. */
export const only = (done) => done.then(([one]) => one);

/** Tells objects something whose answer nobody waits for; never rejects. */
export function tell(namespace, names, hints, messages, timeoutMs) {
  return ask(namespace, names, hints, messages, timeoutMs).then(() => undefined);
}

/** The answer of an object. */
export function answer(text) {
  return new Response(null, { headers: { a: text } });
}

// ---- KV

/** Longer than anybody waits: a request that the platform ends while it reads would never be let go of. */
const LONGEST_READ_MS = 5_000;

/**
 * A value: its text, null where there is none, false where it is longer than `max` bytes (no more
 * of it is read), undefined where KV failed or is silent. Never rejects.
 */
export function kvText(namespace, key, max) {
  const silent = new Promise((resolve) => {
    setTimeout(resolve, LONGEST_READ_MS);
  });
  return Promise.race([read(namespace, key, max), silent]);
}

async function read(namespace, key, max) {
  try {
    const stream = await namespace.get(key, "stream");
    if (stream === null) return null;
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > max) {
        reader.cancel().catch(() => {});
        return false;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return undefined;
  }
}

/** True once the promise is settled, false where that takes longer than `ms`. */
export function within(promise, ms) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

// ---- responses of our own

/** `headers` is lines of name and value in turn. */
export function respond(status, headers, body) {
  return new Response(body, { status, headers: pairs(headers) });
}

/** Refusals that `again` can give once more; whichever comes next takes the place of the oldest. */
const MADE = 64;
const made = [];
/** Longer values of Accept are not kept. */
const LONGEST_ACCEPT = 512;

/**
 * A refusal: lines of name and value in turn and, where there is a body, a NUL before it. It can be
 * had again by its `id`, where that is not negative.
 */
export function refusal(status, text, id, request) {
  const end = text.indexOf("\0");
  const body = end < 0 ? null : text.slice(end + 1);
  const init = { status, headers: pairs(end < 0 ? text : text.slice(0, end)) };
  if (id < 0) return new Response(body, init);
  const kind = request.headers.get("accept");
  // Without a body it belongs to no request, and its headers are copied without a look at them.
  const kept = new Response(null, init);
  // Ids start anew after a trap, so nothing older may stand in this one's place.
  made[id % MADE] = kind === null || kind.length <= LONGEST_ACCEPT ? { id, kind, kept, body } : undefined;
  return new Response(body, kept);
}

/** The refusal with this id once more, for a request with the same Accept; else undefined. */
export function again(id, request) {
  const one = made[id % MADE];
  if (one?.id !== id || one.kind !== request.headers.get("accept")) return undefined;
  return new Response(one.body, one.kept);
}

/** Headers of lines: name and value in turn. */
export function pairs(lines) {
  const headers = new Headers();
  if (lines === "") return headers;
  const list = lines.split("\n");
  for (let i = 0; i + 1 < list.length; i += 2) headers.append(list[i], list[i + 1]);
  return headers;
}

/** What a body goes through. Where one of known length is expected, one that ends early must not look whole. */
export function passage({ headers }) {
  // Beside chunks a length means nothing (RFC 9112, section 6.3).
  const length = headers.has("transfer-encoding") ? null : headers.get("content-length");
  return /^\d{1,15}$/.test(length) ? new FixedLengthStream(Number(length)) : new IdentityTransformStream();
}

// ---- timers and storage of an object

const wake = (host) => host.wake();

export function wakeIn(host, ms) {
  return setTimeout(wake, ms, host);
}

/** Every row as [key, bytes] pairs, flattened. Throws where the storage has no such interface. */
export function rows(storage) {
  const out = [];
  for (const [key, value] of storage.kv.list()) out.push(key, value);
  return out;
}

/** Writes a row before the answer leaves (the output gate waits for it). */
export function putNow(storage, key, bytes) {
  storage.kv.put(key, bytes);
}

/** Writes a row behind the answers; `host.failed(key)` is called where it is not written after all. */
export function putBehind(storage, host, key, bytes) {
  storage.put(key, bytes, { allowUnconfirmed: true }).catch(complain(host, key));
}

/** What to do with a failure that comes late. */
const complain = (host, key) => (error) => {
  console.error(`weir: storage of a counter object failed: ${error}`);
  host?.failed(key);
};

export function getRow(storage, key) {
  return storage.kv.get(key);
}

export function deleteRow(storage, key) {
  storage.kv.delete(key);
}

/** Everything, the alarm included: an object that holds nothing costs nothing. */
export function deleteAll(storage, host) {
  storage.deleteAll().catch(complain(host));
}

export function setAlarm(storage, host, atMs) {
  storage.setAlarm(atMs, { allowUnconfirmed: true }).catch(complain(host));
}
