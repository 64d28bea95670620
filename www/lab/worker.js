// Replays in a Web Worker, so that the page stays alive: in slices, between which it listens.
// A classic script, since a page that was opened from disk can start no other.

const SLICE = 1 << 18;
const SLICE_REQUESTS = 4_000;
const TELL_MS = 100;
/** Between two pictures of a run; the first comes early. */
const FIRST_REPORT_MS = 300;
const REPORT_MS = 1_500;

/** What a log may take to be kept, so that another number is tried without reading it again. */
const KEPT_BYTES = (navigator.deviceMemory ?? 4) >= 8 ? 768 << 20 : 256 << 20;

/** The run that goes on; a newer one, or none, ends it. */
let current = 0;
let ready = null;
/** A lab that has all of a log, and which log that is. */
let kept = null;

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
    replay(data).catch((error) => {
      // A trap leaves the program in no state to go on with.
      const kind = error instanceof WebAssembly.RuntimeError ? 'broken' : 'faults';
      self.postMessage({ kind, run: data.run, text: error.message ?? String(error) });
    });
  }
};

async function replay({ run, policy, mode, tier, source }) {
  await ready;
  self.postMessage({ kind: 'numbers', run, policy, numbers: JSON.parse(wasm_bindgen.numbers(policy)) });
  const again = kept !== null && kept.log === source.log;
  if (again) kept.lab.again(policy, mode, tier);
  const lab = again ? kept.lab : new wasm_bindgen.Lab(policy, mode, tier);
  const from = performance.now();
  let told = from;
  let next = from + FIRST_REPORT_MS;
  const tell = (kind, more) => self.postMessage({ kind, run, requests: lab.requests(), ms: performance.now() - from, ...more });
  const report = () => JSON.parse(lab.report());
  /** False once this run is called off. */
  const goOn = async (share) => {
    const now = performance.now();
    if (now > next) {
      tell('progress', { share, report: report() });
      told = now;
      next = performance.now() + REPORT_MS;
    } else if (now - told > TELL_MS) {
      tell('progress', { share });
      told = now;
    }
    await breathe();
    return current === run;
  };
  let whole = true;
  let broken = '';
  try {
    if (again || source.attack) {
      if (source.attack) lab.attack(source.attack, source.requests);
      const all = source.attack ? source.requests : lab.kept();
      while (whole && lab.step(SLICE_REQUESTS)) whole = await goOn(lab.requests() / all);
    } else {
      whole = await read(lab, source.files, goOn).catch((error) => {
        if (error instanceof WebAssembly.RuntimeError) throw error;
        broken = error.message || String(error);
        return false;
      });
    }
    // A newer run has taken over: nobody wants this one's report any more.
    if (whole || current === 0 || (broken && current === run)) tell(whole ? 'done' : 'stopped', { broken, report: report() });
  } finally {
    if (!again) keep(lab, whole && !source.attack && lab.has_all() && source.log);
  }
}

/** Keeps a lab for the next run on the same log, or gives its memory back. */
function keep(lab, log) {
  if (!log) return lab.free();
  kept?.lab.free();
  kept = { lab, log };
}

/** Reads all files; false where the run was called off. */
async function read(lab, files, goOn) {
  // Of two logs only one is ever wanted again.
  kept?.lab.free();
  kept = null;
  lab.keep(KEPT_BYTES);
  const total = files.reduce((sum, file) => sum + file.size, 0);
  let taken = 0;
  for (const file of files) {
    lab.begin(file.name ?? 'log');
    for await (const piece of pieces(file, (bytes) => (taken += bytes))) {
      lab.feed(piece);
      if (!(await goOn(total ? taken / total : 1))) return false;
    }
    lab.end();
  }
  return true;
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
