// `weir push`: through wrangler's own commands into its local store, and what happens where they fail.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { parse, stringify } from "smol-toml";
import { NODE, NODE_MODULES, ROOT, WEIR_PROGRAM, WRANGLER } from "../../scripts/lib/paths.mjs";
import { start } from "../../scripts/lib/run.mjs";
import { burst, request, statuses } from "./lib/client.mjs";
import { startOrigin } from "./lib/origin.mjs";
import { fileScope, folder, launch } from "./lib/process.mjs";

const policy = (quota) => ({ rules: [{ name: "r", match: { path: "/*" }, limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota, window: "60s" }] }] });

/** Runs a command in a folder: `{ code, out, err }`. */
function run(dir, command, args, env = {}) {
  const child = start(command, args, { cwd: dir, env: { CI: "1", NO_COLOR: "1", ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (piece) => (said.out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece) => (said.err += piece));
  return new Promise((resolve, reject) => child.on("error", reject).on("close", (code) => resolve({ code, ...said })));
}

/** The project's wrangler.toml with a KV namespace and a policy that allows nine, for a folder of its own. */
async function config() {
  const { build, ...own } = parse(await readFile(join(ROOT, "wrangler.toml"), "utf8"));
  return stringify({
    ...own,
    main: join(ROOT, own.main),
    assets: { ...own.assets, directory: join(ROOT, own.assets.directory) },
    vars: { POLICY: policy(9) },
    kv_namespaces: [{ binding: "POLICY_KV", id: "00000000000000000000000000000000" }],
  });
}

const dir = await folder(fileScope(), "push");
await symlink(NODE_MODULES, join(dir, "node_modules"));
await writeFile(join(dir, "wrangler.toml"), await config());

test("push keeps the policy that is there as the previous one, in wrangler's own store", async () => {
  const push = async (document) => {
    await writeFile(join(dir, "policy.json"), typeof document === "string" ? document : JSON.stringify(document));
    return run(dir, WEIR_PROGRAM, ["push", "policy.json", "--local"]);
  };

  const first = await push(policy(1));
  assert.deepEqual([first.code, /KV has no policy yet/.test(first.out)], [0, true], first.out + first.err);
  const second = await push(policy(2));
  assert.deepEqual([second.code, /kept the present policy as policy:previous/.test(second.out)], [0, true], second.out + second.err);
  const faulty = await push(JSON.stringify(policy(3)).replace("quota", "qouta"));
  assert.deepEqual([faulty.code, /did you mean "quota"/.test(faulty.err)], [1, true], faulty.out + faulty.err);
  const previous = await run(dir, "npx", ["wrangler", "kv", "key", "get", "policy:previous", "--text", "--binding", "POLICY_KV", "--local"]);
  assert.deepEqual(JSON.parse(previous.out), policy(1));
});

test("what was pushed is what `wrangler dev` then has in force", async (t) => {
  const origin = await startOrigin(t);
  await origin.script({ path: "/*" });
  const weir = await launch(NODE, ["--no-warnings", WRANGLER, "dev", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0", "--var", `ORIGIN:http://${origin.address}`], {
    cwd: dir,
    group: true,
    env: { CI: "1", NO_COLOR: "1" },
    patience_ms: 120_000,
    ready: (line) => /Ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1],
  });
  t.after(() => weir.stop());
  // a cold isolate waits for KV a quarter of a second, and this machine may be slow
  await request(Number(weir.found), { target: "/" });
  await pause(1_000);
  const answers = await burst(Number(weir.found), 5, { target: "/", headers: [["CF-Connecting-IP", "192.0.2.1"]] });
  assert.deepEqual(statuses(answers), { 200: 2, 429: 3 });
});

/** A stand-in for npx that writes down how it was called, and answers each verb as told. */
async function standIn(t, verbs) {
  const dir = await folder(t, "push-stand-in");
  const bin = join(dir, "bin");
  await mkdir(bin);
  const cases = Object.entries(verbs).map(([verb, script]) => `${verb}) ${script} ;;`).join("\n");
  await writeFile(join(bin, "npx"), `#!/bin/sh\necho "$4 $5" >> "${dir}/calls"\ncase "$4" in\n${cases}\nesac\n`);
  await chmod(join(bin, "npx"), 0o755);
  await writeFile(join(dir, "policy.json"), JSON.stringify(policy(9)));
  return {
    push: () => run(dir, WEIR_PROGRAM, ["push", "policy.json"], { PATH: `${bin}:${process.env.PATH}` }),
    calls: async () => (await readFile(join(dir, "calls"), "utf8")).trim().split("\n"),
  };
}

const value = (document) => `echo '${JSON.stringify(document)}'`;
const good = value(policy(1));
const has = `echo '[{"name":"policy:previous"},{"name":"policy"}]'`;
const FAILS = "echo 'no network' >&2; exit 1";

for (const [what, verbs, puts, code] of [
  ["neither the value nor the list can be read", { get: FAILS, list: FAILS, put: "true" }, [], 2],
  ["the value is there and cannot be read", { get: FAILS, list: has, put: "true" }, [], 2],
  ["the list is no list", { get: FAILS, list: "echo '<html>'", put: "true" }, [], 2],
  ["the value is absent, which wrangler calls a failure", { get: FAILS, list: "echo '[]'", put: "true" }, ["put policy"], 0],
  ["the value is absent beside one that begins alike", { get: FAILS, list: `echo '[{"name":"policy:previous"}]'`, put: "true" }, ["put policy"], 0],
  // what wrangler says of its local store
  ["the value is absent, which wrangler calls a value", { get: "echo 'Value not found'", list: "echo '[]'", put: "true" }, ["put policy"], 0],
  ["the same one is there already, whose previous it must not become", { get: value(policy(9)), list: has, put: "true" }, [], 0],
  ["what is there is broken, and no good previous one", { get: "echo '{'", list: has, put: "true" }, ["put policy"], 0],
  ["the present one cannot be kept", { get: good, list: has, put: FAILS }, ["put policy:previous"], 2],
  ["the new one cannot be put", { get: good, list: has, put: `case "$5" in policy) ${FAILS} ;; esac` }, ["put policy:previous", "put policy"], 2],
]) {
  test(`push where ${what}`, async (t) => {
    const { push, calls } = await standIn(t, verbs);
    const { code: found, out, err } = await push();
    assert.equal(found, code, out + err);
    assert.deepEqual((await calls()).filter((call) => call.startsWith("put")), puts);
    assert.equal(/no network/.test(err), code === 2 && verbs.list !== "echo '<html>'", "what wrangler said is shown where it matters");
    if (code === 2) assert.match(err, /weir: /);
  });
}
