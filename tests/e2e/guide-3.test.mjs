// Guide 3, bounding API work: one test for each row of what it asks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, statuses } from "./lib/client.mjs";
import { oneRule, passed, refused, stand } from "./lib/stand.mjs";

const REPORTS = { method: "POST", headers: [["Content-Type", "application/json"]], body: '{"accounts":["a"],"pageSize":10}' };

test("G3.1 body bound: 17 kB against 16 KiB is 413 and the origin sees nothing", async (t) => {
  const { origin, weir, from } = await stand(t, { policy: oneRule({ body: { max_bytes: "16KiB" } }) });
  const ada = from("192.0.2.1");
  const post = (bytes, chunked) => ada.ask("/reports", { method: "POST", body: Buffer.alloc(bytes, "x"), chunked });
  for (const chunked of [false, true]) {
    const answer = await post(17_000, chunked);
    assert.equal(answer.status, 413, `chunked: ${chunked}`);
    assert.equal(answer.json().error, "body_too_large");
    assert.equal(answer.header("cache-control"), "no-store");
    assert.equal((await post(16_385, chunked)).status, 413);
  }
  // a declared length is believed before a byte of the body is there
  const waiting = await connect(weir.port);
  waiting.write("POST /reports HTTP/1.1\r\nHost: weir.test\r\nContent-Length: 17000\r\n\r\n");
  assert.equal((await waiting.response()).status, 413);
  waiting.close();
  assert.deepEqual(await origin.records(), []);
  for (const chunked of [false, true]) assert.equal((await post(16_384, chunked)).status, 200);
  assert.deepEqual((await origin.records()).map((r) => [r.body, r.body_bytes]), [["ended", 16_384], ["ended", 16_384]]);
});

test("G3.8 a burst of 20 beyond the first: of 40 at once 21 pass, and later again", async (t) => {
  const { origin, from } = await stand(t, {
    policy: oneRule({ limits: [{ name: "ip", key: ["ip"], algorithm: "token-bucket", quota: 10, window: "1s", burst: 21 }] }),
  });
  // so that nothing of the burst waits for the first start of anything
  assert.equal((await from("198.51.100.1").ask("/reports", REPORTS)).status, 200);
  await origin.reset();
  const ada = from("192.0.2.1");
  const from_ms = performance.now();
  const answers = await ada.askAtOnce(40, "/reports", REPORTS);
  const elapsed_ms = performance.now() - from_ms;
  // 21, unless the burst took so long that the next tenth of a second's token came into it
  const most = 21 + Math.floor(elapsed_ms / 100);
  t.diagnostic(`${passed(answers)} of 40 passed in ${elapsed_ms.toFixed(0)} ms`);
  assert.ok(passed(answers) >= 21 && passed(answers) <= most, JSON.stringify(statuses(answers)));
  assert.equal((await origin.records("/reports")).length, passed(answers));
  assert.equal(refused(answers).length, 40 - passed(answers));
  assert.deepEqual(new Set(refused(answers).map((answer) => answer.header("retry-after"))), new Set(["1"]));
  await pause(3000);
  assert.deepEqual(statuses(await ada.askAtOnce(20, "/reports", REPORTS)), { 200: 20 });
});
