// `npm run bench -- large`: 50 MB up and 50 MB down through Weir and through a bare pass-through Worker,
// in turns. What counts is the ratio of the fastest rounds, since others on the machine only ever make
// one slower, and how far the process grew.
import { readFile } from "node:fs/promises";
import { createServer, connect } from "node:net";
import { startWorkerd } from "../tests/e2e/lib/workerd.mjs";
import { CONTENDERS } from "./contenders.mjs";

const SIZE = 50_000_000;
const PIECE = Buffer.alloc(1_000_000, "0123456789");
/** Least share of the bare Worker's throughput. */
const LEAST = 0.9;

const limits = [{ name: "ip", key: ["ip"], algorithm: "token-bucket", quota: 1_000_000, window: "1s" }];
const rule = (name, more) => ({ name, match: { path: `/${name}/*` }, limits, ...more });
const bound = { max_bytes: "100MiB", buffer: "16KiB" };
const POLICY = {
  rules: [
    rule("limited"),
    rule("bounded", { body: bound }),
    rule("timed", { body: { ...bound, timeout: "60s" } }),
    rule("late", { deadline: { headers: "50s", total: "60s" } }),
    rule("bytes", { limits: [{ ...limits[0], quota: 1_000_000_000_000, cost: "response-bytes" }] }),
  ],
};

const up = (path, chunked) => ({ way: `up ${path}${chunked ? ", in chunks" : ""}`, path: `/${path}/up`, up: true, chunked });
const down = (path, chunked) => ({ way: `down ${path}${chunked ? ", in chunks" : ""}`, path: `/${path}/${chunked ? "chunks" : "down"}`, up: false, chunked });
const WAYS = [
  up("plain"), up("bounded"), up("timed"), up("late"), up("bounded", true), up("timed", true),
  down("limited"), down("late"), down("late", true), down("bytes"), down("bytes", true),
];

/** An origin that costs next to nothing: takes a body to its end, or sends one. */
function serve(socket) {
  let text = "";
  let left = 0;
  let tail = "";
  const answer = () => {
    state = head;
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  };
  const take = (piece) => {
    if (left > 0) {
      left -= piece.length;
      if (left === 0) answer();
    } else {
      tail = (tail + piece.subarray(-5).toString("latin1")).slice(-5);
      if (tail === "0\r\n\r\n") answer();
    }
  };
  const head = (piece) => {
    text += piece.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = text.slice(0, end);
    const rest = Buffer.from(text.slice(end + 4), "latin1");
    text = "";
    if (lines.startsWith("GET")) return send(socket, lines.includes("/chunks"));
    left = Number(/content-length: *(\d+)/i.exec(lines)?.[1] ?? 0);
    tail = "";
    state = take;
    if (rest.length > 0) take(rest);
  };
  let state = head;
  socket.on("error", () => {}).on("data", (piece) => state(piece));
}

