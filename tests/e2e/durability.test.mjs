// What counters remember when their objects leave memory, die, or are over.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { statuses } from "./lib/client.mjs";
import { caller, oneRule, passed, stand } from "./lib/stand.mjs";

const byAddress = (quota, window, rest = {}) => ({ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window, ...rest });
const policy = (limit) => oneRule({ limits: [limit] });

/** Rows that counter objects have stored. */
async function storedRows(storage) {
  const files = (await readdir(storage, { recursive: true })).filter((file) => /\/[0-9a-f]+\.sqlite$/.test(file));
  let rows = 0;
  for (const file of files) rows += await rowsIn(join(storage, file));
  return rows;
}

async function rowsIn(file, triesLeft = 40) {
  let database;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = '_cf_KV'").all();
    return tables.length === 0 ? 0 : database.prepare("SELECT count(*) AS rows FROM _cf_KV").get().rows;
  } catch (error) {
    // workerd is opening or closing it at this very moment
    if (error.code !== "ERR_SQLITE_ERROR" || triesLeft === 0) throw error;
  } finally {
    database?.close();
  }
  await pause(50);
  return rowsIn(file, triesLeft - 1);
}

async function until(ms, what, holds) {
  const end = performance.now() + ms;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `${what} within ${ms} ms`);
    await pause(250);
  }
}

test("a spent quota stays spent over silence and kill -9", async (t) => {
  const rule = (name, precision) => ({ name, match: { path: `/${name}` }, limits: [byAddress(5, "10m", { precision })] });
  const { origin, weir, from } = await stand(t, { policy: { rules: [rule("exact", "exact"), rule("leased", "leased")] } });
  await origin.script({ path: "/*" });
  const ada = from("192.0.2.1");
  for (const path of ["/exact", "/leased"]) assert.deepEqual(statuses(await ada.askAtOnce(8, path)), { 200: 5, 429: 3 }, path);
  // longer than an idle object stays in memory
  await pause(15_000);
  for (const path of ["/exact", "/leased"]) assert.equal((await ada.ask(path)).status, 429, path);
  const late = from("198.51.100.1");
  assert.equal(passed(await late.askAtOnce(8, "/exact")), 5);
  await weir.kill();
  await weir.start();
  for (const path of ["/exact", "/leased"]) assert.equal((await caller(weir, "192.0.2.1").ask(path)).status, 429, `${path} after kill -9`);
  const answer = await caller(weir, "198.51.100.1").ask("/exact");
  assert.equal(answer.status, 429, "spent the very moment before kill -9");
  assert.ok(Number(answer.header("retry-after")) > 500);
});

test("500 keys that came once leave nothing behind", async (t) => {
  const { weir, from } = await stand(t, { policy: policy(byAddress(5, "4s", { precision: "exact" })) });
  const addresses = Array.from({ length: 500 }, (_, i) => `10.0.${i % 5}.${Math.floor(i / 5) + 1}`);
  for (let i = 0; i < addresses.length; i += 50) {
    const answers = await Promise.all(addresses.slice(i, i + 50).map((ip) => from(ip).ask("/")));
    assert.equal(passed(answers), 50);
  }
  assert.ok((await storedRows(weir.storage)) > 0, "an exact limit stores what it counts");
  await until(20_000, "nothing is stored", async () => (await storedRows(weir.storage)) === 0);
});

test("an alarm does not wipe what still counts", async (t) => {
  const { weir, from } = await stand(t, { policy: policy(byAddress(2, "3s", { precision: "exact" })) });
  const ada = from("192.0.2.1");
  assert.equal((await ada.ask("/")).status, 200);
  const first_ms = performance.now();
  const at = (ms) => pause(first_ms + ms - performance.now());
  await at(2_700);
  assert.equal((await ada.ask("/")).status, 200);
  await at(3_200);
  assert.equal((await ada.ask("/")).status, 200, "the first is out of the window");
  // the alarm of the first has gone off by now
  await at(4_500);
  assert.equal((await ada.ask("/")).status, 429);
  await until(12_000, "nothing is stored", async () => (await storedRows(weir.storage)) === 0);
});

test("a shorter window frees a key that a longer one had spent", async (t) => {
  const { weir, from } = await stand(t, { policy: policy(byAddress(2, "1h")) });
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(4, "/")), { 200: 2, 429: 2 });
  // what was spent is stored by then
  await pause(3_500);
  await weir.restart({ policy: policy(byAddress(2, "5s")) });
  await pause(6_000);
  assert.equal((await caller(weir, "192.0.2.1").ask("/")).status, 200);
});
