// Takes the names of functions out of a Wasm module: 40 KB of a Worker, gzipped, that only serve
// the traces of traps. worker-build has wasm-opt keep them, whatever it is told.
import { readFile, writeFile } from "node:fs/promises";

/** Rewrites the file without its custom section "name". */
export async function stripNames(file) {
  await writeFile(file, withoutNames(await readFile(file)));
}

/** A module (WebAssembly Core Specification, 5.5) without its custom section "name". */
export function withoutNames(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const size = number(bytes, at + 1);
    const end = size.end + size.value;
    if (bytes[at] !== 0 || nameOf(bytes, size.end) !== "name") kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function nameOf(bytes, at) {
  const length = number(bytes, at);
  return Buffer.from(bytes.subarray(length.end, length.end + length.value)).toString();
}

/** An unsigned LEB128 number, and where it ends. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value += (bytes[at] & 127) * 2 ** shift;
    if (bytes[at] < 128) return { value, end: at + 1 };
  }
}
