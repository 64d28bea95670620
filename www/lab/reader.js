// Reads logs in a Web Worker of its own, so that a second processor has something to do: blocks of requests go to the
// worker that judges them. A classic script, since a page that was opened from disk can start no other.

/** Read from a file at once, and given to the program at once: of what is packed less, for it may become a lot. */
const PIECE = 1 << 20;
const SLICE = 1 << 18;
const PACKED_SLICE = 1 << 15;

/** Blocks that may be ready before they are wanted. */
const AHEAD = 8;

/** The run that goes on; a newer one, or none, ends it. */
let current = 0;
/** Blocks that have been sent and not yet taken, and who waits for one to be taken. */
let out = 0;
let taken = () => {};

self.onmessage = ({ data: { glue, wasm, peer } }) => {
  if (glue) importScripts(glue);
  const ready = wasm_bindgen({ module_or_path: wasm ?? new URL('pkg/weir_bg.wasm', self.location.href) });
  peer.onmessage = ({ data }) => {
    if (data.kind === 'read') current = data.run;
    // What is said of a run that is over has come too late.
    else if (data.run === current && data.kind === 'taken') out -= 1;
    else if (data.run === current) current = 0;
    taken();
    if (data.kind === 'read') ready.then(() => read(peer, data)).catch((error) => peer.postMessage({ run: data.run, fatal: String(error) }));
  };
};

async function read(peer, { run, files }) {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const reader = new wasm_bindgen.Reader();
  let bytes = 0;
  out = 0;
  const send = (block, more) => {
    out += 1;
    peer.postMessage({ run, block, counts: reader.counts(), share: total ? bytes / total : 1, ...more }, [block.buffer]);
  };
  const sendFull = () => {
    for (let block = reader.take(); block; block = reader.take()) send(block);
  };
  let broken = '';
  try {
    for (const file of files) {
      const [one, two] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
      const packed = one === 0x1f && two === 0x8b;
      reader.begin(file.name ?? 'log', packed);
      const slice = packed ? PACKED_SLICE : SLICE;
      for await (const piece of pieces(file)) {
        for (let at = 0; at < piece.length; at += slice) {
          const part = piece.subarray(at, at + slice);
          bytes += part.length;
          reader.feed(part);
          sendFull();
          while (out > AHEAD && current === run) await new Promise((resolve) => (taken = resolve));
          if (current !== run) return;
        }
      }
      reader.end();
    }
  } catch (error) {
    // A trap leaves the program in no state to go on with.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    broken = error.message || String(error);
    try {
      reader.end();
    } catch {
      // That it is broken is known.
    }
  }
  if (current !== run) return;
  sendFull();
  send(reader.last(), { broken, over: true });
}

/** A file in pieces, of which the next is on its way while one is worked on. */
async function* pieces(file) {
  const piece = (at) => (at < file.size ? file.slice(at, at + PIECE).arrayBuffer() : null);
  let next = piece(0);
  for (let at = PIECE; next; at += PIECE) {
    const bytes = await next;
    next = piece(at);
    next?.catch(() => {});
    yield new Uint8Array(bytes);
  }
}