async function send(socket, chunked) {
  socket.write(`HTTP/1.1 200 OK\r\n${chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${SIZE}`}\r\n\r\n`);
  for (let sent = 0; sent < SIZE && !socket.destroyed; sent += PIECE.length) await put(socket, chunked);
  if (chunked) socket.write("0\r\n\r\n");
}

const CHUNK = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from("\r\n")]);

/** One piece, once there is room for it. */
const put = (socket, chunked) =>
  new Promise((resolve) => {
    if (socket.write(chunked ? CHUNK : PIECE)) return resolve();
    const go = () => {
      socket.off("drain", go).off("close", go);
      resolve();
    };
    socket.on("drain", go).on("close", go);
  });

/** One transfer on a connection of its own: milliseconds from its first byte to its last. */
function transfer(port, { path, up, chunked }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let bytes = 0;
    let head = "";
    const from = performance.now();
    const over = () => {
      socket.destroy();
      resolve(performance.now() - from);
    };
    const wanted = up ? 1 : SIZE;
    socket.setTimeout(60_000, () => socket.destroy(new Error(`${path}: nothing came for a minute`)));
    socket.on("error", reject).on("close", () => reject(new Error(`${path} ended early: ${head.slice(0, 200)}`)));
    socket.on("data", (piece) => {
      if (!head.includes("\r\n\r\n")) {
        head += piece.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!head.startsWith("HTTP/1.1 200")) return socket.destroy(new Error(`${path}: ${head.slice(0, 200)}`));
        bytes = head.length - end - 4;
      } else {
        bytes += piece.length;
      }
      // in chunks a little more than SIZE comes, and never less
      if (bytes >= wanted) over();
    });
    socket.on("connect", async () => {
      const framing = chunked ? "transfer-encoding: chunked" : `content-length: ${SIZE}`;
      socket.write(`${up ? "POST" : "GET"} ${path} HTTP/1.1\r\nhost: bench.test\r\ncf-connecting-ip: 192.0.2.1\r\n${up ? `${framing}\r\n` : ""}\r\n`);
      for (let sent = 0; up && sent < SIZE && !socket.destroyed; sent += PIECE.length) await put(socket, chunked);
      if (up && chunked) socket.write("0\r\n\r\n");
    });
  });
}

const resident = async ({ pid }) => Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** CPU time of a process so far, in milliseconds: ticks of ten, as Linux has them. */
async function cpu_ms({ pid }) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same, the processor's time that it took, and how far the process went above what it had. */
async function watched(worker, way) {
  const before = await resident(worker);
  const from = await cpu_ms(worker);
  let most = before;
  const look = setInterval(async () => {
    most = Math.max(most, await resident(worker));
  }, 20);
  const ms = await transfer(worker.port, way).finally(() => clearInterval(look));
  return { ms, cpu: (await cpu_ms(worker)) - from, grown: most - before };
}

const mega = (bytes) => (bytes / 1_000_000).toFixed(0);

/** Measures and prints; resolves to false where a way is slower than it may be. */
export async function large(scope, quick) {
  const server = createServer(serve);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => server.close());
  const origin = { address: `127.0.0.1:${server.address().port}` };
  const bare = await CONTENDERS.pass.start(scope, { origin });
  const weir = await startWorkerd(scope, { origin, policy: POLICY });
  console.log(`\n${mega(SIZE)} MB at a time, beside a bare pass-through Worker`);
  let good = true;
  for (const way of WAYS) {
    const rounds = [];
    for (let round = 0; round <= (quick ? 6 : 30); round += 1) {
      // whoever goes first finds the machine as the one before left it: turns
      const pair = round % 2 === 0 ? [bare, weir] : [weir, bare];
      const found = new Map();
      for (const worker of pair) found.set(worker, await watched(worker, way));
      // the first round warms up
      if (round > 0) rounds.push({ bare: found.get(bare), weir: found.get(weir) });
    }
    const ms = (of) => Math.min(...rounds.map((r) => of(r).ms));
    const ratio = ms((r) => r.bare) / ms((r) => r.weir);
    const rate = (of) => (SIZE / ms(of) / 1000).toFixed(0);
    const cpu = (of) => rounds.reduce((sum, r) => sum + of(r).cpu, 0) / rounds.length;
    const grown = (of) => mega(Math.max(...rounds.map((r) => of(r).grown)));
    if (ratio < LEAST) good = false;
    console.log(
      `  ${way.way.padEnd(24)} ${ratio.toFixed(2)} of pass  ${rate((r) => r.weir).padStart(5)} MB/s beside ${rate((r) => r.bare).padStart(5)}` +
        `  CPU ${cpu((r) => r.weir).toFixed(0).padStart(4)} ms beside ${cpu((r) => r.bare).toFixed(0).padStart(4)}` +
        `  grew by at most ${grown((r) => r.weir).padStart(3)} MB beside ${grown((r) => r.bare).padStart(3)}${ratio < LEAST ? `  below ${LEAST}` : ""}`,
    );
  }
  return good;
}
