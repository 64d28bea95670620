// A KV namespace for workerd, which speaks HTTP to it: GET, PUT and DELETE of /key. A map that a
// test fills and reads directly, and that can be made to fail or to stay silent.
import { createServer } from "node:http";

export async function startKv(scope, entries = {}) {
  const values = new Map(Object.entries(entries));
  const kv = { values, reads: 0, mode: "ok" };
  const silent = new Set();
  const server = createServer(async (request, response) => {
    const key = decodeURIComponent(new URL(request.url, "http://kv").pathname.slice(1));
    if (request.method === "GET") kv.reads += 1;
    if (kv.mode === "silent") {
      silent.add(response.once("close", () => silent.delete(response)));
      return;
    }
    if (kv.mode === "fail") {
      response.writeHead(500).end();
      return;
    }
    if (request.method === "PUT") {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      values.set(key, Buffer.concat(pieces).toString());
      response.writeHead(200).end();
    } else if (request.method === "DELETE") {
      values.delete(key);
      response.writeHead(200).end();
    } else if (values.has(key)) {
      response.writeHead(200).end(values.get(key));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(kv, {
    address: `127.0.0.1:${server.address().port}`,
    /** Reads that still wait for an answer. */
    waiting: () => silent.size,
    /** `ok`, `fail` (500 for everything) or `silent` (no answer at all). */
    be: (mode) => {
      kv.mode = mode;
      if (mode !== "silent") for (const response of silent) response.destroy();
    },
  });
}
