// What is only known after the response: counts by status, costs, and what is owed for them.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect, statuses } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { refused, stand } from "./lib/stand.mjs";

const log = (quota, more) => ({ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window: "300s", ...more });
const bucket = (quota, window, more) => ({ name: "ip", key: ["ip"], algorithm: "token-bucket", quota, window, ...more });
const rule = (path, ...limits) => ({ name: path.slice(1), match: { path: `/${path.slice(1)}` }, limits });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  rules: [
    rule("/sign-in", log(5, { count: { status: [401, 403] } })),
    rule("/fixed", log(10, { cost: 4 })),
    rule("/header", bucket(100, "100s", { cost: "response:x-cost" })),
    rule("/reserve", log(1000, { cost: { reserve: 400, settle: "response:x-cost" } })),
    rule("/bytes", log(10_000, { algorithm: "sliding-counter", quota: 100_000, cost: "response-bytes" })),
    rule("/upload", log(10_000, { cost: "bytes" })),
  ],
};
const scope = fileScope();
let origin, weir, from, next = 0;

before(async () => {
  ({ origin, weir, from } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});
const somebody = () => from(`192.0.2.${(next += 1)}`);
const left = (answer) => Number(/r=(\d+)/.exec(answer.header("ratelimit"))[1]);

/** Asks until what is left is so much: settling happens behind the answer. */
async function untilLeft(caller, target, expected) {
  let found;
  for (let i = 0; i < 40; i += 1) {
    found = left(await caller.ask(target));
    if (found === expected) return;
    await pause(50);
  }
  assert.equal(found, expected);
}

test("50 wrong passwords at once against a quota of 5: exactly 5 reach the origin", async () => {
  await origin.script({ path: "/sign-in", status: 401, reason: "Unauthorized", delay_ms: 300 });
  const answers = await somebody().askAtOnce(50, "/sign-in", { method: "POST", body: "password=guess" });
  assert.deepEqual(statuses(answers), { 401: 5, 429: 45 });
  assert.equal((await origin.records("/sign-in")).length, 5);
});

test("what does not match is given back: right passwords cost nothing, wrong ones stay", async () => {
  const ada = somebody();
  for (let i = 0; i < 12; i += 1) {
    assert.equal((await ada.ask("/sign-in", { method: "POST" })).status, 200);
    await pause(30);
  }
  await origin.script({ path: "/sign-in", status: 403, reason: "Forbidden" });
  for (let i = 0; i < 5; i += 1) assert.equal((await ada.ask("/sign-in", { method: "POST" })).status, 403);
  assert.equal((await ada.ask("/sign-in", { method: "POST" })).status, 429);
});

test("a guess whose sender does not wait for the answer still counts", async () => {
  await origin.script({ path: "/sign-in", status: 401, reason: "Unauthorized", delay_ms: 400 });
  const ip = `192.0.2.${(next += 1)}`;
  for (let i = 0; i < 5; i += 1) {
    const connection = await connect(weir.port);
    connection.send({ method: "POST", target: "/sign-in", headers: [["CF-Connecting-IP", ip]], body: "x" });
    await origin.until({ total_min: i + 1 });
    connection.reset();
  }
  await pause(1_000);
  assert.equal((await from(ip).ask("/sign-in", { method: "POST" })).status, 429);
});

test("G2.9 a request that costs more takes more", async () => {
  const ada = somebody();
  assert.equal(left(await ada.ask("/fixed")), 6);
  assert.equal(left(await ada.ask("/fixed")), 2);
  assert.equal((await ada.ask("/fixed")).status, 429);
  const bob = somebody();
  assert.equal((await bob.ask("/upload", { method: "POST", body: Buffer.alloc(9_000) })).status, 200);
  assert.equal((await bob.ask("/upload", { method: "POST", body: Buffer.alloc(1_001) })).status, 429);
  assert.equal((await bob.ask("/upload", { method: "POST", body: Buffer.alloc(900) })).status, 200);
});

test("a cost that the origin tells may run into debt, which is paid off first", async () => {
  await origin.script({ path: "/header", headers: [["X-Cost", "103"]] });
  const ada = somebody();
  assert.equal((await ada.ask("/header")).status, 200);
  await pause(200);
  const answer = await ada.ask("/header");
  assert.equal(answer.status, 429);
  // three units of debt and one to start with, at one a second
  const wait_s = Number(answer.header("retry-after"));
  assert.ok(wait_s >= 3 && wait_s <= 4, `${wait_s}`);
  await pause(wait_s * 1000);
  assert.equal((await ada.ask("/header")).status, 200);
});

test("what is reserved before is settled to what it was", async () => {
  const ada = somebody();
  await origin.script({ path: "/reserve", headers: [["X-Cost", "10"]] });
  assert.equal(left(await ada.ask("/reserve")), 600);
  await pause(200);
  assert.equal(left(await ada.ask("/reserve")), 590);
  await pause(200);
  await origin.script({ path: "/reserve", headers: [["X-Cost", "970"]] });
  assert.equal(left(await ada.ask("/reserve")), 580);
  await pause(200);
  const answer = await ada.ask("/reserve");
  assert.equal(answer.status, 429);
});

test("without the figure the reserve stands", async () => {
  const ada = somebody();
  assert.equal((await ada.ask("/reserve")).status, 200);
  assert.equal((await ada.ask("/reserve")).status, 200);
  await pause(200);
  assert.equal((await ada.ask("/reserve")).status, 429);
});

test("bytes of the answer are counted as they stream by, and nothing is held back", async () => {
  const body = [{ fill: 40_000 }, "hold", { fill: 30_000 }];
  for (const framing of ["length", "chunked"]) {
    await origin.script({ path: "/bytes", body, framing });
    const ip = `192.0.2.${(next += 1)}`;
    const connection = await connect(weir.port);
    connection.send({ target: "/bytes", headers: [["CF-Connecting-IP", ip]] });
    const response = await connection.head();
    assert.equal(response.header("content-length"), framing === "length" ? "70000" : null);
    let bytes = 0;
    for await (const piece of response.pieces()) {
      bytes += piece.length;
      if (bytes === 40_000) await origin.release();
    }
    assert.equal(bytes, 70_000);
    assert.ok(response.whole);
    connection.close();
    await origin.script({ path: "/bytes" });
    await untilLeft(from(ip), "/bytes", 30_000);
  }
});

test("of a download that is broken off, what was sent counts", async () => {
  await origin.script({ path: "/bytes", body: [{ fill: 150_000 }, "hold", { fill: 1_000_000 }] });
  const ip = `192.0.2.${(next += 1)}`;
  const connection = await connect(weir.port);
  connection.send({ target: "/bytes", headers: [["CF-Connecting-IP", ip]] });
  const response = await connection.head();
  let bytes = 0;
  for await (const piece of response.pieces()) {
    bytes += piece.length;
    if (bytes === 150_000) break;
  }
  connection.reset();
  await origin.release();
  await pause(1_000);
  assert.equal(refused([await from(ip).ask("/bytes")]).length, 1);
});

test("an origin that cannot be reached, or has no body to send, is answered as without a cost", async (t) => {
  const limits = [log(10_000, { cost: "response-bytes" })];
  const away = await stand(t, { policy: { rules: [{ name: "all", limits }] }, origin: { address: "127.0.0.1:9" } });
  for (const fields of [{}, { method: "POST", body: "abc" }]) {
    const answer = await away.from("192.0.2.1").ask("/", fields);
    assert.deepEqual([answer.status, answer.json().error, answer.whole], [502, "origin_unreachable", true]);
  }
  for (const fields of [{ status: 204, framing: "none" }, { body: [{ text: "" }] }, { body: [{ text: "a" }] }]) {
    await origin.script({ path: "/bytes", ...fields });
    const answer = await somebody().ask("/bytes");
    assert.deepEqual([answer.status, answer.text, answer.whole], [fields.status ?? 200, fields.body?.[0].text ?? "", true]);
    const head = await somebody().ask("/bytes", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [fields.status ?? 200, ""]);
  }
});
