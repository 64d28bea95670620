// An origin that is late, gone, or none at all.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { connect, request } from "./lib/client.mjs";
import { WAYS, passing } from "./lib/passing.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

test("G3.7 deadline: 504 deadline_exceeded, and the origin's request is really cancelled", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ deadline: "300ms" }) });
  const ada = from("192.0.2.1");
  assert.equal((await ada.ask("/api/v1/quizzes")).status, 200);
  for (const fields of [{}, { method: "POST", body: "abc" }, { method: "POST", body: "abc", chunked: true }]) {
    await origin.reset();
    await origin.hold();
    const answer = await ada.ask("/slow", fields);
    assert.deepEqual([answer.status, answer.json().error], [504, "deadline_exceeded"]);
    await origin.until({ in_flight_max: 0 });
    assert.equal((await origin.records())[0].aborted, true);
  }
});

test("a deadline for the headers lets the body take its time; one for all of it cuts it", async (t) => {
  const { origin, weir } = await stand(t, {
    policy: { rules: [
      { name: "headers", match: { path: "/headers" }, deadline: "400ms" },
      { name: "total", match: { path: "/total" }, deadline: { headers: "400ms", total: "600ms" } },
    ] },
  });
  const slow = (path, framing) => origin.script({ path, framing, body: [{ text: "first" }, { delay_ms: 1200 }, { text: "last" }] });
  await slow("/headers", "length");
  const whole = await request(weir.port, { target: "/headers" });
  assert.deepEqual([whole.status, whole.text, whole.whole], [200, "firstlast", true]);
  for (const framing of ["length", "chunked"]) {
    await origin.reset();
    await slow("/total", framing);
    const cut = await request(weir.port, { target: "/total" });
    assert.deepEqual([cut.status, cut.text, cut.whole], [200, "first", false], framing);
    await origin.until({ in_flight_max: 0 });
    assert.equal((await origin.records())[0].aborted, true);
  }
});

test("a length that the origin says twice is no failure under a deadline either", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ deadline: { headers: "5s", total: "9s" } }) });
  await origin.script({ path: "/twice", headers: [["Content-Length", "4"]], framing: "length", body: [{ text: "body" }] });
  const answer = await from("192.0.2.1").ask("/twice");
  assert.deepEqual([answer.status, answer.text, answer.whole], [200, "body", true]);
});

test("a length beside chunks means nothing, on every way that an answer's body is copied", async (t) => {
  const { origin, from } = await stand(t, { policy: { rules: [
    { name: "late", match: { path: "/late" }, deadline: { headers: "5s", total: "9s" } },
    { name: "slots", match: { path: "/slots" }, concurrency: [{ name: "all", key: [], running: 2 }] },
    { name: "bytes", match: { path: "/bytes" }, limits: [{ name: "b", key: ["ip"], algorithm: "token-bucket", quota: 9999, window: "1s", cost: "response-bytes" }] },
  ] } });
  for (const path of ["/plain", "/late", "/slots", "/bytes"]) {
    await origin.script({ path, headers: [["Content-Length", "99"]], framing: "chunked", body: [{ text: "bo" }, { text: "dy" }] });
    const answer = await from("192.0.2.1").ask(path);
    assert.deepEqual([answer.status, answer.text, answer.whole], [200, "body", true], path);
  }
});

