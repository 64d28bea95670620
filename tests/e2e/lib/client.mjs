// A raw HTTP/1.1 client: exact bytes out, exact header lines in, one socket at a time.
import { connect as dial } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "./process.mjs";

const PATIENCE_MS = 15_000;
// One character a byte: what a header holds survives the trip through a string.
const BYTES = "latin1";

/** Opens a connection to 127.0.0.1. */
export async function connect(port) {
  const socket = dial({ port, host: "127.0.0.1", noDelay: true });
  await within(PATIENCE_MS, () => `no connection to port ${port}`, new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  }));
  return new Connection(socket);
}

/** One request on a connection of its own; see [Connection.send] for the fields. */
export async function request(port, fields) {
  const connection = await connect(port);
  try {
    connection.send(fields);
    return await connection.response(fields);
  } finally {
    connection.close();
  }
}

/** So many requests at once, each on a connection that is already open when the first one leaves. */
export async function burst(port, count, fields) {
  const each = typeof fields === "function" ? fields : () => fields;
  const connections = await Promise.all(Array.from({ length: count }, () => connect(port)));
  try {
    return await Promise.all(connections.map((connection, i) => {
      connection.send(each(i));
      return connection.response(each(i));
    }));
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** How many answers have which status: `{ 200: 21, 429: 19 }`. */
export function statuses(responses) {
  const counts = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

class Connection {
  #socket;
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (piece) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
      this.#wake();
    });
    /** Resolves to "closed" or "reset" once the other side has. */
    this.closed = new Promise((resolve) => {
      const over = (how) => {
        this.#ended = true;
        this.#wake();
        resolve(how);
      };
      socket.on("error", () => over("reset"));
      socket.on("end", () => over("closed"));
      socket.on("close", () => over("closed"));
    });
  }

  /** Bytes, or text in Latin-1, as they are. */
  write(bytes) {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, BYTES) : bytes);
  }

  /**
   * A request. `headers` are [name, value] pairs; Host comes first unless given, and
   * Content-Length, or chunks where `chunked` is set, are added for a `body`.
   */
  send({ method = "GET", target = "/", headers = [], body, chunked = false }) {
    const lines = [...headers];
    const has = (wanted) => lines.some(([name]) => name.toLowerCase() === wanted);
    if (!has("host")) lines.unshift(["Host", "weir.test"]);
    const bytes = body === undefined ? undefined : Buffer.from(body);
    if (bytes && chunked) lines.push(["Transfer-Encoding", "chunked"]);
    else if (bytes && !has("content-length")) lines.push(["Content-Length", String(bytes.length)]);
    this.write(`${method} ${target} HTTP/1.1\r\n${lines.map(([n, v]) => `${n}: ${v}\r\n`).join("")}\r\n`);
    if (bytes && chunked) {
      this.chunk(bytes);
      this.lastChunk();
    } else if (bytes) {
      this.write(bytes);
    }
  }

  chunk(bytes) {
    const piece = Buffer.from(bytes);
    if (piece.length > 0) this.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
  }

  lastChunk() {
    this.write("0\r\n\r\n");
  }

  /** Bytes in small pieces with silence between them, as a slow client sends them; stops when cut off. */
  async trickle(bytes, { size = 1, every_ms = 50 } = {}) {
    for (let at = 0; at < bytes.length && !this.#ended; at += size) {
      this.write(bytes.subarray(at, at + size));
      await pause(every_ms);
    }
  }

  /** Status and headers of the next answer; its body is still to come. */
  async head({ method = "GET", timeout_ms = PATIENCE_MS } = {}) {
    const text = await within(timeout_ms, () => "no answer", this.#until("\r\n\r\n"));
    if (text === null) throw new Error(`the connection ended before an answer; got ${JSON.stringify(this.#bytes.toString(BYTES))}`);
    const [first, ...lines] = text.split("\r\n");
    const [, status, reason = ""] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(first) ?? [];
    if (!status) throw new Error(`not a status line: ${first}`);
    const headers = lines.filter(Boolean).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    if (Number(status) >= 100 && Number(status) < 200 && status !== "101") return this.head({ method, timeout_ms });
    return new Response(this, method, Number(status), reason, headers);
  }

  /** The whole next answer: the head, and `body`, `text`, `json()`, and `whole`, false where it broke off. */
  async response({ method = "GET", timeout_ms = PATIENCE_MS } = {}) {
    const response = await this.head({ method, timeout_ms });
    await within(timeout_ms, () => "the answer's body did not end", response.finish());
    return response;
  }

  /** Until the kernel has taken what was written. */
  async drained() {
    while (this.#socket.writableLength > 0 && !this.#ended) await new Promise((resolve) => this.#socket.once("drain", resolve));
  }

  /** Says that nothing more will be sent, and goes on listening. */
  end() {
    this.#socket.end();
  }

  close() {
    this.#socket.destroy();
  }

  /** Breaks the connection with a reset. */
  reset() {
    this.#socket.resetAndDestroy();
  }

  /** Everything up to and without a mark; null where the stream ends before it. */
  async #until(mark) {
    for (;;) {
      const at = this.#bytes.indexOf(mark);
      if (at >= 0) {
        const text = this.#bytes.toString(BYTES, 0, at);
        this.#bytes = this.#bytes.subarray(at + mark.length);
        return text;
      }
      if (this.#ended) return null;
      await this.#more();
    }
  }

  line() {
    return this.#until("\r\n");
  }

  /** Some bytes, at most `most`; null at the end of the stream. */
  async some(most) {
    while (this.#bytes.length === 0) {
      if (this.#ended) return null;
      await this.#more();
    }
    const piece = this.#bytes.subarray(0, Math.min(most, this.#bytes.length));
    this.#bytes = this.#bytes.subarray(piece.length);
    return piece;
  }

  #more() {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

class Response {
  #connection;
  #method;

  constructor(connection, method, status, reason, headers) {
    this.#connection = connection;
    this.#method = method;
    this.status = status;
    this.reason = reason;
    /** [name, value] pairs in the order and case in which they came. */
    this.headers = headers;
    this.body = Buffer.alloc(0);
    this.whole = false;
  }

  /** The values under a name, each line its own. */
  all(name) {
    return this.headers.filter(([n]) => n.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  }

  /** The value of a header that comes once; null where it does not come, an error where it comes twice. */
  header(name) {
    const values = this.all(name);
    if (values.length > 1) throw new Error(`${name} comes ${values.length} times: ${values.join(" | ")}`);
    return values[0] ?? null;
  }

  get text() {
    return this.body.toString("utf8");
  }

  json() {
    return JSON.parse(this.text);
  }

  /** The pieces of the body as they come; afterwards `whole` says whether the end did. */
  async *pieces() {
    const coding = this.all("transfer-encoding").join(",").toLowerCase();
    if (this.#method === "HEAD" || [101, 204, 304].includes(this.status)) {
      this.whole = true;
    } else if (coding.includes("chunked")) {
      yield* this.#chunks();
    } else {
      const length = this.header("content-length");
      let left = length === null ? Infinity : Number(length);
      while (left > 0) {
        const piece = await this.#connection.some(left);
        if (piece === null) break;
        left -= piece.length;
        yield piece;
      }
      this.whole = left === 0 || (left === Infinity && (await this.#connection.closed) === "closed");
    }
  }

  async *#chunks() {
    for (;;) {
      const size = await this.#connection.line();
      if (size === null) return;
      let left = parseInt(size, 16);
      if (left === 0) {
        for (let line = await this.#connection.line(); line; line = await this.#connection.line());
        this.whole = true;
        return;
      }
      while (left > 0) {
        const piece = await this.#connection.some(left);
        if (piece === null) return;
        left -= piece.length;
        yield piece;
      }
      await this.#connection.line();
    }
  }

  /** Reads the body to its end, proper or not. */
  async finish() {
    const pieces = [];
    for await (const piece of this.pieces()) pieces.push(piece);
    this.body = Buffer.concat(pieces);
    return this;
  }
}
