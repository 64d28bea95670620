// Bounds on a request's body: declared, undeclared and lying lengths, slow senders, many at once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { connect } from "./lib/client.mjs";
import { oneRule, stand } from "./lib/stand.mjs";
import { within } from "./lib/process.mjs";

const KIB = 1024;
const bounded = (body) => oneRule({ body });

/** The one request that the origin saw, once it is over. */
async function only(origin) {
  await origin.until({ total_min: 1, in_flight_max: 0 });
  const records = await origin.records();
  assert.equal(records.length, 1);
  return records[0];
}

const lengths = ({ headers }) => headers.filter(([name]) => /^(content-length|transfer-encoding)$/i.test(name)).map(([name, value]) => `${name.toLowerCase()}: ${value}`);

test("a body within its bound arrives as it came, declared or not", async (t) => {
  const { origin, from } = await stand(t, { policy: bounded({ max_bytes: "256KiB", buffer: "4KiB" }) });
  const ada = from("192.0.2.1");
  for (const size of [0, 1, 4 * KIB, 4 * KIB + 1, 256 * KIB]) {
    const body = Buffer.alloc(size, "abcdefg");
    for (const chunked of [false, true]) {
      await origin.reset();
      assert.equal((await ada.ask("/echo", { method: "POST", body, chunked })).status, 200, `${size} ${chunked}`);
      const seen = await only(origin);
      assert.deepEqual([seen.body, seen.body_bytes], ["ended", size]);
      assert.deepEqual(lengths(seen), [chunked ? "transfer-encoding: chunked" : `content-length: ${size}`]);
    }
  }
});

test("an undeclared body that passes the bound while it streams never ends at the origin", async (t) => {
  const { origin, weir } = await stand(t, { policy: bounded({ max_bytes: "100KiB", buffer: "4KiB" }) });
  const client = await connect(weir.port);
  client.send({ method: "POST", target: "/up", headers: [["Transfer-Encoding", "chunked"]] });
  client.chunk(Buffer.alloc(20 * KIB));
  await origin.until({ total_min: 1 });
  client.chunk(Buffer.alloc(100 * KIB));
  const answer = await client.response();
  assert.deepEqual([answer.status, answer.json().error], [413, "body_too_large"]);
  const seen = await only(origin);
  assert.equal(seen.body, "broken");
  assert.ok(seen.body_bytes <= 100 * KIB, `${seen.body_bytes} bytes`);
  // the rest of the upload is read, and the connection goes on
  client.lastChunk();
  client.send({ target: "/next" });
  assert.equal((await client.response()).status, 404);
  client.close();
});

test("a client that is still sending reads the 413", async (t) => {
  const { origin, weir } = await stand(t, { policy: bounded({ max_bytes: "16KiB" }) });
  for (const headers of [[["Content-Length", String(8 << 20)]], [["Transfer-Encoding", "chunked"]]]) {
    const client = await connect(weir.port);
    client.send({ method: "POST", target: "/up", headers });
    for (let i = 0; i < 64; i += 1) client.write(Buffer.from(`1f400\r\n${"x".repeat(128_000)}\r\n`));
    const answer = await client.response();
    assert.deepEqual([answer.status, answer.json().error], [413, "body_too_large"]);
    client.close();
  }
  assert.deepEqual(await origin.records(), []);
});

test("after a 413 the connection's next request is unharmed", async (t) => {
  const { origin, weir } = await stand(t, { policy: bounded({ max_bytes: "16KiB" }) });
  const client = await connect(weir.port);
  for (const chunked of [false, true]) {
    client.send({ method: "POST", target: "/up", body: Buffer.alloc(300 * KIB), chunked });
    assert.equal((await client.response()).status, 413);
    client.send({ method: "POST", target: "/next", body: "abc" });
    assert.equal((await client.response()).status, 404);
  }
  client.close();
  assert.deepEqual((await origin.records()).map((r) => [r.target, r.body_bytes]), [["/next", 3], ["/next", 3]]);
});

test("a body that breaks off ends nowhere", async (t) => {
  for (const buffer of ["64KiB", "1KiB"]) {
    const { origin, weir } = await stand(t, { policy: bounded({ max_bytes: "64KiB", buffer, timeout: "10s" }) });
    for (const headers of [[["Content-Length", "9000"]], [["Transfer-Encoding", "chunked"]]]) {
      const client = await connect(weir.port);
      client.send({ method: "POST", target: "/up", headers });
      client.write(`1000\r\n${"x".repeat(4096)}\r\n`);
      if (buffer === "1KiB") await origin.until({ total_min: 1 });
      client.reset();
      await origin.until({ in_flight_max: 0 });
    }
    assert.ok((await origin.records()).every((record) => record.body === "broken"));
  }
});

