// A WebSocket client whose events are awaited one by one. It is Node's own.
import { within } from "./process.mjs";

const PATIENCE_MS = 10_000;

/** Opens one; rejects where the handshake is refused. Next messages and the close are promises. */
export async function openWebSocket(url, { protocols = [] } = {}) {
  const socket = new WebSocket(url.replace(/^http/, "ws"), protocols);
  socket.binaryType = "arraybuffer";
  const messages = [];
  const waiting = [];
  socket.addEventListener("message", ({ data }) => {
    const value = typeof data === "string" ? data : Buffer.from(data);
    if (waiting.length > 0) waiting.shift()(value);
    else messages.push(value);
  });
  const closed = new Promise((resolve) =>
    socket.addEventListener("close", ({ code, reason, wasClean }) => resolve({ code, reason, clean: wasClean })));
  await within(PATIENCE_MS, () => "no WebSocket", new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`no WebSocket at ${url}`)));
  }));
  return {
    protocol: socket.protocol,
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    /** The next message: a string, or a Buffer for a binary one. */
    next: () => within(PATIENCE_MS, () => "no message", messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise((resolve) => waiting.push(resolve))),
    /** `{ code, reason, clean }` */
    closed: () => within(PATIENCE_MS, () => "the WebSocket did not close", closed),
  };
}
