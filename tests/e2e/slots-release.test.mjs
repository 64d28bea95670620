// A slot is given back whatever ends its request, and not before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, statuses } from "./lib/client.mjs";
import { counts, untilCounts } from "./lib/counts.mjs";
import { NOTHING, begin } from "./lib/live.mjs";
import { oneRule, stand as standIn } from "./lib/stand.mjs";
import { openWebSocket } from "./lib/websocket.mjs";

// a machine that is busy with other things is not an object that fails
const stand = (t, { policy, ...rest }) => standIn(t, { policy: { counter_timeout: "5s", ...policy }, ...rest });

const slots = (running, rest = {}, rule = {}) =>
  oneRule({ concurrency: [{ name: "ip", key: ["ip"], running, retry_after: "1s", ...rest }], ...rule });
const ROUNDS = 50;

/** So many at once: how many run. */
async function runAtOnce(origin, from, count) {
  await origin.script({ path: "/*", delay_ms: 300 });
  return statuses(await from("192.0.2.1").askAtOnce(count, "/again"));
}

test("G3.6 a client that leaves in any phase leaves nothing, fifty times over", async (t) => {
  const [rule] = slots(2, { waiting: 1 }).rules;
  const policy = { rules: [rule, { name: "body", match: { path: "/held" }, body: { max_bytes: "1MiB" } }] };
  const { origin, weir, from } = await stand(t, { policy, probe: true });
  await origin.script({ path: "/first-byte", hold: true });
  await origin.script({ path: "/mid-body", headers: [["Content-Type", "text/plain"]], framing: "chunked", body: [{ text: "begun" }, "hold", { text: "done" }] });
  await origin.script({ path: "/upload", read_body: true });
  await origin.script({ path: "/resets", body: [{ fill: 1000 }], end: "reset" });
  const upload = async (path, framing = "Content-Length: 1000\r\n\r\n") => {
    const connection = await connect(weir.port);
    connection.write(`POST ${path} HTTP/1.1\r\nHost: weir.test\r\nCF-Connecting-IP: 192.0.2.1\r\n${framing}half`);
    return connection;
  };
  const phases = {
    "uploading what is held back": async () => [await upload("/held", "Transfer-Encoding: chunked\r\n\r\n1000\r\n")],
    "uploading to the origin": async () => {
      const connection = await upload("/upload");
      await untilCounts(weir, { running: 1, waiting: 0 });
      return [connection];
    },
    "waiting for the first byte": async () => {
      const { connection } = await begin(weir, "/first-byte");
      await untilCounts(weir, { running: 1, waiting: 0 });
      return [connection];
    },
    queued: async () => {
      const all = [];
      for (const n of [1, 2, 3]) {
        all.push((await begin(weir, "/first-byte")).connection);
        await untilCounts(weir, { running: Math.min(n, 2), waiting: Math.max(n - 2, 0) });
      }
      // the one that waits leaves first
      all.pop().reset();
      await untilCounts(weir, { running: 2, waiting: 0 });
      return all;
    },
    "in the middle of the body": async () => {
      const connection = await connect(weir.port);
      connection.send({ target: "/mid-body", headers: [["CF-Connecting-IP", "192.0.2.1"]] });
      await (await connection.head()).pieces().next();
      assert.deepEqual(await counts(weir), { running: 1, waiting: 0 });
      return [connection];
    },
  };
  for (const [phase, enter] of Object.entries(phases)) {
    let slowest_ms = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const connections = await enter();
      const from_ms = performance.now();
      for (const connection of connections) connection.reset();
      await untilCounts(weir, NOTHING).catch((error) => {
        throw new Error(`${phase}, round ${round}: ${error.message}`);
      });
      slowest_ms = Math.max(slowest_ms, performance.now() - from_ms);
    }
    t.diagnostic(`${phase}: given back within ${slowest_ms.toFixed(0)} ms`);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await from("192.0.2.1").ask("/resets").catch(() => {});
    await untilCounts(weir, NOTHING);
  }
  await origin.reset();
  assert.deepEqual(await runAtOnce(origin, from, 5), { 200: 3, 429: 2 }, "two run, one waits");
  await untilCounts(weir, NOTHING);
});

test("a client that closes quietly is noticed by what is sent next", async (t) => {
  const { origin, weir } = await stand(t, { policy: slots(1), probe: true });
  const slow = [{ text: "1" }, "hold", { fill: 100_000 }, { delay_ms: 200 }, { fill: 100_000 }, "hold", { text: "2" }];
  await origin.script({ path: "/mid-body", framing: "chunked", body: slow });
  await origin.script({ path: "/first-byte", hold: true, framing: "chunked", body: slow });
  for (const target of ["/mid-body", "/first-byte"]) {
    const connection = await connect(weir.port);
    connection.send({ target, headers: [["CF-Connecting-IP", "192.0.2.1"]] });
    if (target === "/mid-body") await connection.head();
    await origin.until({ held_min: 1 });
    connection.close();
    await origin.release({ count: 1 });
    if (target === "/first-byte") {
      await origin.until({ held_min: 1 });
      await origin.release({ count: 1 });
    }
    await untilCounts(weir, NOTHING);
  }
});

