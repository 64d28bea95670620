// Fifty megabytes each way: they stream, and the process does not grow by them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { connect } from "./lib/client.mjs";
import { passing } from "./lib/passing.mjs";
import { fileScope } from "./lib/process.mjs";

const SIZE = 50_000_000;
/** What a process may grow by: room for sockets and for garbage not collected yet, not for the body. */
const GROWTH_BYTES = 25_000_000;

const { origin, weir } = await passing(fileScope());

async function resident() {
  const status = await readFile(`/proc/${weir.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
}

/** Calls `step` until it gives false, and tells how far memory went above where it was. */
async function growth(step) {
  const before = await resident();
  let most = before;
  for (let at = 0; await step(at); at += 1) if (at % 16 === 0) most = Math.max(most, await resident());
  return most - before;
}

const PIECE = Buffer.alloc(1_000_000, "0123456789");

for (const [way, chunked] of [["/plain", false], ["/limited", false], ["/watched", false], ["/watched", true]]) {
  test(`${way}: 50 MB up, ${chunked ? "in chunks" : "declared"}`, async (t) => {
    await origin.reset();
    const hash = createHash("sha256");
    const client = await connect(weir.port);
    // the first request on a way makes what lasts
    client.send({ method: "POST", target: `${way}/up`, body: "x", chunked });
    await client.response();
    await origin.reset();
    client.send({ method: "POST", target: `${way}/up`, headers: [chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(SIZE)]] });
    const grown = await growth(async (at) => {
      if (at === SIZE / PIECE.length) return false;
      hash.update(PIECE);
      if (chunked) client.chunk(PIECE);
      else client.write(PIECE);
      await client.drained();
      return true;
    });
    if (chunked) client.lastChunk();
    assert.equal((await client.response()).status, 404);
    client.close();
    const [seen] = await origin.records();
    assert.deepEqual([seen.body_bytes, seen.body_sha256], [SIZE, hash.digest("hex")]);
    t.diagnostic(`grew by ${grown} bytes`);
    assert.ok(grown < GROWTH_BYTES, `${grown} bytes`);
  });
}

for (const way of ["/plain", "/limited", "/late"]) {
  test(`${way}: 50 MB down`, async (t) => {
    const client = await connect(weir.port);
    client.send({ target: `${way}/x` });
    await client.response();
    await origin.script({ path: `${way}/*`, body: [{ fill: SIZE }] });
    client.send({ target: `${way}/down` });
    const head = await client.head();
    assert.equal(head.header("content-length"), String(SIZE));
    const pieces = head.pieces();
    let size = 0;
    const grown = await growth(async () => {
      const { value, done } = await pieces.next();
      size += value?.length ?? 0;
      return !done;
    });
    client.close();
    await origin.reset();
    assert.equal(size, SIZE);
    t.diagnostic(`grew by ${grown} bytes`);
    assert.ok(grown < GROWTH_BYTES, `${grown} bytes`);
  });
}
