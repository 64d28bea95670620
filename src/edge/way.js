// A request's way to the origin where it is more than handing the request on: a deadline, or a body
// that is counted as it streams. It decides nothing: every bound and time in here was handed over by
// Rust, and what went wrong is handed back as a word.

import { drain } from "./body.js";
import { pairs, passage } from "./glue.js";
import { forward } from "./origin.js";

/** What can end the way early, and the word for why. One for each request that needs it. */
export class Way {
  constructor() {
    this.controller = new AbortController();
    /** "", or the first thing that went wrong. */
    this.fault = "";
    /** What goes to the origin instead of the client's own stream. */
    this.body = undefined;
    /** The body's bytes where it was held whole, and the memory they are in. */
    this.bytes = undefined;
    this.hold = undefined;
    /** Ends the upload that streams, if one does. */
    this.stop = () => {};
    /** Settles once what is left of a refused upload has been read, or given up. */
    this.dropped = undefined;
  }

  trip(why) {
    if (this.fault !== "") return;
    this.fault = why;
    this.stop();
    this.controller.abort(new Error(why));
  }
}

export function way() {
  return new Way();
}

/**
 * Forwards with the way's body and signal, like `forward`. The origin's headers have to be there
 * within `headersMs`, its whole body within `totalMs`; 0 is no bound. Rejects as fetch does; the
 * way's fault says whether it was one of Weir's own bounds.
 */
export async function travel(way, origin, request, target, set, headersMs, totalMs) {
  const late = () => way.trip("deadline");
  const headers = headersMs > 0 ? setTimeout(late, headersMs) : undefined;
  const total = totalMs > 0 ? setTimeout(late, totalMs) : undefined;
  const { signal } = way.controller;
  const aborted = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  try {
    const both = AbortSignal.any([request.signal, signal]);
    const response = await Promise.race([forward(origin, request, target, set, way.body, both), aborted]);
    clearTimeout(headers);
    if (total === undefined) return response;
    // Of a status that is none no response can be made; whoever gets it refuses it.
    if (!response.body || response.status > 599) {
      clearTimeout(total);
      return response;
    }
    return cut(response, signal, () => clearTimeout(total));
  } catch (error) {
    clearTimeout(headers);
    clearTimeout(total);
    throw error;
  } finally {
    way.hold?.end();
  }
}

/** The same response, broken off by the signal. `over` is called at its end. */
function cut(response, signal, over) {
  const { readable, writable } = passage(response);
  response.body
    .pipeTo(writable, { signal })
    .catch(() => {})
    .finally(over);
  return new Response(readable, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    encodeBody: "manual",
    cf: response.cf,
  });
}

/**
 * A refusal of a request whose upload is still coming. The answer goes out at once and whole, but its
 * end is held back until `dropped`: the runtime closes the connection of an answer that has ended
 * while bytes of the request are unread, and the reset that follows discards the answer.
 */
export function refuse(status, headers, body, dropped) {
  const fields = pairs(headers);
  if (body === null) return new Response(null, { status, headers: fields });
  const bytes = new TextEncoder().encode(body);
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const writer = writable.getWriter();
  writer
    .write(bytes)
    .then(() => dropped)
    .then(() => writer.close())
    .catch(() => {});
  return new Response(readable, { status, headers: fields });
}

/**
 * Lets go of a refused request's body, and reads and drops what is still coming of it: by the way that
 * has begun to read it, or anew.
 */
export function dropped(way, request, bytes, withinMs) {
  way?.hold?.end();
  return way?.dropped ?? drain(request, bytes, withinMs);
}
