// What is in a request's body: JSON against a schema, its cost, GraphQL, compressed bodies, keys.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { oneRule, stand } from "./lib/stand.mjs";

const REPORT = {
  max_bytes: "16KiB",
  json: {
    cost: { terms: ["/accounts#", "/pageSize"], max: 500 },
    schema: {
      type: "object",
      required: ["accounts", "pageSize"],
      properties: {
        accounts: { type: "array", minItems: 1, maxItems: 10, uniqueItems: true },
        pageSize: { type: "integer", minimum: 1, maximum: 100 },
      },
    },
  },
};

const names = (count) => Array.from({ length: count }, (_, i) => `a${i}`);
const report = (accounts, pageSize) => JSON.stringify({ accounts, pageSize });
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

const post = (caller, target, body, { headers = [], ...rest } = {}) =>
  caller.ask(target, { method: "POST", body, headers: [["Content-Type", "application/json"], ...headers], ...rest });

test("G3.2 field bounds: 1 to 10 accounts, unique; page size an integer 1 to 100; else 400 invalid_request", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ body: REPORT }) });
  const ada = from("192.0.2.1");
  for (const [accounts, pageSize] of [[names(1), 1], [names(10), 50], [names(5), 100], [names(1), 1e2]]) {
    assert.equal((await post(ada, "/reports", report(accounts, pageSize))).status, 200, `${accounts} ${pageSize}`);
  }
  const passed = (await origin.records()).length;
  assert.equal(passed, 4);
  for (const [body, pointer] of [
    [report([], 10), "/accounts"],
    [report(names(11), 10), "/accounts"],
    [report(["a", "a"], 10), "/accounts/1"],
    [report(names(1), 0), "/pageSize"],
    [report(names(1), 101), "/pageSize"],
    [report(names(1), 1.5), "/pageSize"],
    [report(names(1), "10"), "/pageSize"],
    [report("a", 10), "/accounts"],
    ['{"accounts":["a"]}', ""],
    ['{"accounts":["a"],"pageSize":1,"pageSize":100}', "/pageSize"],
    ["[]", ""],
    ["{", ""],
    ["", ""],
    ["\ufeff{}", ""],
  ]) {
    const answer = await post(ada, "/reports", body);
    assert.deepEqual([answer.status, answer.json().error], [400, "invalid_request"], body);
    assert.ok(answer.json().pointer.startsWith(pointer) || pointer.startsWith(answer.json().pointer), `${body}: ${answer.text}`);
  }
  const bodiless = await ada.ask("/reports", { method: "POST" });
  assert.deepEqual([bodiless.status, bodiless.json().error], [400, "invalid_request"]);
  assert.equal((await ada.ask("/reports")).status, 404);
  assert.equal((await origin.records()).length, passed + 1);
});

// It once could not be sent on: a request whose body has been read makes no other request.
test("a body that was held reaches an origin that is a URL, as it came", async (t) => {
  const { origin, from } = await stand(t, { via: "url", policy: oneRule({ body: REPORT }) });
  const body = report(names(2), 10);
  assert.equal((await post(from("192.0.2.1"), "/reports", body)).status, 200);
  const [record] = await origin.records();
  assert.equal(record.body_sha256, sha256(Buffer.from(body)));
  assert.deepEqual([record.method, record.body_bytes], ["POST", body.length]);
});

test("G3.3 combined cost: 5 x 100 passes, 6 x 100 is too_expensive, before any work at the origin", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ body: REPORT }) });
  const ada = from("192.0.2.1");
  assert.equal((await post(ada, "/reports", report(names(5), 100))).status, 200);
  const refused = await post(ada, "/reports", report(names(6), 100));
  assert.deepEqual([refused.status, refused.json().error, refused.json().cost, refused.json().max], [400, "too_expensive", 600, 500]);
  assert.equal((await origin.records()).length, 1);
});