test("an origin that cannot be reached is 502 on every way, also to who sends a body", async (t) => {
  // a port on which nobody listens any more
  const closed = createServer();
  await new Promise((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address();
  await new Promise((resolve) => closed.close(resolve));
  for (const via of ["service", "url"]) {
    const { weir } = await passing(t, { origin: { address: `127.0.0.1:${port}` }, via });
    for (const way of WAYS) {
      for (const fields of [{}, { method: "POST", body: "a".repeat(20_000) }]) {
        const answer = await request(weir.port, { target: `${way}/x`, ...fields });
        assert.deepEqual([answer.status, answer.json().error], [502, "origin_unreachable"], `${via} ${way}`);
        assert.equal(answer.header("cache-control"), "no-store");
      }
    }
  }
});

test("an origin that hangs up without an answer is 502 on every way, and a line in the log", async (t) => {
  const rude = createServer((socket) => socket.once("data", () => socket.destroy()).on("error", () => {}));
  await new Promise((resolve) => rude.listen(0, "127.0.0.1", resolve));
  t.after(() => rude.close());
  const { weir } = await passing(t, { origin: { address: `127.0.0.1:${rude.address().port}` } });
  const logged = () => weir.log().split('"error":"origin_unreachable"').length - 1;
  for (const [i, way] of WAYS.entries()) {
    const answer = await request(weir.port, { target: `${way}/x` });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_unreachable"], way);
    while (logged() <= i) await weir.line(() => true);
    assert.equal(logged(), i + 1, way);
  }
});

test("a status that is none is 502 origin_invalid on every way", async (t) => {
  const odd = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 777 Odd\r\nContent-Length: 0\r\n\r\n")).on("error", () => {}));
  await new Promise((resolve) => odd.listen(0, "127.0.0.1", resolve));
  t.after(() => odd.close());
  const { weir } = await passing(t, { origin: { address: `127.0.0.1:${odd.address().port}` } });
  for (const way of WAYS) {
    const answer = await request(weir.port, { target: `${way}/x` });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_invalid"], way);
  }
});

test("without an origin the answer says what to set, and Weir does not call itself", async (t) => {
  const { origin, weir } = await stand(t, { via: "none" });
  for (const host of ["127.0.0.1", "localhost:8080", "[::1]", "weir.somebody.workers.dev"]) {
    const answer = await request(weir.port, { target: "/x", headers: [["Host", host]] });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_missing"], host);
    assert.match(answer.json().detail, /ORIGIN/);
  }
  assert.deepEqual(await origin.records(), []);
});

test("ORIGIN as a URL: the target on it, and where the request came from", async (t) => {
  const { origin, weir } = await stand(t, { via: "url", policy: oneRule({}) });
  const client = await connect(weir.port);
  client.send({ method: "POST", target: "/a%2Fb?q=%20", headers: [["Host", "shop.test"], ["CF-Connecting-IP", "192.0.2.1"], ["X-Forwarded-For", "10.0.0.1"]], body: "abc" });
  assert.equal((await client.response()).status, 404);
  client.close();
  const [seen] = await origin.records();
  const header = Object.fromEntries(seen.headers.map(([name, value]) => [name.toLowerCase(), value]));
  assert.deepEqual([seen.method, seen.target, seen.body_bytes, header.host], ["POST", "/a%2Fb?q=%20", 3, origin.address]);
  assert.deepEqual([header["x-forwarded-host"], header["x-forwarded-proto"], header["x-forwarded-for"]], ["shop.test", "http", "192.0.2.1"]);
});

test("a target that climbs stays under the path that ORIGIN has", async (t) => {
  const { origin, weir } = await stand(t, { via: "url", policy: oneRule({}) });
  await weir.restart({ vars: { ORIGIN: `http://${origin.address}/base/` } });
  for (const [target, expected] of [
    ["/a%2Fb//c/?q=..", "/base/a%2Fb//c/?q=.."], ["/%2e%2e/x", "/base/x"], ["/a/.%2E/..\\../x?y=%2e%2e", "/base/x?y=%2e%2e"], ["//%2e%2E/%2e./x/", "/base/x"],
  ]) {
    await origin.reset();
    await request(weir.port, { target });
    assert.deepEqual((await origin.records()).map((seen) => seen.target), [expected], target);
  }
});

test("an ORIGIN that is no URL is 502, on every way", async (t) => {
  const { weir } = await passing(t, { via: "url", vars: { ORIGIN: "shop.test" } });
  for (const way of WAYS) {
    const answer = await request(weir.port, { target: `${way}/x` });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_unreachable"], way);
  }
});

test("a switch of protocols that nobody asked for is no answer", async (t) => {
  const { origin, weir } = await passing(t);
  await origin.script({ path: "/*", status: 101, framing: "none" });
  for (const way of WAYS) {
    const answer = await request(weir.port, { target: `${way}/x` });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_invalid"], way);
  }
});

/** Sends an upload bit by bit, without an end, until there is an answer. */
async function stillSending(weir, headers) {
  const client = await connect(weir.port);
  client.send({ method: "POST", target: "/up", headers });
  client.write(`2000\r\n${"x".repeat(0x2000)}\r\n`);
  const trickling = client.trickle(Buffer.alloc(6000, "1\r\nx\r\n"), { size: 60, every_ms: 20 });
  const answer = await client.response();
  client.close();
  await trickling;
  return answer;
}

const UPLOADS = [[["Content-Length", "1000000"]], [["Transfer-Encoding", "chunked"]]];

for (const [how, body] of [["watched", { max_bytes: "2MiB", buffer: "1KiB", timeout: "60s" }], ["untouched", undefined]]) {
  test(`a deadline that passes during an upload that is ${how} is read by who still sends`, async (t) => {
    const { origin, weir } = await stand(t, { policy: oneRule({ deadline: "400ms", ...(body && { body }) }) });
    for (const headers of UPLOADS) {
      await origin.reset();
      const answer = await stillSending(weir, headers);
      assert.deepEqual([answer.status, answer.json().error], [504, "deadline_exceeded"]);
      await origin.until({ in_flight_max: 0 });
      assert.equal((await origin.records())[0].body, "broken");
    }
  });

  test(`an origin that hangs up during an upload that is ${how} is 502 to who still sends`, async (t) => {
    const rude = createServer((socket) => {
      let bytes = 0;
      socket.on("error", () => {}).on("data", (piece) => (bytes += piece.length) > 0x2000 && socket.destroy());
    });
    await new Promise((resolve) => rude.listen(0, "127.0.0.1", resolve));
    t.after(() => rude.close());
    const { weir } = await stand(t, { origin: { address: `127.0.0.1:${rude.address().port}` }, policy: oneRule(body ? { body } : {}) });
    for (const headers of UPLOADS) {
      const answer = await stillSending(weir, headers);
      assert.deepEqual([answer.status, answer.json().error], [502, "origin_unreachable"]);
    }
  });
}

// The refusal's own stream, watched for its end as an answer is, once never came.
test("an unreachable origin is told whole to an upload that holds a slot", async (t) => {
  const concurrency = [{ name: "slots", key: ["ip"], running: 1, waiting: 0 }];
  const policy = oneRule({ body: { max_bytes: "16KiB", json: { max_depth: 5 } }, concurrency });
  const { from } = await stand(t, { via: "url", vars: { ORIGIN: "http://127.0.0.1:9" }, policy });
  for (let round = 0; round < 3; round += 1) {
    const answer = await from("192.0.2.1").ask("/", { method: "POST", body: "{}", headers: [["Content-Type", "application/json"]] });
    assert.deepEqual([answer.status, answer.json().error], [502, "origin_unreachable"]);
  }
});
