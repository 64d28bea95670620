// Bodies that are held back, counted, dropped or decoded. Nothing is decided here: every bound and
// time was handed over by Rust, and what went wrong is handed back as a word. `way` is of way.js.

/** Bytes of memory that bodies take in this isolate, and whose they are. */
let taken = 0;
const holds = new Set();

/** One body in memory: contiguous and never much larger than it is, however small its pieces were. */
class Hold {
  constructor(most, room, until) {
    this.most = most;
    this.room = room;
    this.until = until;
    this.buffer = new Uint8Array(0);
    this.size = 0;
    holds.add(this);
  }

  /** False where there is no room for it. */
  push(piece) {
    const size = this.size + piece.byteLength;
    if (size > this.buffer.byteLength) {
      const wanted = Math.max(size, Math.min(this.most, Math.max(2048, 2 * this.buffer.byteLength)));
      const more = wanted - this.buffer.byteLength;
      if (taken + more > this.room) sweep();
      if (taken + more > this.room) return false;
      taken += more;
      const grown = new Uint8Array(wanted);
      grown.set(this.bytes());
      this.buffer = grown;
    }
    this.buffer.set(piece, this.size);
    this.size = size;
    return true;
  }

  bytes() {
    return this.buffer.subarray(0, this.size);
  }

  end() {
    if (holds.delete(this)) taken -= this.buffer.byteLength;
    this.buffer = new Uint8Array(0);
    this.size = 0;
  }
}

/** A request that was torn down releases nothing: what is past its time is given up for it. */
function sweep() {
  const now = Date.now();
  for (const hold of holds) if (hold.until < now) hold.end();
}

/**
 * Reads a body. It is held back until it has ended or is larger than `hold` bytes; then it streams,
 * counted against `max`, with its length kept where it was `declared` (else -1). Reading ahead may
 * take `holdMs`; where that is 0 it may take for ever, and what finds no room streams at once. The
 * whole may take `streamMs` where that is not 0. `room` bytes are for all bodies held in
 * this isolate together. `dropBytes` of what is refused are read and dropped, for at most `dropMs`.
 *
 * Resolves to "" with `way.body` set, and `way.bytes` where all of it was held, or to what went
 * wrong: "large", "slow", "busy", "broken". Never rejects.
 */
export async function takeBody(way, request, declared, hold, max, holdMs, streamMs, room, dropBytes, dropMs) {
  // fetch takes no other body for these than the one that came: it stays, and a copy is read.
  const fixed = request.method === "GET" || request.method === "HEAD";
  const reader = (fixed ? request.clone() : request).body.getReader();
  const held = new Hold(hold, room, Date.now() + holdMs + KEEP_MS);
  way.hold = held;
  let late;
  const slow = new Promise((resolve) => {
    if (holdMs > 0) late = setTimeout(resolve, holdMs, "slow");
  });
  let gone = false;
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (gone) return "gone";
      if (done) return "whole";
      const size = held.size + value.byteLength;
      if (size > max || (fixed && size > hold)) return "large";
      if (size > hold) return value;
      if (!held.push(value)) return holdMs > 0 ? "busy" : value;
    }
  };
  const reading = read().catch(() => "broken");
  const found = await Promise.race([reading, slow]);
  clearTimeout(late);
  if (found === "whole") {
    way.bytes = held.bytes();
    // A body that came without a length goes without one.
    if (!fixed) way.body = declared < 0 ? streamOf(way.bytes) : way.bytes;
    return "";
  }
  if (typeof found !== "string") {
    stream(way, request, reader, found, declared, max, streamMs, dropBytes, dropMs);
    return "";
  }
  gone = true;
  held.end();
  way.dropped = dropAfter(reading, reader, dropBytes, dropMs);
  return found;
}

/** How long a body that was held whole may stay in memory behind its last byte. */
const KEEP_MS = 30_000;

