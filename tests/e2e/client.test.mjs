// The client of www/ in front of a running Weir (guide 2, row 7): it waits as it is told, in each dialect.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimitedError, createClient } from "../../www/weir-client.js";
import { oneRule, stand } from "./lib/stand.mjs";

const PATH = "/api/v1/quizzes";
const limit = { name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 2, window: "2s" };

/** A client at an address, with the statuses that its own fetch has seen. */
async function clientOf(t, rest, options = {}) {
  const { weir, origin } = await stand(t, { policy: oneRule({ limits: [limit], ...rest.rule }, rest.policy) });
  const seen = [];
  const client = createClient({
    ...options,
    fetch: async (input, init) => {
      const headers = { ...init?.headers, "CF-Connecting-IP": "192.0.2.1" };
      const response = await fetch(input, { ...init, headers });
      seen.push(response.status);
      return response;
    },
  });
  return { client, origin, seen, url: `${weir.url}${PATH}` };
}

for (const dialect of ["draft-8", "draft-6", "x-ratelimit"]) {
  test(`what the answers say is enough not to be refused at all: ${dialect}`, async (t) => {
    const { client, origin, seen, url } = await clientOf(t, { policy: { headers: [dialect] } });
    for (let i = 0; i < 4; i += 1) assert.equal((await client.fetch(url)).status, 200);
    assert.deepEqual(seen, [200, 200, 200, 200]);
    assert.equal((await origin.records()).length, 4);
  });
}

test("a refused POST is sent again with its body, after its time and not before", async (t) => {
  const { client, origin, seen, url } = await clientOf(t, { policy: { headers: [] } });
  const post = (body) => client.fetch(`${url}/7/submit`, { method: "POST", body });
  const from = performance.now();
  for (const body of ["one", "two", "three"]) assert.equal((await post(body)).status, 200);
  assert.deepEqual(seen, [200, 200, 429, 200]);
  assert.ok(performance.now() - from >= 2_000);
  assert.equal((await origin.records()).length, 3);
});

test("what may not wait fails at once, with a type, a time and the policy's name; and nothing is asked before", async (t) => {
  const { client, seen, url } = await clientOf(t, { policy: { headers: [] } }, { maxWaitMs: 0 });
  await client.fetch(url);
  await client.fetch(url);
  for (const attempts of [1, 0, 0]) {
    await assert.rejects(client.fetch(url), (error) => {
      assert.ok(error instanceof RateLimitedError);
      assert.equal(error.attempts, attempts);
      assert.ok(error.retryAfter === 1 || error.retryAfter === 2);
      if (attempts > 0) assert.deepEqual([error.code, error.policies], ["rate_limited", ["rule.ip"]]);
      return true;
    });
  }
  assert.deepEqual(seen, [200, 200, 429]);
  assert.equal(await client.checkAvailability(url, "grace"), null);
  assert.equal(seen.length, 3);
});
