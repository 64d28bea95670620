// Replays in a Web Worker, so that the page stays alive: in slices, between which it listens.
// A classic script, since a page that was opened from disk can start no other.

const SLICE = 1 << 18;
const SLICE_REQUESTS = 4_000;
const TELL_MS = 100;

/** The run that goes on; a newer one, or none, ends it. */
let current = 0;
let ready = null;

const load = (wasm) => (ready ??= wasm_bindgen({ module_or_path: wasm ?? new URL('pkg/weir_bg.wasm', self.location.href) }));

/** Lets messages in; a timer would wait for 4 ms each time. */
const breathe = () =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => (channel.port1.close(), resolve());
    channel.port2.postMessage(null);
  });

self.onmessage = ({ data }) => {
  if (data.kind === 'load') {
    if (data.glue) importScripts(data.glue);
    load(data.wasm).then(() => self.postMessage({ kind: 'ready' }), (error) => self.postMessage({ kind: 'broken', text: String(error) }));
  } else if (data.kind === 'stop') {
    current = 0;
  } else {
    current = data.run;
    replay(data).catch((error) => self.postMessage({ kind: 'faults', run: data.run, text: error.message ?? String(error) }));
  }
};

async function replay({ run, policy, mode, tier, source }) {
  await ready;
  const lab = new wasm_bindgen.Lab(policy, mode, tier);
  const from = performance.now();
  let told = from;
  const tell = (kind, share) =>
    self.postMessage({ kind, run, share, requests: lab.requests(), ms: performance.now() - from, report: JSON.parse(lab.report()) });
  /** False once this run is called off. */
  const goOn = async (share) => {
    if (performance.now() - told > TELL_MS) {
      told = performance.now();
      self.postMessage({ kind: 'progress', run, share, requests: lab.requests() });
    }
    await breathe();
    return current === run;
  };
  try {
    let whole = true;
    if (source.attack) {
      lab.attack(source.attack, source.requests);
      while (whole && lab.step(SLICE_REQUESTS)) whole = await goOn(lab.requests() / source.requests);
    } else {
      const total = source.files.reduce((sum, file) => sum + file.size, 0);
      let taken = 0;
      for (const file of source.files) {
        lab.begin(file.name ?? 'log');
        for await (const piece of pieces(file, (bytes) => (taken += bytes))) {
          lab.feed(piece);
          whole = await goOn(total ? taken / total : 1);
          if (!whole) break;
        }
        lab.end();
        if (!whole) break;
      }
    }
    // A newer run has taken over: nobody wants this one's report any more.
    if (whole || current === 0) tell(whole ? 'done' : 'stopped', 1);
  } finally {
    lab.free();
  }
}

/** A file in pieces, unpacked where it is gzip; `count` is told of the bytes taken from it. */
async function* pieces(file, count) {
  const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = magic[0] === 0x1f && magic[1] === 0x8b;
  let stream = file.stream().pipeThrough(new TransformStream({ transform: (chunk, to) => (count(chunk.length), to.enqueue(chunk)) }));
  if (packed) stream = stream.pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (let at = 0; at < value.length; at += SLICE) yield value.subarray(at, at + SLICE);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
