// The outermost structure of a Wasm module (WebAssembly Core Specification, 5.5).

/** The sections of a module: each with its id, its content, and the bytes of the whole of it. */
export function* sections(bytes) {
  for (let at = 8; at < bytes.length; ) {
    const size = number(bytes, at + 1);
    const end = size.end + size.value;
    yield { id: bytes[at], content: bytes.subarray(size.end, end), whole: bytes.subarray(at, end) };
    at = end;
  }
}

/** An unsigned LEB128 number, and where it ends. */
export function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value += (bytes[at] & 127) * 2 ** shift;
    if (bytes[at] < 128) return { value, end: at + 1 };
  }
}

/** The same, written. */
export function leb(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.from([...bytes, value]);
}
