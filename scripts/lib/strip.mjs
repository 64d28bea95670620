// What wasm-bindgen and wasm-opt leave in a Worker that only people read, some 45 KB of it gzipped:
// the names of functions, which serve the traces of traps (worker-build has wasm-opt keep them,
// whatever it is told), and the long, hashed names by which the script and the module know each other.
import { readFile, writeFile } from "node:fs/promises";
import { leb, sections } from "./sections.mjs";

/** Rewrites a module and the script that goes with it. */
export async function strip(wasmFile, scriptFile) {
  const { wasm, names } = stripped(await readFile(wasmFile));
  await writeFile(wasmFile, wasm);
  await writeFile(scriptFile, renamed(await readFile(scriptFile, "utf8"), names));
}

const CUSTOM = 0;
const IMPORTS = 2;
const EXPORTS = 7;
/** Names that wasm-bindgen made: nobody else knows them. */
const HASHED = /_h?[0-9a-f]{16}$/;

/**
 * A module (WebAssembly Core Specification, 5.5) without custom sections and with short names, and
 * which names became which.
 */
export function stripped(bytes) {
  const names = new Map();
  const kept = [bytes.subarray(0, 8)];
  for (const { id, content, whole } of sections(bytes)) {
    if (id === IMPORTS || id === EXPORTS) {
      const short = shortened(content, names);
      kept.push(Buffer.from([id]), leb(short.length), short);
    } else if (id !== CUSTOM) {
      kept.push(whole);
    }
  }
  return { wasm: Buffer.concat(kept), names };
}

/** The content of a section with all hashed names in it made short: what it refers to by number stays. */
function shortened(content, names) {
  const text = content.toString("latin1");
  // A name's length stands before it in one byte: up to 127.
  const changed = text.replace(/([\x08-\x7f])((?:__wb|wasm_bindgen)\w+)/g, (all, length, run) => {
    const name = run.slice(0, length.charCodeAt(0));
    if (name.length !== length.charCodeAt(0) || !HASHED.test(name)) return all;
    if (!names.has(name)) names.set(name, `$${names.size.toString(36)}`);
    const short = names.get(name);
    return String.fromCharCode(short.length) + short + run.slice(name.length);
  });
  return Buffer.from(changed, "latin1");
}

/** The script with the same names made short. */
function renamed(script, names) {
  return script.replace(/\b(?:__wb|wasm_bindgen)\w+/g, (name) => names.get(name) ?? name);
}
