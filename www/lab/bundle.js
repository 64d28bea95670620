// Where the lab's program is: beside this page, or, in the page that is one file, inside it.

/** Starts the worker; `import.meta` is not there in the one-file page, which brings everything along. */
export function startWorker() {
  const inside = document.getElementById('bundle');
  if (inside) {
    const { worker, wasm } = JSON.parse(inside.textContent);
    const url = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
    const started = new Worker(url);
    const bytes = Uint8Array.from(atob(wasm), (char) => char.charCodeAt(0));
    started.postMessage({ kind: 'load', wasm: bytes.buffer }, [bytes.buffer]);
    return started;
  }
  const started = new Worker(new URL('lab/worker.js', document.baseURI));
  started.postMessage({ kind: 'load', glue: new URL('lab/pkg/weir.js', document.baseURI).href });
  return started;
}
