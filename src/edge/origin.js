// The way to the origin and back. Like glue.js this decides nothing.
import { passage, within } from "./glue.js";

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
  return through(origin, request, route, fields?.split("\n"));
}

/** Lines in which a NUL stands for each number that is left open. */
export function shape(text) {
  return text.split("\n").map((line) => line.split("\0"));
}

/** The same as `pass`, with the fields that a shape and its numbers make. */
export function passShaped(origin, request, route, shape, numbers) {
  const lines = [];
  let next = 0;
  for (const parts of shape) {
    let line = parts[0];
    for (let i = 1; i < parts.length; i += 1) line += numbers[next++] + parts[i];
    lines.push(line);
  }
  return through(origin, request, route, lines);
}

function through(origin, request, route, lines) {
  return sent(origin, request, route).then(
    (response) => {
      if (!isSound(response)) return failed(request, true, lines?.join("\n"));
      return lines === undefined || response.webSocket ? response : adding(response, lines);
    },
    () => failed(request, false, lines?.join("\n")),
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
  setLines(out.headers, list, 1);
  return out;
}

/** Sets headers of names and values in turn, the first at `from`. */
function setLines(headers, list, from) {
  for (let i = from; i + 1 < list.length; i += 2) headers.set(list[i], list[i + 1]);
}

/** The answer with fields set. What the origin said under their names is for Rust to weigh. */
function adding(response, lines) {
  try {
    const out = new Response(response.body, response);
    const { headers } = out;
    let theirs = "";
    const collect = (name) => {
      const value = headers.get(name);
      if (value !== null) theirs += `\n${name}\n${value}`;
    };
    collect("Retry-After");
    for (let i = 1; i < lines.length; i += 2) collect(lines[i]);
    setLines(headers, theirs === "" ? lines : merged(lines.join("\n"), theirs.slice(1)).split("\n"), 1);
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
    setLines(out.headers, set.split("\n"), 0);
    return whileThere(request, origin ? origin.fetch(out) : fetch(out, { encodeResponseBody: "manual" }));
  }
  return whileThere(request, origin ? origin.fetch(out, init) : fetch(out, init));
}

/** Rejects at once when the client leaves: a moment later nothing of its request runs any more. */
function whileThere({ signal }, promise) {
  return new Promise((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** The request at another URL. One whose body has been read can't be copied, so its parts are. */
function elsewhere(target, request, body) {
  if (body === undefined) return new Request(target, request);
  const { method, headers, cf } = request;
  return new Request(target, { method, headers, cf, body, redirect: "manual" });
}

/** A response that differs from `response` only in the fields of `set`, lines of name and value. */
export function withFields(response, set) {
  if (response.webSocket) return response;
  const out = new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    encodeBody: "manual",
    cf: response.cf,
  });
  setLines(out.headers, set.split("\n"), 0);
  return out;
}

/**
 * A response like `response`, and the promise of how many bytes of its body were sent: all of them,
 * or those that the client took before it left, or before `mostMs` were over.
 */
export function counted(response, mostMs) {
  if (!response.body) return [response, Promise.resolve(0)];
  const { readable, writable } = passage(response);
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
