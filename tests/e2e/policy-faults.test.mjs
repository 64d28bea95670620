// One fault of each kind: one message each, and none takes the running site down through KV.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { WEIR_PROGRAM } from "../../scripts/lib/paths.mjs";
import { start } from "../../scripts/lib/run.mjs";
import { statuses } from "./lib/client.mjs";
import { FAULTS, together } from "./lib/faults.mjs";
import { startKv } from "./lib/kv.mjs";
import { folder } from "./lib/process.mjs";
import { oneRule, stand } from "./lib/stand.mjs";

/** What `weir check` says of a document: `{ code, messages: [[path, text]] }`. */
async function check(dir, document) {
  const file = join(dir, "policy.json");
  await writeFile(file, JSON.stringify(document));
  const child = start(WEIR_PROGRAM, ["check", file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (piece) => (said += piece));
  const code = await new Promise((resolve) => child.once("close", resolve));
  const [first, ...lines] = said.trim().split("\n");
  const messages = lines.map((line) => line.trim().split(/: (.*)/s).slice(0, 2));
  assert.match(first, new RegExp(`: ${messages.length} faults?$`));
  return { code, messages };
}

test("a policy with one fault of each kind gives one message each", async (t) => {
  const dir = await folder(t, "faults");
  const { document, paths } = together();
  const { code, messages } = await check(dir, document);
  assert.equal(code, 1);
  assert.deepEqual(messages.map(([path]) => path).sort(), paths.sort());
  // what was found, and what would do
  for (const [path, text] of messages) assert.match(text, /^\S.*; \S/s, path);
});

test("none of them takes the running site down through KV: it is as it was, and status names the fault", async (t) => {
  const all = together();
  const { messages } = await check(await folder(t, "faults"), all.document);
  const kv = await startKv(t);
  const floor = oneRule({ limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 2, window: "300s" }] });
  const token = "a token for tests";
  const { weir, from } = await stand(t, { policy: floor, kv: { POLICY_KV: kv }, vars: { ADMIN_TOKEN: token } });
  const status = async () => (await from("203.0.113.1").with(["Authorization", `Bearer ${token}`]).ask("/_weir/status")).json();
  for (const [i, [what, document, path]] of [...FAULTS, ["all at once", all.document, null]].entries()) {
    kv.values.set("policy", JSON.stringify(document));
    await weir.restart();
    // this one has the isolate read KV, behind whom comes next
    assert.equal((await from("203.0.113.2").ask("/_weir/")).status, 200, what);
    const visitors = await from(`198.51.${i}.1`).askAtOnce(5, "/api/v1/quizzes");
    assert.deepEqual(statuses(visitors), { 200: 2, 429: 3 }, what);
    const { policy } = await status();
    assert.equal(policy.source, "POLICY", what);
    assert.equal(policy.fault.source, "POLICY_KV policy", what);
    const { fault } = policy;
    if (path !== null) assert.deepEqual([fault.path, fault.more], [path, 0], what);
    else assert.equal(fault.more, all.paths.length - 1);
    // as the command says it, which knows near names besides
    const [, text] = messages.find(([at]) => at === (all.paths[i] ?? fault.path)) ?? [];
    assert.ok(text?.startsWith(`${fault.found}; `) && fault.expected.length > 0, `${what}: ${text}`);
  }
  kv.values.set("policy", JSON.stringify({ ...floor, mode: "off" }));
  await weir.restart();
  assert.deepEqual(statuses(await from("192.0.2.1").askAtOnce(5, "/api/v1/quizzes")), { 200: 5 });
  const { policy } = await status();
  assert.deepEqual([policy.source, policy.fault], ["POLICY_KV policy", null]);
});
