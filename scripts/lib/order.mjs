// Puts functions that are like each other beside each other: 2 % of a Worker, since gzip looks back
// 32 KiB only. wasm-opt orders functions by name, so they are given numbers for names.
import { readFile, writeFile } from "node:fs/promises";
import { WASM_OPT } from "./paths.mjs";
import { run } from "./run.mjs";
import { leb, sections, number } from "./sections.mjs";

/** What the bodies of two functions must have in common, in bytes, to count as one likeness. */
const RUN = 4;
/** A run that more functions than this have in common says nothing about any two of them. */
const COMMON = 500;
/** Added to a function's number of runs: so that short functions are not found like everything. */
const SHORT = 60;

/** Rewrites a module with its functions in another order, named by number. */
export async function order(file) {
  await writeFile(file, numbered(await readFile(file)));
  const failure = "the Worker's functions could not be put in order.";
  const features = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue", "exception-handling"];
  await run(WASM_OPT, ["--reorder-functions-by-name", "-g", ...features.map((name) => `--enable-${name}`), file, "-o", file], { failure });
}

/** The module with the place of each function in the order as its name. */
function numbered(bytes) {
  const kept = [bytes.subarray(0, 8)];
  let imported = 0;
  let bodies = [];
  for (const section of sections(bytes)) {
    if (section.id === 0) continue;
    if (section.id === 2) imported = functionsImported(section.content);
    if (section.id === 10) bodies = vector(section.content);
    kept.push(section.whole);
  }
  const place = new Map(byLikeness(bodies).map((index, rank) => [index, rank]));
  const name = (index) => Buffer.from(String(place.get(index)).padStart(6, "0"));
  const names = bodies.map((_, index) => Buffer.concat([leb(imported + index), leb(6), name(index)]));
  const list = Buffer.concat([leb(names.length), ...names]);
  const content = Buffer.concat([leb(4), Buffer.from("name"), Buffer.from([1]), leb(list.length), list]);
  return Buffer.concat([...kept, Buffer.from([0]), leb(content.length), content]);
}

/** Indices so that each function follows one that it has much in common with. */
function byLikeness(bodies) {
  const runs = bodies.map(runsOf);
  const having = new Map();
  runs.forEach((all, index) => {
    for (const run of all) {
      const list = having.get(run);
      if (list) list.push(index);
      else having.set(run, [index]);
    }
  });
  const left = new Set(bodies.keys());
  const found = [];
  let at = runs.reduce((best, all, index) => (all.size > runs[best].size ? index : best), 0);
  while (left.size > 0) {
    found.push(at);
    left.delete(at);
    const shared = new Map();
    for (const run of runs[at]) {
      const list = having.get(run);
      if (list.length > COMMON) continue;
      for (const other of list) if (left.has(other)) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    let best = -1;
    [at] = left;
    for (const [other, count] of shared) {
      const likeness = count / (runs[other].size + SHORT);
      if (likeness > best) [best, at] = [likeness, other];
    }
  }
  return found;
}

function runsOf(body) {
  const runs = new Set();
  for (let at = 0; at + RUN <= body.length; at += 1) runs.add(body.readUIntBE(at, RUN));
  return runs;
}

/** The items of a vector of things with a size before them. */
function vector(content) {
  const items = [];
  const count = number(content, 0);
  for (let at = count.end; items.length < count.value; ) {
    const size = number(content, at);
    at = size.end + size.value;
    items.push(content.subarray(size.end, at));
  }
  return items;
}

/** How many of the imports are functions: all but the table and memory that come from the script, if any. */
function functionsImported(content) {
  const count = number(content, 0);
  let functions = 0;
  let at = count.end;
  const skipNumber = () => ({ end: at } = number(content, at));
  const skipName = () => {
    const length = number(content, at);
    at = length.end + length.value;
  };
  const skipLimits = () => {
    const more = content[at] & 1;
    at += 1;
    skipNumber();
    if (more) skipNumber();
  };
  for (let seen = 0; seen < count.value; seen += 1) {
    skipName();
    skipName();
    const kind = content[at];
    at += 1;
    if (kind === 0) functions += 1;
    if (kind === 0) skipNumber();
    else if (kind === 2) skipLimits();
    else if (kind === 3) at += 2;
    else {
      at += 1;
      if (kind === 1) skipLimits();
      else skipNumber();
    }
  }
  return functions;
}
