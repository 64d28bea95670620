// The equipment itself: an origin that did not write down what it got would make every other test
// pass for nothing.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, beforeEach, test } from "node:test";
import { burst, connect, request, statuses } from "./lib/client.mjs";
import { startOrigin } from "./lib/origin.mjs";
import { fileScope } from "./lib/process.mjs";
import { openWebSocket } from "./lib/websocket.mjs";

const scope = fileScope();
let origin, port;
before(async () => {
  origin = await startOrigin(scope);
  port = Number(origin.address.split(":")[1]);
});
beforeEach(() => origin.reset());

test("the origin writes down header lines as they came, and a hash of the body", async () => {
  const body = Buffer.from([0, 255, 13, 10, 7]);
  const answer = await request(port, { method: "PURGE", target: "/a//b/../c?x=%41&&", headers: [["x-B", "\xe9 1"], ["X-b", "2"]], body, chunked: true });
  assert.equal(answer.status, 404);
  const [record] = await origin.records();
  assert.equal(record.method, "PURGE");
  assert.equal(record.target, "/a//b/../c?x=%41&&");
  assert.deepEqual(record.headers, [["Host", "weir.test"], ["x-B", "\xe9 1"], ["X-b", "2"], ["Transfer-Encoding", "chunked"]]);
  assert.equal(record.body_sha256, createHash("sha256").update(body).digest("hex"));
  assert.equal(record.body, "ended");
});

test("the origin notices a body that breaks off", async () => {
  const connection = await connect(port);
  connection.write("POST /reports HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  await origin.until({ in_flight_min: 1 });
  connection.reset();
  const { records } = await origin.until({ in_flight_max: 0 });
  assert.equal(records[0].body, "broken");
});

test("the origin holds requests, and notices who leaves", async () => {
  await origin.script({ path: "/held", hold: true });
  const stays = await connect(port);
  stays.send({ target: "/held" });
  await origin.until({ held_min: 1 });
  const leaves = await connect(port);
  leaves.send({ target: "/held" });
  await origin.until({ held_min: 2 });
  leaves.close();
  const { records, peak } = await origin.until({ held_max: 1 });
  assert.equal(peak, 2);
  assert.deepEqual(records.map((r) => r.aborted), [false, true]);
  await origin.release();
  assert.equal((await stays.response()).status, 200);
  stays.close();
});

test("a script answers in pieces, with an odd status, and breaks off", async () => {
  await origin.script({ path: "/odd", status: 299, reason: "Odd", headers: [["X-A", "\xe9"], ["x-a", "2"]], framing: "chunked",
    body: [{ text: "one" }, "hold", { hex: "00ff" }], end: "reset", times: 1 });
  const connection = await connect(port);
  connection.send({ target: "/odd" });
  const answer = await connection.head();
  assert.equal(answer.status, 299);
  assert.deepEqual(answer.all("x-a"), ["\xe9", "2"]);
  await origin.until({ held_min: 1 });
  await origin.release();
  await answer.finish();
  assert.deepEqual([answer.body.toString("hex"), answer.whole], ["6f6e6500ff", false]);
  assert.equal((await request(port, { target: "/odd" })).status, 404);
});

test("a burst is on its way before the first answer", async () => {
  await origin.hold();
  const answers = burst(port, 30, (i) => ({ target: `/api/v1/quizzes?${i}` }));
  await origin.until({ held_min: 30 });
  await origin.release();
  assert.deepEqual(statuses(await answers), { 200: 30 });
});

test("the origin echoes over a WebSocket and closes it when told", async () => {
  const socket = await openWebSocket(`${origin.url}/ws`, { protocols: ["chat", "other"] });
  assert.equal(socket.protocol, "chat");
  socket.send("hé");
  assert.equal(await socket.next(), "hé");
  socket.send(Buffer.alloc(70_000, 7));
  assert.equal((await socket.next()).length, 70_000);
  socket.send("close 4001 enough");
  assert.deepEqual(await socket.closed(), { code: 4001, reason: "enough", clean: true });
});
