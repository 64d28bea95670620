// The live check of one field: waits for a pause in typing, calls off what is out of date, and never asks before it may.
// It knows no page: what it finds out goes to `show`, as one of
//   idle       nothing to say (empty, or not a name that could be sent)
//   checking   a check is under way or about to be
//   free, taken   the server's verdict
//   unknown    refused, failing or offline; `waitMs` until the next check may be made, 0 where nobody said

/** Long enough that most people pause only at the end of a name. */
const DEBOUNCE_MS = 350;

/** A check that waited for its turn comes back this much later at most, so that waiting pages do not come all at once. */
const RETURN_SPREAD_MS = 800;

/**
 * @param {HTMLInputElement} input
 * @param {import('../weir-client.js').Client} client
 * @param {string} url
 * @param {(state: string, name: string, waitMs: number) => void} show
 */
export function watchUsername(input, client, url, show) {
  let timer = 0;
  let controller = new AbortController();

  function stop() {
    clearTimeout(timer);
    controller.abort();
  }

  function changed() {
    stop();
    // What the last check said is about another name now.
    input.setCustomValidity('');
    if (!input.validity.valid) return show('idle', input.value, 0);
    const waitMs = client.waitTime(url);
    if (waitMs > 0) return later(waitMs);
    show('checking', input.value, 0);
    timer = setTimeout(check, DEBOUNCE_MS);
  }

  async function check() {
    const name = input.value;
    controller = new AbortController();
    const { signal } = controller;
    let available;
    try {
      available = await client.checkAvailability(url, name, { signal });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    if (available === null) later(client.waitTime(url));
    else show(available ? 'free' : 'taken', name, 0);
  }

  /** Says that the verdict is unknown and, where it is known when, asks again by itself. */
  function later(waitMs) {
    show('unknown', input.value, waitMs);
    if (waitMs > 0) timer = setTimeout(check, waitMs + Math.random() * RETURN_SPREAD_MS);
  }

  input.addEventListener('input', changed);
  if (input.value !== '') changed(); // kept by the browser from before a reload
  return { stop };
}
