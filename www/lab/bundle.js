// Where the lab's program is: beside this page, or, in the page that is one file, inside it.

/** Starts the worker that judges, and beside it the one that reads; the first is given back. */
export function startWorker() {
  const { port1, port2 } = new MessageChannel();
  const [judge, reader] = start();
  judge(port1);
  reader(port2);
  // To the page the two are one.
  reader.worker.addEventListener('error', ({ message }) => judge.worker.dispatchEvent(new ErrorEvent('error', { message })));
  return judge.worker;
}

/** Workers as functions that take the port to the other one; what they need comes along in the one-file page. */
function start() {
  const inside = document.getElementById('bundle');
  if (!inside) {
    const glue = new URL('lab/pkg/weir.js', document.baseURI).href;
    return ['worker', 'reader'].map((name) => starter(new URL(`lab/${name}.js`, document.baseURI), { glue }));
  }
  const { worker, reader, wasm } = JSON.parse(inside.textContent);
  const bytes = Uint8Array.from(atob(wasm), (char) => char.charCodeAt(0)).buffer;
  return [worker, reader].map((text) => starter(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), { wasm: bytes }));
}

function starter(url, what) {
  const worker = new Worker(url);
  return Object.assign((peer) => worker.postMessage({ kind: 'load', ...what, peer }, [peer]), { worker });
}
