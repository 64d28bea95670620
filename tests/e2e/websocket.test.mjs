// WebSockets under limits and deadlines: refusals are plain answers, and what is open stays open.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { oneRule, stand } from "./lib/stand.mjs";
import { openWebSocket } from "./lib/websocket.mjs";

const UPGRADE = [["Connection", "Upgrade"], ["Upgrade", "websocket"], ["Sec-WebSocket-Version", "13"], ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="]];
const TOTAL_MS = 900;
const deadline = { headers: "600ms", total: `${TOTAL_MS}ms` };
const concurrency = [{ name: "open", key: [], running: 1 }];

for (const [way, rule] of [["passed natively", { deadline }], ["relayed, since it holds a slot", { deadline, concurrency }]]) {
  test(`a deadline bounds a WebSocket's handshake and not its life, ${way}`, async (t) => {
    const { origin, weir, from } = await stand(t, { policy: oneRule(rule) });
    await origin.script({ path: "/ws", websocket: true });
    const socket = await openWebSocket(`${weir.url}/ws`);
    await pause(2 * TOTAL_MS);
    socket.send("still here");
    assert.equal(await socket.next(), "still here");
    socket.close(4000, "enough");
    assert.deepEqual(await socket.closed(), { code: 4000, reason: "enough", clean: true });
    // and a handshake that nobody answers is late
    await origin.script({ path: "/late", hold: true });
    const late = await from("192.0.2.1").ask("/late", { headers: UPGRADE });
    assert.deepEqual([late.status, late.json().error], [504, "deadline_exceeded"]);
    await origin.until({ in_flight_max: 0 });
  });
}

test("WebSocket handshakes beyond the quota are a plain 429, and the origin sees none of them", async (t) => {
  const limits = [{ name: "ip", key: [], algorithm: "sliding-window", quota: 2, window: "60s" }];
  const { origin, weir, from } = await stand(t, { policy: oneRule({ limits }) });
  await origin.script({ path: "/ws", websocket: true });
  const open = [await openWebSocket(`${weir.url}/ws`), await openWebSocket(`${weir.url}/ws`)];
  const third = await from("192.0.2.1").ask("/ws", { headers: UPGRADE });
  assert.equal(third.status, 429);
  assert.match(third.header("retry-after"), /^[1-9]\d*$/);
  assert.equal(third.header("upgrade"), null);
  assert.equal((await origin.records("/ws")).length, 2);
  for (const socket of open) {
    socket.send("hello");
    assert.equal(await socket.next(), "hello");
    socket.close(1000, "");
    await socket.closed();
  }
});
