// `npm run bench`: Weir beside bare Workers, interleaved in one run on this machine; `--quick` for a
// look in half a minute. Only ratios within a run mean anything, and only on a machine at rest.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { buildWorker } from "../scripts/lib/build.mjs";
import { main } from "../scripts/lib/say.mjs";
import { setUp } from "../scripts/lib/setup.mjs";
import { CONTENDERS } from "./contenders.mjs";
import { load } from "./load.mjs";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 2 : 5;
const REQUESTS = quick ? 2_000 : 10_000;

const from = (ip) => `GET /bench HTTP/1.1\r\nhost: bench.test\r\ncf-connecting-ip: ${ip}\r\n\r\n`;
const anybody = (n) => `198.18.${(n * 7919) % 4}.${(n * 104_729) % 250}`;

const SCENARIOS = {
  "flood of one address": { only: ["pass", "constant 429", "weir, 100 a minute"], connections: 32, text: () => from("192.0.2.1") },
  "one hot client": { connections: 32, text: () => from("192.0.2.2") },
  "1,000 clients": { connections: 32, text: (n) => from(anybody(n)) },
  "one at a time": { connections: 1, share: 10, text: () => from("192.0.2.3") },
};
const ALLOWING = ["pass", "one object call", "weir, leased", "weir, exact"];

/** CPU time of a process so far, in microseconds: ticks of 10 ms, as Linux has them. */
async function cpu_us(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure({ pid, port }, { connections, share = 1, text }) {
  const requests = REQUESTS / share;
  const before = await cpu_us(pid);
  const result = await load(port, { requests, connections, text });
  return { rate: (requests / result.took_ms) * 1000, cpu_us: ((await cpu_us(pid)) - before) / requests, ...result };
}

async function run(scope) {
  await setUp();
  await buildWorker();
  const server = createServer((_, response) => response.end("a small answer, 22 bytes"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => server.close());
  const origin = { address: `127.0.0.1:${server.address().port}` };
  const running = {};
  for (const [name, begin] of Object.entries(CONTENDERS)) running[name] = await begin(scope, origin);
  for (const [title, scenario] of Object.entries(SCENARIOS)) {
    const names = scenario.only ?? ALLOWING;
    const results = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of names) {
        const result = await measure(running[name], scenario);
        // The first round warms up.
        if (round > 0) results[name].push({ ...result, pass: results.pass[round - 1]?.cpu_us ?? result.cpu_us });
      }
    }
    console.log(`\n${title}`);
    for (const name of names) {
      const of = (pick) => median(results[name].map(pick));
      const statuses = JSON.stringify(results[name].at(-1).statuses).replaceAll('"', "");
      console.log(
        `  ${name.padEnd(20)} ${of((r) => r.rate).toFixed(0).padStart(6)}/s ${of((r) => r.cpu_us).toFixed(0).padStart(5)} us of CPU` +
          ` ${of((r) => r.pass / r.cpu_us).toFixed(2).padStart(5)} of pass  p50 ${of((r) => r.p50_ms).toFixed(2)} p99 ${of((r) => r.p99_ms).toFixed(2)} ms  ${statuses}`,
      );
    }
  }
}

main(async () => {
  const endings = [];
  try {
    await run({ after: (ending) => endings.push(ending) });
  } finally {
    for (const ending of endings.reverse()) await ending();
  }
});