test("G3.12 a trickle is cut: 408, and the origin sees nothing whole", async (t) => {
  const { origin, weir } = await stand(t, { policy: bounded({ max_bytes: "16KiB", buffer: "2KiB", timeout: "500ms" }) });
  for (const [sent, headers] of [
    [10, [["Content-Length", "1000"]]],
    [10, [["Transfer-Encoding", "chunked"]]],
    [3000, [["Content-Length", "9000"]]],
    [3000, [["Transfer-Encoding", "chunked"]]],
  ]) {
    await origin.reset();
    const client = await connect(weir.port);
    client.send({ method: "POST", target: "/up", headers });
    client.write(headers[0][0] === "Content-Length" ? "x".repeat(sent) : `${sent.toString(16)}\r\n${"x".repeat(sent)}\r\n`);
    const trickling = client.trickle(Buffer.alloc(60, "1\r\nx\r\n"), { size: 6, every_ms: 100 });
    const answer = await client.response();
    assert.deepEqual([answer.status, answer.json().error], [408, "body_timeout"], `${sent} ${headers}`);
    client.close();
    await trickling;
    await origin.until({ in_flight_max: 0 });
    assert.ok((await origin.records()).every((record) => record.body === "broken"));
    assert.equal((await origin.records()).length, sent > 2 * KIB ? 1 : 0);
  }
});

test("url, header and media type bounds", async (t) => {
  const { origin, from } = await stand(t, {
    policy: oneRule({ max_url_bytes: 100, max_header_bytes: 500, body: { content_types: ["application/json"] } }),
  });
  const ada = from("192.0.2.1");
  const post = (type) => ada.ask("/echo", { method: "POST", body: "{}", headers: type ? [["Content-Type", type]] : [] });
  assert.equal((await ada.ask(`/${"a".repeat(99)}`)).status, 404);
  const long = await ada.ask(`/${"a".repeat(100)}`);
  assert.deepEqual([long.status, long.json().error], [414, "url_too_long"]);
  const big = await ada.ask("/", { headers: [["X-Big", "a".repeat(500)]] });
  assert.deepEqual([big.status, big.json().error], [431, "headers_too_large"]);
  for (const type of ["application/json", "Application/JSON; charset=utf-8"]) assert.equal((await post(type)).status, 200);
  for (const type of ["text/plain", undefined]) {
    const other = await post(type);
    assert.deepEqual([other.status, other.json().error], [415, "unsupported_media_type"]);
  }
  assert.equal((await origin.records()).length, 3);
});

test("a hundred slow uploads at once: what is held stays bounded, and others are served", async (t) => {
  const { weir, from } = await stand(t, {
    policy: { rules: [{ name: "up", match: { path: "/up" }, body: { max_bytes: "1MiB", json: {} } }] },
  });
  const slow = await Promise.all(Array.from({ length: 100 }, () => connect(weir.port)));
  for (const client of slow) {
    client.send({ method: "POST", target: "/up", headers: [["Content-Length", String(1 << 20)]] });
    client.write(Buffer.alloc(700 * KIB, " "));
  }
  // 100 times 700 KiB is more than the 32 MiB that one isolate holds
  const answers = slow.map((client) => client.response().then((answer) => answer, () => null));
  const busy = await within(15_000, () => "nobody was turned away", Promise.any(answers));
  assert.deepEqual([busy.status, busy.json().error, busy.header("retry-after")], [503, "busy", "1"]);
  assert.equal((await from("192.0.2.2").ask("/api/v1/quizzes")).status, 200);
  for (const client of slow) client.reset();
  await Promise.all(answers);
  // what they held is free again
  const after = await from("192.0.2.2").ask("/up", { method: "POST", body: `[${" ".repeat(900 * KIB)}]` });
  assert.equal(after.status, 404);
});

