// What JavaScript does better than Rust across the boundary: chaining promises and handling
// streams. It decides nothing: every limit, status and time in here was handed over by Rust.

// ---- starting anew after a trap (see entry.js)

export const initState = { criticalError: false, instanceId: 0 };

export function panicked(message) {
  console.error("Critical", new Error(`Rust panic: ${message}`));
  initState.criticalError = true;
}

// ---- requests

/**
 * What every request is asked, in one crossing: `+` where there is a body, else `-`, and at once the
 * method; the URL; and, where the header is there, the client's address. A line each.
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

/** Number and country of the client's network, a line each; empty where the platform does not say. */
export function network(request) {
  const { asn, country } = request.cf ?? {};
  return `${asn ?? ""}\n${country ?? ""}`;
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

/** Asks one object, as `ask` does; `question` is its name, hint and message, and `go` goes on. */
export function askOne(namespace, question, timeoutMs, go) {
  const [name, hint, message] = question.split("\n");
  return one(namespace, name, hint, message, timeoutMs).then(go);
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

/** Tells objects something whose answer nobody waits for; never rejects. */
export function tell(namespace, names, hints, messages, timeoutMs) {
  return ask(namespace, names, hints, messages, timeoutMs).then(() => undefined);
}

/** The answer of an object. */
export function answer(text) {
  return new Response(null, { headers: { a: text } });
}

// ---- KV

/**
 * A value: its text, null where there is none, false where it is longer than `max` bytes (no more
 * of it is read), undefined where KV failed. Never rejects.
 */
export async function kvText(namespace, key, max) {
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

/** A refusal: lines of name and value in turn and, where there is a body, a NUL before it. */
export function refusal(status, text) {
  const end = text.indexOf("\0");
  const body = end < 0 ? null : text.slice(end + 1);
  const list = (end < 0 ? text : text.slice(0, end)).split("\n");
  // A literal costs less than a Headers object, and holds each name once.
  const headers = Object.create(null);
  for (let i = 0; i + 1 < list.length; i += 2) {
    if (list[i] in headers) return new Response(body, { status, headers: pairs(list.join("\n")) });
    headers[list[i]] = list[i + 1];
  }
  return new Response(body, { status, headers });
}

/** Headers of lines: name and value in turn. */
export function pairs(lines) {
  const headers = new Headers();
  if (lines === "") return headers;
  const list = lines.split("\n");
  for (let i = 0; i + 1 < list.length; i += 2) headers.append(list[i], list[i + 1]);
  return headers;
}

// ---- the origin

let failed;
let merged;

/**
 * Says what to do where an answer of the origin is none that can be handed on: `failure` answers in
 * its place, given the request, whether it is none of HTTP, and the fields of ours; `collision` gives
 * the fields to set, given ours and lines of name and value of the same kind in the answer.
 */
export function onAnswers(failure, collision) {
  failed = failure;
  merged = collision;
}

/** A switch of protocols that comes with no socket is one that nobody asked for. */
const isSound = ({ status, webSocket }) => (status >= 200 && status <= 599) || (status === 101 && webSocket !== null);

/**
 * Forwards the request as it came, or to `route`, and hands the response back as it came, or with
 * `fields` set. `route` is lines: the target, then names and values of headers to set; `fields`: a
 * number that only `collision` reads, then names and values.
 */
export function pass(origin, request, route, fields) {
  return sent(origin, request, route).then(
    (response) => {
      if (!isSound(response)) return failed(request, true, fields);
      return fields === undefined || response.webSocket ? response : adding(response, fields);
    },
    () => failed(request, false, fields),
  );
}

/** Rejects also where no request can be made of the route: then ORIGIN is no URL. */
function sent(origin, request, route) {
  try {
    const out = route === undefined ? request : routed(request, route);
    return origin ? origin.fetch(out) : fetch(out);
  } catch (error) {
    return Promise.reject(error);
  }
}

function routed(request, route) {
  const list = route.split("\n");
  const out = new Request(list[0], request);
  const { headers } = out;
  for (let i = 1; i + 1 < list.length; i += 2) headers.set(list[i], list[i + 1]);
  return out;
}

/** The answer with fields set. What the origin said under their names is for Rust to weigh. */
function adding(response, fields) {
  try {
    const out = new Response(response.body, response);
    const { headers } = out;
    let list = fields.split("\n");
    let theirs = "";
    const collect = (name) => {
      const value = headers.get(name);
      if (value !== null) theirs += `\n${name}\n${value}`;
    };
    collect("Retry-After");
    for (let i = 1; i < list.length; i += 2) collect(list[i]);
    if (theirs !== "") list = merged(fields, theirs.slice(1)).split("\n");
    for (let i = 1; i + 1 < list.length; i += 2) headers.set(list[i], list[i + 1]);
    return out;
  } catch {
    // An answer that the runtime will not build anew goes on as it is.
    return response;
  }
}

/**
 * Forwards, with what is given: another target, headers to set, a body already read, a signal.
 * Resolves to the Response; rejects as fetch does.
 */
export async function forward(origin, request, target, set, body, signal) {
  const init = { redirect: "manual", encodeResponseBody: "manual" };
  if (signal) init.signal = signal;
  if (body !== undefined) init.body = body;
  let out = target === undefined ? request : elsewhere(target, request, body);
  if (set !== "") {
    // The body is in `out` already, where `elsewhere` put it.
    if (target !== undefined) delete init.body;
    out = new Request(out, init);
    const list = set.split("\n");
    for (let i = 0; i + 1 < list.length; i += 2) out.headers.set(list[i], list[i + 1]);
    return origin ? origin.fetch(out) : fetch(out, { encodeResponseBody: "manual" });
  }
  return origin ? origin.fetch(out, init) : fetch(out, init);
}

/** The request at another URL. One whose body has been read can't be copied, so its parts are. */
function elsewhere(target, request, body) {
  if (body === undefined) return new Request(target, request);
  const { method, headers, cf } = request;
  return new Request(target, { method, headers, cf, body, redirect: "manual" });
}

/** A response that differs from `response` only in fields: `append` is lines of name and value. */
export function withFields(response, set, append) {
  if (response.webSocket) return response;
  const out = new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    encodeBody: "manual",
    cf: response.cf,
  });
  const put = set === "" ? [] : set.split("\n");
  for (let i = 0; i + 1 < put.length; i += 2) out.headers.set(put[i], put[i + 1]);
  const add = append === "" ? [] : append.split("\n");
  for (let i = 0; i + 1 < add.length; i += 2) out.headers.append(add[i], add[i + 1]);
  return out;
}

/**
 * A response like `response`, and the promise of how many bytes of its body were sent: all of them,
 * or those that the client took before it left, or before `mostMs` were over.
 */
export function counted(response, mostMs) {
  if (!response.body) return [response, Promise.resolve(0)];
  const length = response.headers.get("content-length");
  const { readable, writable } = /^\d+$/.test(length ?? "")
    ? new FixedLengthStream(BigInt(length))
    : new IdentityTransformStream();
  let bytes = 0;
  const pump = async (reader, writer) => {
    try {
      // In pieces as large as they come: each costs a turn of the script.
      for (let space = new Uint8Array(65_536); ; ) {
        const { done, value } = await reader.read(space);
        if (done) return await writer.close();
        await writer.write(value);
        bytes += value.byteLength;
        space = new Uint8Array(value.buffer, 0, 65_536);
      }
    } catch (error) {
      reader.cancel(error).catch(() => {});
      writer.abort(error).catch(() => {});
    }
  };
  const over = pump(response.body.getReader({ mode: "byob" }), writable.getWriter());
  const out = new Response(readable, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    encodeBody: "manual",
    cf: response.cf,
  });
  return [out, within(over, mostMs).then(() => bytes)];
}

/** Bytes of all header names and values, as characters: a value's bytes are one character each. */
export function headerBytes(request) {
  let bytes = 0;
  for (const [name, value] of request.headers) bytes += name.length + value.length;
  return bytes;
}

// ---- storage of an object

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

/** Writes a row behind the answers; `failed(key)` is called where it is not written after all. */
export function putBehind(storage, failed, key, bytes) {
  storage.put(key, bytes, { allowUnconfirmed: true }).catch(complain(failed, key));
}

/** What to do with a failure that comes late. */
const complain = (failed, key) => (error) => {
  console.error(`weir: storage of a counter object failed: ${error}`);
  failed?.(key);
};

export function getRow(storage, key) {
  return storage.kv.get(key);
}

export function deleteRow(storage, key) {
  storage.kv.delete(key);
}

/** Everything, the alarm included: an object that holds nothing costs nothing. */
export function deleteAll(storage, failed) {
  storage.deleteAll().catch(complain(failed));
}

export function setAlarm(storage, failed, atMs) {
  storage.setAlarm(atMs, { allowUnconfirmed: true }).catch(complain(failed));
}
