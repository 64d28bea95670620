// Replays in a Web Worker, so that the page stays alive: in slices, between which it listens. Logs come from another
// worker (reader.js), as blocks of requests. A classic script, since a page that was opened from disk can start no other.

const TELL_MS = 100;
/** Between two pictures of a run; the first comes early. */
const FIRST_REPORT_MS = 300;
const REPORT_MS = 1_500;

/** What a log may take to be kept, so that another number is tried without reading it again. */
const KEPT_BYTES = (navigator.deviceMemory ?? 4) >= 8 ? 512 << 20 : 256 << 20;

/** The run that goes on; a newer one, or none, ends it. */
let current = 0;
let ready = null;
/** A lab that has all of a log, and which log that is. */
let kept = null;
/** The reader; what it has sent, and who waits for more. */
let peer = null;
let sent = [];
let arrived = () => {};

/** Lets messages in; a timer would wait for 4 ms each time. */
const breathe = () =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => (channel.port1.close(), resolve());
    channel.port2.postMessage(null);
  });

function load({ glue, wasm, peer: port }) {
  if (glue) importScripts(glue);
  peer = port;
  peer.onmessage = ({ data }) => {
    sent.push(data);
    arrived();
  };
  ready = wasm_bindgen({ module_or_path: wasm ?? new URL('pkg/weir_bg.wasm', self.location.href) });
  ready.then(() => self.postMessage({ kind: 'ready' }), (error) => self.postMessage({ kind: 'broken', text: String(error) }));
}

self.onmessage = ({ data }) => {
  if (data.kind === 'load') return load(data);
  current = data.kind === 'stop' ? 0 : data.run;
  // Whoever waits for a block has to hear of it as well.
  arrived();
  if (data.kind === 'stop') return;
  replay(data).catch((error) => {
    // A trap leaves the program in no state to go on with.
    const kind = error instanceof WebAssembly.RuntimeError || error.fatal ? 'broken' : 'faults';
    self.postMessage({ kind, run: data.run, text: error.message ?? String(error) });
  });
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
      const all = source.attack ? source.requests : kept.requests;
      while (whole && lab.step()) whole = await goOn(lab.requests() / all);
    } else {
      ({ whole, broken } = await read(lab, run, source.files, goOn));
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
  kept = { lab, log, requests: lab.requests() };
}

/** Replays all files as they are read; not whole where the run was called off, or a file is broken. */
async function read(lab, run, files, goOn) {
  // Of two logs only one is ever wanted again.
  kept?.lab.free();
  kept = null;
  lab.keep(KEPT_BYTES);
  peer.postMessage({ kind: 'read', run, files });
  for (;;) {
    while (sent.length === 0 && current === run) await new Promise((resolve) => (arrived = resolve));
    if (current !== run) break;
    const { block, counts, share, over, broken, fatal, run: of } = sent.shift();
    if (of !== run) continue;
    if (fatal) throw Object.assign(new Error(fatal), { fatal });
    lab.block(block);
    lab.lines(counts);
    if (over) return { whole: !broken, broken };
    peer.postMessage({ kind: 'taken', run });
    if (!(await goOn(share))) break;
  }
  peer.postMessage({ kind: 'stop', run });
  return { whole: false, broken: '' };
}
