// A load generator: connections that each ask, wait for the whole answer, and ask again.
import { connect } from "node:net";

/**
 * Sends `requests` requests over `connections` connections to a port of this machine. `text(n)` is
 * the nth request. Gives how many answers had which status, how long it took, and percentiles of
 * the latency, in milliseconds.
 */
export async function load(port, { requests, connections, text }) {
  const statuses = {};
  const latencies = [];
  let next = 0;
  const from = performance.now();
  await Promise.all(Array.from({ length: connections }, () => connection()));
  const took_ms = performance.now() - from;
  latencies.sort((a, b) => a - b);
  const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return { statuses, took_ms, p50_ms: percentile(0.5), p99_ms: percentile(0.99) };

  function connection() {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let answer = "";
      let asked = 0;
      const ask = () => {
        if (next >= requests) return socket.destroy();
        asked = performance.now();
        socket.write(text(next++));
      };
      socket.setNoDelay(true).setEncoding("latin1").setTimeout(30_000, () => socket.destroy(new Error("no answer within 30 s")));
      socket.on("connect", ask).on("error", reject).on("close", resolve);
      socket.on("data", (piece) => {
        answer += piece;
        if (!isWhole(answer)) return;
        latencies.push(performance.now() - asked);
        const status = answer.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        answer = "";
        ask();
      });
    });
  }
}

function isWhole(answer) {
  const end = answer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, end));
  return length ? answer.length >= end + 4 + Number(length[1]) : answer.endsWith("0\r\n\r\n");
}