test("G3.10 requests are weighted by units of work and limited by who asks for what", async (t) => {
  const limits = [{ name: "work", key: ["header:x-tenant|ip", "route"], algorithm: "token-bucket", quota: 100, window: "1h", burst: 100, cost: "body" }];
  const { origin, from } = await stand(t, { policy: oneRule({ body: REPORT, limits }) });
  const ada = from("192.0.2.1").with(["X-Tenant", "ada"]);
  const work = (who, accounts, pageSize) => post(who, "/reports", report(names(accounts), pageSize));
  const first = await work(ada, 6, 10);
  assert.deepEqual([first.status, /r=(\d+)/.exec(first.header("ratelimit"))[1]], [200, "40"]);
  const over = await work(ada, 5, 10);
  assert.deepEqual([over.status, over.json().error, over.json()["violated-policies"]], [429, "rate_limited", ["rule.work"]]);
  // what was refused cost nothing, and what is left is enough for less work
  assert.equal((await work(ada, 4, 10)).status, 200);
  assert.equal((await work(ada, 1, 1)).status, 429);
  assert.equal((await work(from("192.0.2.1").with(["X-Tenant", "bob"]), 9, 10)).status, 200);
  assert.equal((await origin.records()).length, 3);
});

test("a refusal in the second round gives back the first, and an admission keeps it", async (t) => {
  const limits = [
    { name: "user", key: ["body:user"], algorithm: "token-bucket", quota: 2, window: "1h" },
    { name: "ip", key: ["ip"], algorithm: "token-bucket", quota: 4, window: "1h" },
  ];
  const { origin, from } = await stand(t, { policy: oneRule({ body: { max_bytes: "4KiB" }, limits }) });
  const ada = from("192.0.2.1");
  const as = (user) => post(ada, "/login", JSON.stringify({ user, password: "wrong" }));
  const statuses = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await as("eve")).status);
  assert.deepEqual(statuses, [401, 401, 429, 429, 429]);
  for (const user of ["bob", "bob"]) assert.equal((await as(user)).status, 401);
  const last = await as("carol");
  assert.deepEqual([last.status, last.json()["violated-policies"]], [429, ["rule.ip"]]);
  assert.equal((await origin.records()).length, 4);
});

test("the same field keys alike as JSON, form and multipart, and compressed", async (t) => {
  const limits = [{ name: "user", key: ["body:user"], algorithm: "token-bucket", quota: 1, window: "1h" }];
  const { from } = await stand(t, { policy: oneRule({ body: { max_bytes: "4KiB" }, limits }) });
  const send = (ip, body, type, coding) =>
    from(ip).ask("/login", { method: "POST", body, headers: [["Content-Type", type], ...(coding ? [["Content-Encoding", coding]] : [])] });
  const multipart = '--b\r\nContent-Disposition: form-data; name="user"\r\n\r\nabc\r\n--b--\r\n';
  const forms = [
    ['{"user":"abc"}', "application/json"],
    ['{"user":"\\u0061bc"}', "application/json"],
    ["x=1&user=%61bc", "application/x-www-form-urlencoded"],
    [multipart, "multipart/form-data; boundary=b"],
    [gzipSync('{"user":"abc"}'), "application/json", "gzip"],
    [deflateSync("user=abc"), "application/x-www-form-urlencoded", "deflate"],
  ];
  const statuses = [];
  for (const [at, form] of forms.entries()) statuses.push((await send(`192.0.2.${at}`, ...form)).status);
  assert.deepEqual(statuses.map((status) => status === 429), [false, true, true, true, true, true]);
  // exact numbers, and a name that comes twice counts as absent: by address then
  for (const user of ["9007199254740993", "9007199254740992"]) assert.notEqual((await send("192.0.2.20", `{"user":${user}}`, "application/json")).status, 429);
  assert.notEqual((await send("192.0.2.30", '{"user":1,"user":2}', "application/json")).status, 429);
  assert.equal((await send("192.0.2.30", '{"user":2,"user":1}', "application/json")).status, 429);
});