test("a hundred slow uploads at once: where there is room all of them arrive whole, and others are served meanwhile", async (t) => {
  const { origin, weir, from } = await stand(t, {
    policy: { rules: [
      { name: "held", match: { path: "/held" }, body: { max_bytes: "1MiB", json: {} } },
      { name: "counted", match: { path: "/counted" }, body: { max_bytes: "1MiB", buffer: "4KiB", timeout: "60s" } },
    ] },
  });
  await origin.script({ path: "/*" });
  const resident = async () => Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${weir.pid}/status`, "utf8"))[1]);
  assert.equal((await from("192.0.2.2").ask("/others")).status, 200);
  const before = await resident();
  const body = Buffer.from(`[${" ".repeat(200 * KIB)}]`);
  const slow = await Promise.all(Array.from({ length: 100 }, () => connect(weir.port)));
  for (const [i, client] of slow.entries()) {
    const [target, framing] = [i % 2 === 0 ? "/held" : "/counted", i % 4 < 2 ? ["Content-Length", String(body.length)] : ["Transfer-Encoding", "chunked"]];
    client.send({ method: "POST", target, headers: [framing] });
    client.piece = (bytes) => (i % 4 < 2 ? client.write(bytes) : client.chunk(bytes));
  }
  const PIECES = 5;
  const size = Math.ceil(body.length / PIECES);
  for (let at = 0; at < PIECES; at += 1) {
    for (const client of slow) client.piece(body.subarray(at * size, (at + 1) * size));
    // Answered while every upload is still under way: none of them has sent its last piece's end.
    assert.equal((await from("192.0.2.2").ask("/others")).status, 200);
  }
  const grown_kib = (await resident()) - before;
  slow.forEach((client, i) => i % 4 >= 2 && client.lastChunk());
  for (const client of slow) {
    assert.equal((await client.response()).status, 200);
    client.close();
  }
  const seen = (await origin.records()).filter(({ target }) => target !== "/others");
  assert.deepEqual([seen.length, seen.every((record) => record.body === "ended" && record.body_bytes === body.length)], [100, true]);
  // half of them held, the pieces of the others on their way, and garbage that nobody collected yet;
  // an isolate has 128 MiB
  t.diagnostic(`grew by ${grown_kib} KiB`);
  assert.ok(grown_kib < 110 * KIB, `${grown_kib} KiB`);
});

test("what was refused after it was held takes no memory", async (t) => {
  const limits = [{ name: "user", key: ["body:user"], algorithm: "token-bucket", quota: 1, window: "1h" }];
  const { from } = await stand(t, {
    policy: { rules: [
      { name: "json", match: { path: "/json" }, body: { max_bytes: "1MiB", json: {} } },
      { name: "key", match: { path: "/key" }, body: { max_bytes: "1MiB" }, limits },
    ] },
  });
  const ada = from("192.0.2.1");
  // twice what the isolate may hold at once
  for (let i = 0; i < 64; i += 1) {
    const body = Buffer.alloc(1 << 20, "x");
    assert.equal((await ada.ask("/json", { method: "POST", body })).status, 400, String(i));
    assert.equal((await ada.ask("/key", { method: "POST", body })).status, i === 0 ? 404 : 429, String(i));
  }
});

test("a rule in shadow reads the body and refuses none", async (t) => {
  const limits = [{ name: "user", key: ["body:user"], algorithm: "token-bucket", quota: 1, window: "1h" }];
  const { origin, weir, from } = await stand(t, {
    policy: oneRule({ mode: "shadow", announce: true, body: { max_bytes: "1KiB", timeout: "300ms", json: {}, content_types: ["text/x"] }, limits }),
  });
  const ada = from("192.0.2.1");
  const send = (body) => ada.ask("/echo", { method: "POST", body, headers: [["Content-Type", "application/json"]] });
  const left = (answer) => /r=(\d+)/.exec(answer.header("ratelimit"))?.[1];
  const seen = [];
  for (const body of ['{"user":"a"}', '{"user":"a"}', '{"user":"b"}', "{", "x".repeat(5000)]) seen.push(await send(body));
  assert.deepEqual(seen.map(({ status }) => status), [200, 200, 200, 200, 200]);
  assert.deepEqual(seen.slice(0, 3).map(left), ["0", "0", "0"]);
  assert.deepEqual((await origin.records()).map((r) => r.body_bytes), [12, 12, 12, 1, 5000]);
  const slow = await connect(weir.port);
  slow.send({ method: "POST", target: "/echo", headers: [["Content-Length", "20"]] });
  await slow.trickle(Buffer.alloc(20, "x"), { size: 2, every_ms: 60 });
  assert.equal((await slow.response()).status, 200);
  slow.close();
});
