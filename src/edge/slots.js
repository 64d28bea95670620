// The slots of one request, as streams: a slot is held for as long as the object's answer is open.
// So it is given back by whatever ends the request, a torn-down one included, without any code that
// would have to survive it. Like glue.js this decides nothing.
import { passage, tell } from "./glue.js";

const ASK = "http://counter/";

// ---- in the Worker

/** The slots of one request: taken one after the other, given back all at once. */
export class Slots {
  #namespace;
  #context;
  #signal;
  #timeoutMs;
  /** What to tell objects should the client leave before it runs: names, hints, messages. */
  #refunds;
  #held = [];
  #timer;
  #over = false;
  #after;
  #leave = () => {
    const refunds = this.#refunds;
    this.end();
    if (refunds) this.#tell(...refunds);
  };

  constructor(namespace, request, context, timeoutMs, names, hints, messages) {
    this.#namespace = namespace;
    this.#context = context;
    this.#timeoutMs = timeoutMs;
    if (names !== "") this.#refunds = [names, hints, messages];
    this.#signal = request.signal;
    this.#signal?.addEventListener("abort", this.#leave);
    if (this.#signal?.aborted) this.#leave();
  }

  /** The client has left, or everything was given back. */
  get over() {
    return this.#over;
  }

  /** Asks for a slot. Resolves to the object's answer, or to `!` and why there is none, as ask(). */
  async take(name, hint, message, renew, release) {
    if (this.#over) return "!f";
    const slot = { name, hint, renew, release, reader: undefined, lost: true };
    this.#held.push(slot);
    try {
      const stub = this.#namespace.getByName(name, hint ? { locationHint: hint } : undefined);
      const asked = stub.fetch(ASK + message);
      const response = await within(this.#timeoutMs, asked);
      if (response === LATE) {
        // should it come after all, nobody wants it
        asked.then(({ body }) => body?.cancel()).catch(() => {});
        return "!t";
      }
      if (response.body) {
        slot.reader = response.body.getReader();
        slot.lost = false;
      }
      const line = response.headers.get("a") ?? "!f";
      if (this.#over) this.#close(slot);
      else if (line !== WAITING) this.#watch(slot);
      return line;
    } catch (error) {
      return error?.overloaded ? "!o" : error?.retryable ? "!r" : "!f";
    }
  }

  /** Waits for the turn of the slot that was asked for last; resolves as take(). */
  async turn(withinMs) {
    const slot = this.#held.at(-1);
    if (!slot?.reader) return "!f";
    try {
      const piece = await within(withinMs, slot.reader.read());
      if (piece === LATE) return "!t";
      if (piece.value) {
        this.#watch(slot);
        return new TextDecoder().decode(piece.value);
      }
    } catch {
      // as if it had ended: the object is gone, and the line with it
    }
    slot.lost = true;
    return "!r";
  }

  /** Forgets the slot that was asked for last; `doubtful` where the object may have given it. */
  drop(doubtful) {
    const slot = this.#held.pop();
    if (slot) this.#close(slot, doubtful);
  }

  /** From now on the request runs: reports so, and takes nothing back. `after` is called at its end. */
  run(everyMs, after) {
    this.#refunds = undefined;
    this.#after = after;
    const lines = (field) => this.#held.map((slot) => slot[field]).join("\n");
    const [names, hints, renew] = [lines("name"), lines("hint"), lines("renew")];
    if (names !== "") this.#timer = setInterval(() => tell(this.#namespace, names, hints, renew, this.#timeoutMs), everyMs);
  }

  end() {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#timer);
    this.#signal?.removeEventListener("abort", this.#leave);
    for (const slot of this.#held) this.#close(slot);
    this.#after?.();
  }

  /** The response, such that everything is given back once it has been sent. */
  untilSent(response, holdSocket) {
    const end = () => this.end();
    if (response.webSocket && holdSocket) return relay(response, end);
    if (!response.body) {
      end();
      return response;
    }
    const { readable, writable } = passage(response);
    response.body.pipeTo(writable).then(end, end);
    return new Response(readable, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      encodeBody: "manual",
      cf: response.cf,
    });
  }

  /** A pending read keeps the stream, and says when the object has ended it. */
  #watch(slot) {
    const lost = () => {
      slot.lost = true;
    };
    slot.reader?.read().then(lost, lost);
  }

  #close(slot, doubtful = true) {
    if (!slot.lost) slot.reader.cancel().catch(() => {});
    else if (doubtful) this.#tell(slot.name, slot.hint, slot.release);
  }

  #tell(names, hints, messages) {
    this.#context.waitUntil(tell(this.#namespace, names, hints, messages, this.#timeoutMs));
  }
}

/** What an object answers to say that the true answer follows. */
const WAITING = "w";

const LATE = Symbol("late");

function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, LATE);
  });
  // should it fail after all, nobody is left to care
  promise.catch(() => {});
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function relay(response, end) {
  const [client, here] = Object.values(new WebSocketPair());
  const origin = response.webSocket;
  pass(origin, here, end);
  pass(here, origin, end);
  origin.accept();
  here.accept();
  return new Response(null, { status: 101, webSocket: client, headers: response.headers });
}

function pass(from, to, end) {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    try {
      to.send(data);
    } catch {
      // it is closing: nothing can be sent any more
    }
  });
  const close = (code, reason) => {
    end();
    try {
      // a close without a code cannot be sent with the one that stands for it
      if (code === 1005 || code === 1006) to.close();
      else to.close(code, reason);
    } catch {
      // it is closed
    }
  };
  from.addEventListener("close", ({ code, reason }) => close(code, reason));
  from.addEventListener("error", () => close(1011, ""));
}

// ---- in the object

/**
 * The open answer to an acquisition: `text` at once, or what `later` gives. When the asker closes
 * it or goes away, `left(id)` of the object is called.
 */
export function openAnswer(request, id, host, text, later) {
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    host.left(id);
  };
  request.signal?.addEventListener("abort", end);
  const body = new ReadableStream({
    start: (controller) => {
      later?.then((line) => {
        if (!over) controller.enqueue(new TextEncoder().encode(line));
      });
    },
    cancel: end,
  });
  return new Response(body, { headers: { a: later ? WAITING : text } });
}
