// What reaches the client is what the origin answered, and the quota fields beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, brotliCompressSync, zstdCompressSync } from "node:zlib";
import { connect } from "./lib/client.mjs";
import { added, own, everywhere } from "./lib/passing.mjs";
import { fileScope } from "./lib/process.mjs";
import { openWebSocket } from "./lib/websocket.mjs";

const all = await everywhere(fileScope());
const lines = (headers) => headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
const value = (headers, name) => headers.find(([known]) => known.toLowerCase() === name)?.[1];

for (const { via, way, title, origin, weir, through } of all) {
  const limited = way !== "/plain";
  const answerWith = (script) => origin.script({ path: `${way}/*`, ...script });

  test(`${title}: any status, with its reason's meaning, its headers and its body`, async () => {
    for (const status of [200, 201, 206, 226, 299, 300, 400, 401, 404, 418, 429, 451, 500, 503, 599]) {
      await answerWith({ status, headers: [["Content-Type", "text/plain"], ["X-Latin", "caf\xe9"], ["Server", "a"], ["X-Empty", ""]], body: [{ text: "hello" }] });
      const { answer } = await through({ target: `${way}/s` });
      assert.deepEqual([answer.status, answer.text, answer.whole], [status, "hello", true]);
      assert.deepEqual(lines(own(answer.headers)), ["content-length: 5", "content-type: text/plain", "server: a", "x-empty: ", "x-latin: caf\xe9"]);
      assert.equal(added(answer.headers).length > 0, limited, `${status}`);
    }
  });

  test(`${title}: answers without a body`, async () => {
    for (const status of [204, 205, 304]) {
      await answerWith({ status, framing: "none", headers: [["ETag", '"a"'], ...(status === 205 ? [["Content-Length", "0"]] : [])] });
      const { answer } = await through({ target: `${way}/n` });
      assert.deepEqual([answer.status, answer.text, value(answer.headers, "etag")], [status, "", '"a"']);
      assert.equal(added(answer.headers).length > 0, limited, `${status}`);
    }
  });

  test(`${title}: redirects are returned, cookies keep their lines`, async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const cookies = [["Set-Cookie", "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT"], ["Set-Cookie", "b=2"]];
      await answerWith({ status, headers: [["Location", "http://other.test/next?a=%20"], ...cookies] });
      const { answer, records } = await through({ method: "POST", target: `${way}/r`, body: "abc" });
      assert.deepEqual([answer.status, answer.header("location"), records.length], [status, "http://other.test/next?a=%20", 1]);
      assert.deepEqual(answer.all("set-cookie"), cookies.map(([, cookie]) => cookie));
    }
  });

  test(`${title}: HEAD has the length that GET would have, ranges and validators pass`, async () => {
    await answerWith({ headers: [["ETag", '"v1"'], ["Accept-Ranges", "bytes"], ["Vary", "Accept"]], body: [{ fill: 12_345 }] });
    const { answer } = await through({ method: "HEAD", target: `${way}/h` });
    assert.deepEqual([answer.status, answer.header("content-length"), answer.header("etag"), answer.header("vary")], [200, "12345", '"v1"', "Accept"]);
    await answerWith({ status: 206, headers: [["Content-Range", "bytes 1-2/9"]], body: [{ text: "bc" }] });
    const range = await through({ target: `${way}/r`, headers: [["Range", "bytes=1-2"]] });
    assert.deepEqual([range.answer.status, range.answer.header("content-range"), range.answer.text], [206, "bytes 1-2/9", "bc"]);
  });

  test(`${title}: what is encoded stays as it is`, async () => {
    const text = Buffer.from("All the same text, again. ".repeat(8000));
    for (const [coding, bytes] of [
      [undefined, text], ["gzip", gzipSync(text)], ["br", brotliCompressSync(text)], ["zstd", zstdCompressSync(text)], ["gzip, gzip", gzipSync(gzipSync(text))], ["unheard-of", text],
    ]) {
      await answerWith({ headers: [["ETag", '"e"'], ["Vary", "Accept-Encoding"], ...(coding ? [["Content-Encoding", coding]] : [])], body: [{ hex: bytes.toString("hex") }] });
      const { answer } = await through({ target: `${way}/e`, headers: [["Accept-Encoding", "gzip, br, zstd"]] });
      assert.ok(answer.body.equals(bytes), `${coding}: ${answer.body.length} bytes instead of ${bytes.length}`);
      assert.deepEqual([answer.header("content-encoding"), answer.header("etag"), answer.header("vary"), answer.header("content-length")],
        [coding ?? null, '"e"', "Accept-Encoding", String(bytes.length)]);
    }
  });

  test(`${title}: events come one by one`, async () => {
    await answerWith({ framing: "chunked", headers: [["Content-Type", "text/event-stream"]], body: [{ text: "data: 1\n\n" }, "hold", { text: "data: 2\n\n" }] });
    const client = await connect(weir.port);
    client.send({ target: `${way}/events` });
    const pieces = (await client.head()).pieces();
    assert.equal((await pieces.next()).value.toString(), "data: 1\n\n");
    await origin.release();
    assert.equal((await pieces.next()).value.toString(), "data: 2\n\n");
    client.close();
    await origin.reset();
  });

  test(`${title}: an answer that breaks off is broken off`, async () => {
    for (const [framing, end] of [["length", "close"], ["length", "reset"], ["chunked", "reset"]]) {
      await answerWith({ framing, end, body: [{ text: "half" }, { delay_ms: 50 }] });
      const { answer } = await through({ target: `${way}/x` });
      assert.deepEqual([answer.status, answer.text, answer.whole], [200, "half", false], `${framing} ${end}`);
    }
  });

  test(`${title}: the origin's own refusal and quota fields`, async () => {
    await answerWith({ status: 429, headers: [["Retry-After", "7"], ["RateLimit", '"theirs";r=0;t=7'], ["X-RateLimit-Remaining", "0"], ["X-RateLimit-Limit", "5"], ["X-RateLimit-Reset", "7"]] });
    const { answer } = await through({ target: `${way}/o` });
    assert.deepEqual([answer.status, answer.header("retry-after"), answer.header("x-ratelimit-remaining"), answer.header("x-ratelimit-limit")], [429, "7", "0", "5"]);
    const items = answer.all("ratelimit").join(", ");
    assert.ok(items.startsWith('"theirs";r=0;t=7'), items);
    assert.equal(items.includes(`"${way.slice(1)}.ip"`), limited, items);
  });

  test(`${title}: a WebSocket both ways, its subprotocol and its close code`, async () => {
    await answerWith({ websocket: true });
    // Node's own client names this machine as the host, which no zone's route has
    for (const ours of via === "route" ? [] : [true, false]) {
      const socket = await openWebSocket(`${weir.url}${way}/ws`, { protocols: ["chat.v2", "chat.v1"] });
      assert.equal(socket.protocol, "chat.v2");
      socket.send("text");
      assert.equal(await socket.next(), "text");
      socket.send(Buffer.from([0, 1, 255]));
      assert.deepEqual(await socket.next(), Buffer.from([0, 1, 255]));
      if (ours) socket.close(4001, "done");
      else socket.send("close 4002 bye");
      assert.deepEqual(await socket.closed(), { code: ours ? 4001 : 4002, reason: ours ? "done" : "bye", clean: true });
    }
    await origin.reset();
    await answerWith({ status: 403, body: [{ text: "no" }] });
    const upgrade = [["Connection", "Upgrade"], ["Upgrade", "websocket"], ["Sec-WebSocket-Version", "13"], ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="]];
    const { answer } = await through({ target: `${way}/ws`, headers: upgrade });
    assert.deepEqual([answer.status, answer.text], [403, "no"]);
  });
}
