// Reads Prometheus' text format, and nothing that is not exactly that.
import assert from "node:assert/strict";

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"`;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)\\})? (\\d+(?:\\.\\d+)?)$`);

/**
 * The families by name: `{ type, samples: [{ name, labels, value }] }`. Every family has HELP and
 * TYPE before its samples and stands together; histograms are cumulative and whole.
 */
export function parse(text) {
  assert.ok(text.endsWith("\n"), "the last line ends");
  const families = {};
  let current = null;
  const seen = new Set();
  for (const line of text.slice(0, -1).split("\n")) {
    const help = new RegExp(`^# HELP (${NAME}) \\S.*$`).exec(line);
    if (help) {
      assert.ok(!(help[1] in families), `${help[1]} comes once`);
      current = families[help[1]] = { name: help[1], type: null, samples: [] };
      continue;
    }
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`).exec(line);
    if (type) {
      assert.equal(current?.name, type[1], line);
      assert.equal(current.type, null, line);
      current.type = type[2];
      continue;
    }
    const sample = SAMPLE.exec(line);
    assert.ok(sample, `a sample: ${line}`);
    const [, name, labels = ""] = sample;
    const ends = current.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    assert.ok(ends.some((end) => name === current.name + end), `${name} stands under ${current.name}`);
    const key = `${name}{${labels}}`;
    assert.ok(!seen.has(key), `${key} comes once`);
    seen.add(key);
    const pairs = [...labels.matchAll(new RegExp(LABEL, "g"))].map(([, label, value]) => [label, value]);
    current.samples.push({ name, labels: Object.fromEntries(pairs), value: Number(sample.at(-1)) });
  }
  for (const family of Object.values(families)) {
    if (family.type === "counter") assert.match(family.name, /_total$/);
    if (family.type === "histogram") checkHistogram(family);
  }
  return families;
}

function checkHistogram({ name, samples }) {
  const series = new Map();
  for (const sample of samples) {
    const { le, ...rest } = sample.labels;
    const key = JSON.stringify(rest);
    const one = series.get(key) ?? series.set(key, { buckets: [] }).get(key);
    if (le === undefined) one[sample.name.slice(name.length + 1)] = sample.value;
    else one.buckets.push([le === "+Inf" ? Infinity : Number(le), sample.value]);
  }
  for (const [key, { buckets, sum, count }] of series) {
    assert.equal(typeof sum, "number", `${name}${key} has a sum`);
    assert.deepEqual(buckets.at(-1), [Infinity, count], `${name}${key} ends with its count`);
    for (let i = 1; i < buckets.length; i += 1) {
      assert.ok(buckets[i][0] > buckets[i - 1][0] && buckets[i][1] >= buckets[i - 1][1], `${name}${key} is cumulative`);
    }
  }
}

/** The value of the one sample whose labels include these; 0 where there is none. */
export function value(families, name, labels = {}) {
  const family = families[name] ?? families[name.replace(/_(bucket|sum|count)$/, "")];
  const found = (family?.samples ?? []).filter((sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text));
  assert.ok(found.length <= 1, `${name} ${JSON.stringify(labels)} is one series`);
  return found[0]?.value ?? 0;
}