test("compressed bodies are decoded under the bound and forwarded as they came", async (t) => {
  const { origin, from } = await stand(t, { policy: oneRule({ body: { max_bytes: "64KiB", json: { max_depth: 20 } } }) });
  const ada = from("192.0.2.1");
  const send = (body, coding, more) => post(ada, "/echo", body, { headers: [["Content-Encoding", coding]], ...more });
  const json = JSON.stringify({ text: "a".repeat(60_000) });
  for (const [coding, body] of [["gzip", gzipSync(json)], ["x-gzip", gzipSync(json)], ["deflate", deflateSync(json)], ["identity", Buffer.from(json)]]) {
    for (const chunked of [false, true]) {
      await origin.reset();
      assert.equal((await send(body, coding, { chunked })).status, 200, coding);
      const [seen] = await origin.records();
      assert.deepEqual([seen.body_sha256, Object.fromEntries(seen.headers)["Content-Encoding"]], [sha256(body), coding]);
    }
  }
  await origin.reset();
  for (const [coding, body, status, error] of [
    ["gzip", gzipSync(JSON.stringify("a".repeat(70_000))), 413, "body_too_large"],
    ["gzip", gzipSync(Buffer.alloc(50_000_000, " ")), 413, "body_too_large"],
    ["gzip", Buffer.from(json), 400, "invalid_request"],
    ["gzip", gzipSync(json).subarray(0, 40), 400, "invalid_request"],
    ["gzip", Buffer.concat([gzipSync("{}"), gzipSync("{}")]), 400, "invalid_request"],
    ["gzip", Buffer.concat([gzipSync("{}"), Buffer.from("tail")]), 400, "invalid_request"],
    ["deflate", gzipSync(json), 400, "invalid_request"],
    ["gzip", gzipSync("{"), 400, "invalid_request"],
    ["br", brotliCompressSync(json), 415, "unsupported_media_type"],
    ["gzip, gzip", gzipSync(gzipSync(json)), 415, "unsupported_media_type"],
  ]) {
    const answer = await send(body, coding);
    assert.deepEqual([answer.status, answer.json().error], [status, error], `${coding} ${body.length}`);
  }
  assert.deepEqual(await origin.records(), []);
});

test("twenty bombs at once disturb nobody", async (t) => {
  const { origin, from } = await stand(t, {
    policy: { rules: [{ name: "json", match: { path: "/json" }, body: { max_bytes: "1MiB", json: {} } }] },
  });
  const bomb = gzipSync(Buffer.alloc(100_000_000));
  const bombs = from("192.0.2.1").askAtOnce(20, "/json", { method: "POST", body: bomb, headers: [["Content-Encoding", "gzip"]] });
  assert.equal((await from("192.0.2.2").ask("/api/v1/quizzes")).status, 200);
  for (const answer of await bombs) assert.ok([400, 413].includes(answer.status), String(answer.status));
  assert.equal((await origin.records("/json")).length, 0);
});

test("JSON that is hostile is refused, and the next request is served", async (t) => {
  const { from } = await stand(t, { policy: oneRule({ body: { max_bytes: "2MiB", json: { max_depth: 128 } } }) });
  const ada = from("192.0.2.1");
  for (const body of ["[".repeat(1_000_000), '{"a":'.repeat(200_000), '"\\ud800"', "1e999999999999", "-", "\0", `[${"1,".repeat(1000)}`]) {
    const answer = await post(ada, "/echo", body);
    assert.ok([200, 400].includes(answer.status), `${body.slice(0, 20)}: ${answer.status}`);
    assert.equal((await post(ada, "/echo", '{"n":123456789012345678901234567890}')).status, 200);
  }
});

test("GraphQL: depth, aliases, operations, cost, in the body and in the URL", async (t) => {
  const { origin, from } = await stand(t, {
    policy: oneRule({
      body: { max_bytes: "16KiB", graphql: { max_depth: 3, max_aliases: 2, max_operations: 2, max_selections: 10 } },
      limits: [{ name: "work", key: ["ip"], algorithm: "token-bucket", quota: 20, window: "1h", cost: "body" }],
    }),
  });
  const ask = (query) => post(from("192.0.2.1"), "/echo", JSON.stringify({ query }));
  const left = (answer) => Number(/r=(\d+)/.exec(answer.header("ratelimit"))[1]);
  assert.equal(left(await ask("{ a b c }")), 17);
  assert.equal(left(await ask("{ a { b } }")), 16);
  assert.equal(left(await from("192.0.2.1").ask(`/echo?query=${encodeURIComponent("{ a b }")}`)), 14);
  const passed = (await origin.records()).length;
  assert.equal(passed, 3);
  for (const [query, error] of [
    ["{ a { b { c { d } } } }", "too_expensive"],
    ["{ x: a y: a z: a }", "too_expensive"],
    ["query A { a } query B { a } query C { a }", "too_expensive"],
    ["{ a b c d e f g h i j k }", "too_expensive"],
    ["{ a ", "invalid_request"],
  ]) {
    const answer = await ask(query);
    assert.deepEqual([answer.status, answer.json().error], [400, error], query);
  }
  const deep = await from("192.0.2.1").ask(`/echo?query=${encodeURIComponent("{ a { b { c { d } } } }")}`);
  assert.deepEqual([deep.status, deep.json().error], [400, "too_expensive"]);
  assert.equal((await origin.records()).length, passed);
});
