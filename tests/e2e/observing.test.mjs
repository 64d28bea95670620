// Dashboard, alerts and docs name only what metrics show, and all of it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/lib/paths.mjs";
import { operated } from "./lib/operated.mjs";
import { CF_HEADER } from "./lib/workerd.mjs";

const limit = (name, quota, more = {}) => ({ name, key: ["ip"], algorithm: "sliding-window", quota, window: "60s", ...more });
const policy = {
  rules: [
    { name: "enforced", match: { path: "/a" }, limits: [limit("ip", 50)], concurrency: [{ name: "tenant", key: ["ip"], running: 5 }] },
    { name: "quiet", mode: "shadow", match: { path: "/a" }, limits: [limit("ip", 2)] },
  ],
};

/** Labels by metric name, as seen on a Weir that has refused, let pass and given out slots. */
async function exposed(t) {
  const { from, metrics } = await operated(t, { policy });
  const ada = from("192.0.2.1").with([CF_HEADER, JSON.stringify({ asn: 64500, country: "NL" })]);
  for (let i = 0; i < 60; i += 1) await ada.ask("/a");
  const labels = {};
  for (const { name: family, samples } of Object.values(await metrics())) {
    for (const { name, labels: own } of samples) {
      for (const known of [family, name]) {
        labels[known] ??= new Set();
        for (const label of Object.keys(own)) labels[known].add(label);
      }
    }
  }
  return labels;
}

/** Expressions of the dashboard with the legends that stand beside them, and those of the alerts with their texts. */
async function expressions() {
  const dashboard = JSON.parse(await readFile(join(ROOT, "docs/grafana.json"), "utf8"));
  const alerts = await readFile(join(ROOT, "docs/alerts.yml"), "utf8");
  const panels = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr, legendFormat }) => ({ where: title, expr, text: legendFormat })));
  const rules = alerts.split(/^ {6}- alert: /m).slice(1).map((rule) => {
    const [, block, line] = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(rule);
    return { where: rule.split("\n")[0], expr: block ?? line, text: rule };
  });
  return [...panels, ...rules];
}

const names = (list) => list.split(",").map((name) => name.trim()).filter(Boolean);

/** The metrics that an expression names, each with the labels it selects; and the labels it groups by, or shows. */
function parsed({ expr, text }) {
  const selectors = [...expr.matchAll(/\b(weir_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name, matchers = ""]) => ({
    name,
    labels: [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label),
  }));
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => names(list));
  const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label]) => label);
  return { selectors, grouped, shown };
}

test("every metric and label that dashboard and alerts name exists", async (t) => {
  const labels = await exposed(t);
  const all = await expressions();
  assert.ok(all.length >= 15, `${all.length} expressions`);
  for (const one of all) {
    const { selectors, grouped, shown } = parsed(one);
    assert.ok(selectors.length > 0, `${one.where} names a metric of Weir's: ${one.expr}`);
    for (const { name, labels: selected } of selectors) {
      assert.ok(name in labels, `${one.where}: ${name} is exposed`);
      for (const label of [...selected, ...grouped]) assert.ok(labels[name].has(label), `${one.where}: ${name} has the label ${label}`);
    }
    const kept = grouped.length > 0 ? grouped : [...labels[selectors[0].name]];
    for (const label of shown) assert.ok(kept.includes(label), `${one.where} shows ${label}, which is still there`);
  }
});

test("the docs list every metric with its labels, and no other", async (t) => {
  const labels = await exposed(t);
  const docs = await readFile(join(ROOT, "docs/observing.md"), "utf8");
  const listed = Object.fromEntries(
    [...docs.matchAll(/^\| `(weir_[a-z_]+)` \| ([^|]*)\|/gm)].map(([, name, list]) => [name, [...list.matchAll(/`([a-z_]+)`/g)].map(([, label]) => label).sort()]),
  );
  const families = Object.entries(labels).filter(([name]) => !/_(bucket|sum|count)$/.test(name));
  const found = Object.fromEntries(families.map(([name, set]) => [name, [...set].filter((label) => label !== "le").sort()]));
  assert.deepEqual(found, listed);
});
