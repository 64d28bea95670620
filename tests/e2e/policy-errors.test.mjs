// When counters fail: each rule's own choice, within a bound, and only then.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { statuses } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";

const limits = [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 3, window: "300s" }];
const rule = (name, more) => ({ name, match: { path: `/${name}` }, limits, ...more });
const policy = {
  rules: [
    rule("hint", { on_error: "allow", body: { max_bytes: 1_000 } }),
    rule("sign-in", { on_error: "deny" }),
    rule("quiz"),
    rule("both", { on_error: "allow" }),
    { ...rule("both-closed", { on_error: "deny" }), match: { path: "/both" } },
  ],
};
const scope = fileScope();
let origin, weir, from, next = 0;

before(async () => {
  ({ origin, weir, from } = await stand(scope, { policy, counters: "silent" }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});
const somebody = () => from(`192.0.${(next += 1)}.1`);

for (const counters of ["silent", "throws"]) {
  test(`G1.7 counters that are ${counters === "silent" ? "silent" : "broken"}: hints stay open, sign-in closes with a clear message`, async () => {
    await weir.restart({ counters });
    // the first request starts the isolate
    await somebody().ask("/elsewhere");
    await origin.reset();
    await origin.script({ path: "/*" });
    const ada = somebody();
    for (let i = 0; i < 6; i += 1) {
      const from_ms = performance.now();
      assert.equal((await ada.ask("/hint")).status, 200);
      const elapsed_ms = performance.now() - from_ms;
      assert.ok(elapsed_ms < 1_500, `${elapsed_ms} ms`);
    }
    const bob = somebody();
    for (let i = 0; i < 4; i += 1) {
      const closed = await bob.ask("/sign-in");
      assert.equal(closed.status, 503);
      assert.equal(closed.json().error, "unavailable");
      assert.match(closed.header("retry-after"), /^[1-9]\d*$/);
      assert.equal(closed.header("cache-control"), "no-store");
    }
    assert.equal((await bob.ask("/both")).status, 503, "the strictest rule decides");
    assert.deepEqual((await origin.records("/sign-in")).length, 0);
    assert.deepEqual((await origin.records("/both")).length, 0);
    // what needs no counter still holds
    assert.equal((await ada.ask("/hint", { method: "POST", body: Buffer.alloc(1_001) })).status, 413);
  });

  test(`G1.7 counters that are ${counters === "silent" ? "silent" : "broken"}: by default the isolate keeps the quota itself`, async () => {
    await weir.restart({ counters });
    const ada = somebody();
    const found = [];
    for (let i = 0; i < 6; i += 1) found.push((await ada.ask("/quiz")).status);
    assert.deepEqual(found, [200, 200, 200, 429, 429, 429]);
    assert.deepEqual(statuses(await somebody().askAtOnce(10, "/quiz")), { 200: 3, 429: 7 });
  });
}

test("G1.7 counters that answer again count again, and faults of the origin are the origin's", async () => {
  await weir.restart({ counters: true });
  for (const target of ["/hint", "/sign-in"]) {
    const ada = somebody();
    await origin.script({ path: target, status: 500, reason: "Oh", times: 1 });
    assert.equal((await ada.ask(target)).status, 500);
    assert.deepEqual(statuses(await ada.askAtOnce(4, target)), { 200: 2, 429: 2 });
  }
});