test("headers do not end it; the body's end does, at once, and the body is what the origin sent", async (t) => {
  const { origin, weir, from } = await stand(t, { policy: slots(1), probe: true });
  const coded = [["Content-Type", "text/plain"], ["Content-Encoding", "gzip"]];
  await origin.script({ path: "/length", headers: coded, body: [{ fill: 70_000 }, "hold", { hex: "1f8b0800ff" }] });
  await origin.script({ path: "/chunked", headers: coded, framing: "chunked", body: [{ fill: 70_000 }, "hold", { hex: "1f8b0800ff" }] });
  await origin.script({ path: "/next" });
  for (const [path, field] of [["/length", "content-length"], ["/chunked", "transfer-encoding"]]) {
    const connection = await connect(weir.port);
    connection.send({ target: path, headers: [["CF-Connecting-IP", "192.0.2.1"]] });
    const head = await connection.head();
    assert.equal((await from("192.0.2.1").ask("/next")).status, 429, "the body still comes");
    await origin.until({ held_min: 1 });
    await origin.release({ count: 1 });
    await head.finish();
    const ended_ms = performance.now();
    await untilCounts(weir, NOTHING, 100);
    t.diagnostic(`${path}: free ${(performance.now() - ended_ms).toFixed(1)} ms after the end`);
    assert.equal((await from("192.0.2.1").ask("/next")).status, 200);
    assert.ok(head.whole);
    assert.equal(head.body.length, 70_005);
    assert.equal(head.body.subarray(-5).toString("hex"), "1f8b0800ff");
    assert.equal(head.header("content-encoding"), "gzip");
    assert.equal(head.header(field), field === "content-length" ? "70005" : "chunked");
    connection.close();
  }
});

test("answers without a body, failures and broken bodies free it", async (t) => {
  const { origin, weir, from } = await stand(t, { policy: slots(1), probe: true });
  await origin.script({ path: "/204", status: 204, framing: "none" });
  await origin.script({ path: "/304", status: 304, framing: "none" });
  await origin.script({ path: "/500", status: 500, body: [{ text: "no" }] });
  await origin.script({ path: "/head", body: [{ fill: 500 }] });
  await origin.script({ path: "/close", body: [{ fill: 500 }], end: "close" });
  const ada = from("192.0.2.1");
  for (const [path, status] of [["/204", 204], ["/304", 304], ["/500", 500]]) {
    assert.equal((await ada.ask(path)).status, status);
    await untilCounts(weir, NOTHING);
  }
  const head = await ada.ask("/head", { method: "HEAD" });
  assert.equal(head.header("content-length"), "500");
  await untilCounts(weir, NOTHING);
  const broken = await ada.ask("/close");
  assert.equal(broken.whole, false, "a body that broke off must not look whole");
  await untilCounts(weir, NOTHING);
  await origin.stop();
  assert.equal((await ada.ask("/500")).status, 502);
  await untilCounts(weir, NOTHING);
});

test("an event stream holds its slot until it closes, and is not buffered", async (t) => {
  const { origin, weir, from } = await stand(t, { policy: slots(1), probe: true });
  const event = (n) => ({ text: `data: ${n}\n\n` });
  await origin.script({ path: "/events", headers: [["Content-Type", "text/event-stream"]], framing: "chunked", body: [event(1), "hold", event(2), "hold", event(3)] });
  const connection = await connect(weir.port);
  connection.send({ target: "/events", headers: [["CF-Connecting-IP", "192.0.2.1"]] });
  const pieces = (await connection.head()).pieces();
  for (const n of [1, 2, 3]) {
    assert.equal((await pieces.next()).value.toString(), `data: ${n}\n\n`);
    if (n === 3) break;
    assert.equal((await from("192.0.2.1").ask("/events")).status, 429);
    await origin.until({ held_min: 1 });
    await origin.release({ count: 1 });
  }
  assert.equal((await pieces.next()).done, true);
  await untilCounts(weir, NOTHING);
  connection.close();
});

test("a WebSocket holds its slot until it closes, or for the handshake only", async (t) => {
  for (const websocket of ["held", "handshake"]) {
    const { origin, weir } = await stand(t, { policy: oneRule({ websocket, concurrency: [{ name: "all", key: [], running: 1 }] }), probe: true });
    await origin.script({ path: "/socket", websocket: true });
    const socket = await openWebSocket(`${weir.url}/socket`);
    socket.send("text");
    assert.equal(await socket.next(), "text");
    socket.send(Buffer.from([0, 255]));
    assert.deepEqual(await socket.next(), Buffer.from([0, 255]));
    await untilCounts(weir, { running: websocket === "held" ? 1 : 0, waiting: 0 });
    if (websocket === "held") await assert.rejects(openWebSocket(`${weir.url}/socket`));
    socket.close(4000, "enough");
    assert.equal((await socket.closed()).code, 4000);
    await untilCounts(weir, NOTHING);
  }
});
