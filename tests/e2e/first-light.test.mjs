// The way a user runs it: `wrangler dev` with the policy of wrangler.toml.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { startOrigin } from "./lib/origin.mjs";
import { fileScope } from "./lib/process.mjs";
import { caller, passed, refused } from "./lib/stand.mjs";
import { startWrangler } from "./lib/wrangler.mjs";

const REPORT = { method: "POST", headers: [["Content-Type", "application/json"]], body: '{"accounts":["a"],"pageSize":10}' };
const scope = fileScope();
let origin, weir;

before(async () => {
  origin = await startOrigin(scope);
  weir = await startWrangler(scope, { origin });
});
beforeEach(() => origin.reset());

test("a visitor passes, and the origin's answer is the origin's", async () => {
  const answer = await caller(weir, "192.0.2.1").ask("/api/usernames/available?u=grace");
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json(), { username: "grace", available: true });
  const [record] = await origin.records();
  assert.deepEqual([record.method, record.target], ["GET", "/api/usernames/available?u=grace"]);
});

test("two floods at once: each address has its 21, and the origin sees no more", async () => {
  // what is asked for the first time starts slowly
  await caller(weir, "198.51.100.9").ask("/reports", REPORT);
  await origin.reset();
  const from_ms = performance.now();
  const floods = await Promise.all(["192.0.2.2", "198.51.100.2"].map((ip) => caller(weir, ip).askAtOnce(40, "/reports", REPORT)));
  const most = 21 + Math.floor((performance.now() - from_ms) / 100);
  for (const answers of floods) {
    assert.ok(passed(answers) >= 21 && passed(answers) <= most, `${JSON.stringify(statuses(answers))}, at most ${most}`);
    assert.equal(passed(answers) + refused(answers).length, 40);
    for (const answer of refused(answers)) assert.equal(answer.header("retry-after"), "1");
  }
  assert.equal((await origin.records()).length, passed(floods.flat()));
});

test("a body of 17 kB is refused, and the origin sees nothing of it", async () => {
  const answer = await caller(weir, "192.0.2.3").ask("/reports", { method: "POST", body: Buffer.alloc(17_000, "x") });
  assert.equal(answer.status, 413);
  assert.deepEqual(await origin.records(), []);
});
