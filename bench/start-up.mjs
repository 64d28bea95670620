// How long it takes from starting workerd to the first answer: what compiling and instantiating
// Weir adds to a Worker that does nothing.
import { say } from "../scripts/lib/say.mjs";
import { up } from "./timed.mjs";

const CONTENDERS = ["pass", "leased"];

/** Gives a list of `{ first_ms, cpu_ms }` for each. */
export async function startUp(scope, { times, origin }) {
  const results = {};
  const servers = {};
  for (const id of CONTENDERS) servers[id] = await up(scope, id, { origin });
  for (let i = 0; i < times; i += 1) {
    for (const id of CONTENDERS) {
      const server = servers[id];
      await server.stop();
      const from = performance.now();
      await server.start();
      const listening = performance.now();
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { "cf-connecting-ip": "192.0.2.1" } });
      await response.text();
      if (response.status !== 200) throw new Error(`${id} answers ${response.status}`);
      const over = performance.now();
      (results[id] ??= []).push({ listening_ms: listening - from, first_ms: over - from });
    }
  }
  say(`start: ${times} times each`);
  return results;
}
