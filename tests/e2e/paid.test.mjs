// A busy key: its requests are paid for by permits that an isolate holds, and nothing is made anew for
// them that the one before had made. What clients and the origin see is the same as ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { value } from "./lib/exposition.mjs";
import { operated } from "./lib/operated.mjs";
import { oneRule } from "./lib/stand.mjs";

const QUOTA = 5_000;
const limit = (name, fields) => ({ name, key: ["ip"], algorithm: "sliding-window", quota: QUOTA, window: "1h", ...fields });
const BUSY = oneRule({ limits: [limit("a"), limit("b", { quota: 2 * QUOTA })] });

/** Asks until permits pay for what is asked: then the object is not heard of any more. */
async function busy(bot, metrics, path) {
  const paid = async () => value(await metrics(), "weir_decision_seconds_count", { source: "lease" });
  for (let i = 0; i < 20; i += 1) await bot.ask(path);
  assert.ok((await paid()) > 0, "no permit has paid for anything");
}

test("every answer tells what is left after it", async (t) => {
  const { from, metrics, origin } = await operated(t, { policy: BUSY });
  const bot = from("192.0.2.1");
  await busy(bot, metrics, "/x?y=1");
  await origin.script({ path: "/*" });
  const left = [];
  for (let i = 0; i < 20; i += 1) {
    const answer = await bot.ask("/x?y=1");
    assert.equal(answer.status, 200);
    assert.equal(answer.header("ratelimit-policy"), `"rule.a";q=${QUOTA};w=3600, "rule.b";q=${2 * QUOTA};w=3600`);
    const [, a, b] = /^"rule\.a";r=(\d+);t=\d+, "rule\.b";r=(\d+);t=\d+$/.exec(answer.header("ratelimit")) ?? assert.fail(answer.header("ratelimit"));
    assert.equal(Number(b) - Number(a), QUOTA);
    left.push(Number(a));
  }
  // Nothing comes back to the window meanwhile.
  assert.deepEqual(left, left.map((_, i) => left[0] - i));
});

test("the origin sees each request as it saw the first, however it is reached", async (t) => {
  for (const via of ["service", "url", "route"]) {
    const { from, metrics, origin } = await operated(t, { policy: BUSY, via });
    const bot = from("192.0.2.1");
    const seen = async () => {
      await origin.reset();
      assert.equal((await bot.ask("/a%2Fb/../c?q=%20", { headers: [["X-Own", "1"]] })).status, 404);
      const [{ id, at_ms, ...record }] = await origin.records();
      return record;
    };
    const first = await seen();
    await busy(bot, metrics, "/a%2Fb/../c?q=%20");
    assert.deepEqual(await seen(), first, via);
  }
});

test("what the origin says of quotas is joined with ours, what it cannot say is a 502 with ours", async (t) => {
  const { from, metrics, origin } = await operated(t, { policy: BUSY });
  const bot = from("192.0.2.1");
  await busy(bot, metrics, "/x");
  await origin.script({ path: "/x", status: 503, headers: [["RateLimit", '"theirs";r=7;t=9'], ["RateLimit-Policy", "no list;"], ["Retry-After", "0"]] });
  const joined = await bot.ask("/x");
  assert.equal(joined.status, 503);
  assert.match(joined.header("ratelimit"), /^"theirs";r=7;t=9, "rule\.a";r=\d+;t=\d+, "rule\.b";r=\d+;t=\d+$/);
  assert.equal(joined.header("ratelimit-policy"), "no list;", "nobody could read ours behind it");
  const [, t_s] = /"rule\.a";r=\d+;t=(\d+)/.exec(joined.header("ratelimit"));
  assert.equal(joined.header("retry-after"), t_s, "never earlier than t");
  await origin.reset();
  await origin.script({ path: "/x", status: 999 });
  const invalid = await bot.ask("/x");
  assert.deepEqual([invalid.status, invalid.json().error], [502, "origin_invalid"]);
  assert.match(invalid.header("ratelimit"), /^"rule\.a";r=\d+;t=\d+, /);
});

test("one quota, exactly, whichever way its requests take", async (t) => {
  const window = { quota: 400, window: "300s" };
  const { from, metrics, origin } = await operated(t, { policy: oneRule({ limits: [limit("a", window)] }, { counter_timeout: "5s" }) });
  const bot = from("192.0.2.1");
  await busy(bot, metrics, "/x");
  const kinds = [["/x", {}], ["/x", { method: "HEAD" }], ["/x", { method: "POST", body: "abc" }], ["/y", {}]];
  for (let round = 0; round < 14; round += 1) {
    const answers = await Promise.all(kinds.map(([target, fields]) => bot.askAtOnce(8, target, fields)));
    for (const status of Object.keys(statuses(answers.flat()))) assert.ok(["404", "429"].includes(status), status);
  }
  const records = await origin.records();
  assert.equal(records.length, 400);
  assert.equal(records.filter(({ method }) => method === "POST").length > 0, true);
});

test("more callers than plans are kept for have each their own quota", async (t) => {
  const QUOTA_EACH = 3;
  const CALLERS = 1_100;
  const each = { quota: QUOTA_EACH, window: "300s" };
  const { from, origin } = await operated(t, { policy: oneRule({ limits: [limit("a", each)] }, { counter_timeout: "5s" }) });
  const all = Array.from({ length: CALLERS }, (_, i) => `198.18.${i >> 6}.${i & 63}`);
  const passed = new Map(all.map((ip) => [ip, 0]));
  // backwards every other time, so that some plans are still kept and some are not
  for (let round = 0; round <= QUOTA_EACH; round += 1) {
    const waiting = [...all];
    const work = async () => {
      for (let ip; (ip = waiting.pop()) !== undefined; ) {
        const { status } = await from(ip).ask("/x");
        assert.ok([404, 429].includes(status), status);
        if (status === 404) passed.set(ip, passed.get(ip) + 1);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    all.reverse();
  }
  assert.deepEqual(new Set(passed.values()), new Set([QUOTA_EACH]));
  assert.equal((await origin.records()).length, CALLERS * QUOTA_EACH);
});