function streamOf(bytes) {
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Lets a body go that was held back, and counts on. What passes `max` is broken off, never ended. */
function stream(way, request, slowReader, first, declared, max, streamMs, dropBytes, dropMs) {
  const { readable, writable } = declared < 0 ? new IdentityTransformStream() : new FixedLengthStream(declared);
  const writer = writable.getWriter();
  const held = way.hold;
  way.body = readable;
  slowReader.releaseLock();
  const reader = request.body.getReader({ mode: "byob" });
  const late = streamMs > 0 ? setTimeout(() => way.trip("slow"), streamMs) : undefined;
  let gone = false;
  const over = () => {
    gone = true;
    clearTimeout(late);
    held.end();
    way.stop = () => {};
  };
  /** False where the origin takes no more: its answer says why, or the failure of the fetch. */
  const write = (piece) => writer.write(piece).then(() => !gone, () => false);
  let running;
  way.stop = () => {
    over();
    writer.abort(new Error(way.fault)).catch(() => {});
    way.dropped = dropAfter(Promise.resolve(running), reader, dropBytes, dropMs);
  };
  const run = async () => {
    let size = held.size + first.byteLength;
    let open = (await write(held.bytes())) && (await write(first));
    held.end();
    let space = new Uint8Array(PIECE_BYTES);
    while (open) {
      const { done, value } = await reader.read(space);
      if (gone) return;
      if (done) return writer.close();
      size += value.byteLength;
      if (size > max) return way.trip("large");
      open = await write(value);
      space = new Uint8Array(value.buffer, 0, PIECE_BYTES);
    }
    if (!gone) way.dropped = drop(reader, dropBytes, dropMs);
  };
  running = run()
    .catch(() => way.trip("broken"))
    .finally(over);
}

/** What is read at once of a body that streams. */
const PIECE_BYTES = 65_536;

/**
 * Reads and drops an upload that was refused, so that its sender can read the answer: closing a
 * connection with unread bytes resets it, and a reset discards the answer. After `bytes` bytes it
 * only waits until `withinMs` have passed. A body that somebody reads already is left to them.
 */
export function drain(request, bytes, withinMs) {
  if (!request.body || request.body.locked) return Promise.resolve();
  return drop(request.body.getReader(), bytes, withinMs);
}

/** The same once a read that is under way is over, which may never be. */
function dropAfter(reading, reader, bytes, withinMs) {
  let late;
  const patience = new Promise((resolve) => {
    late = setTimeout(resolve, withinMs);
  });
  const dropping = reading.then(() => drop(reader, bytes, withinMs));
  return Promise.race([dropping, patience]).finally(() => clearTimeout(late));
}

function drop(reader, bytes, withinMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs, false);
    const over = () => {
      clearTimeout(timer);
      resolve(true);
    };
    let left = bytes;
    const read = () => (reader instanceof ReadableStreamBYOBReader ? reader.read(new Uint8Array(PIECE_BYTES)) : reader.read());
    const step = () =>
      read().then(({ done, value }) => {
        if (done) return over();
        left -= value.byteLength;
        if (left > 0) return step();
      });
    step().catch(over);
  }).then((ended) => {
    if (!ended) reader.cancel().catch(() => {});
  });
}

/** So many bytes of input at a time: deflate makes at most 1032 bytes of one, and it does so at once. */
const SLICE_BYTES = 1024;

/** Decodes `gzip` or `deflate`. Resolves to the bytes, to "large" or to "broken". */
export async function inflate(bytes, coding, max) {
  const { readable, writable } = new DecompressionStream(coding);
  const reader = readable.getReader();
  const writer = writable.getWriter();
  const pieces = [];
  let size = 0;
  let next = reader.read();
  const tick = () => new Promise((resolve) => setTimeout(resolve, 0));
  /** Takes what has come out; true at the end, or where it is too much. */
  const take = async (last) => {
    for (;;) {
      const found = await (last ? next : Promise.race([next, tick()]));
      if (found === undefined) return false;
      if (found.done) return true;
      size += found.value.byteLength;
      if (size > max) return true;
      pieces.push(found.value);
      next = reader.read();
    }
  };
  try {
    for (let at = 0; at < bytes.byteLength && size <= max; at += SLICE_BYTES) {
      await writer.write(bytes.subarray(at, at + SLICE_BYTES));
      await take(false);
    }
    if (size <= max) {
      await writer.close();
      await take(true);
    }
  } catch {
    next.catch(() => {});
    return "broken";
  }
  if (size > max) {
    reader.cancel().catch(() => {});
    writer.abort().catch(() => {});
    return "large";
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}
