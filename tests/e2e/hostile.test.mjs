// Nothing that a client sends spoils the instance for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { connect, request } from "./lib/client.mjs";
import { stand } from "./lib/stand.mjs";

const POLICY = {
  rules: [
    {
      name: "all",
      match: { path: ["/x/:id", "/x/*"], not: { header: { "x-skip": "y*" } } },
      limits: [{ name: "key", key: ["cookie:sid|header:x-key|query:q|ip"], algorithm: "token-bucket", quota: 1_000_000, window: "1s" }],
    },
    {
      name: "json",
      match: { path: "/x/json" },
      body: { max_bytes: "64KiB", json: { max_depth: 20, cost: { terms: ["/a#", "/b"], max: 100 } } },
      limits: [{ name: "user", key: ["body:/user/id"], distinct: "body:name", quota: 10_000, window: "1s" }],
    },
    { name: "budget", match: { path: "/budget" }, limits: [{ name: "ip", key: ["ip"], algorithm: "sliding-window", quota: 10, window: "1h" }] },
    { name: "graphql", match: { path: "/x/graphql" }, body: { max_bytes: "64KiB", graphql: { max_depth: 5 } } },
  ],
};

const latin = (bytes) => Buffer.from(bytes).toString("latin1");
const wide = [..."€žx\u{1F600}"].map((c) => latin(Buffer.from(c)));
const at = (length) => wide.map((c) => "a".repeat(length) + c);

/** Heads that are strange, each alone. */
const heads = [
  ...[62, 63, 64, 127, 128, 255, 256].flatMap(at).map((value) => ({ headers: [["X-Key", value]] })),
  ...["", ";", "=", "sid", "sid=", "=;=", ";;;sid==;", 'sid="', "a=1; sid=x; sid=y", latin([0xff, 0xfe]), "sid=".padEnd(7000, "x")].map((value) => ({ headers: [["Cookie", value]] })),
  ...["?", "??", "?q", "?q=%", "?q=%zz&q=%e2%82", "?&&=&", `?q=${"%41".repeat(1500)}`, "?q=1&q=2"].map((query) => ({ target: `/x/a${query}` })),
  ...["/x/%", "/x/%ff%fe", "/x//..//", "/x/%2e%2e/%2E", `/x/${"a/".repeat(2000)}`, "/x/:id", "/x/*", "//x//", "/"].map((target) => ({ target })),
  ...["::ffff:1.2.3.4", "not-an-address", "1.2.3.4, 5.6.7.8", "[::1]", "::%eth0", "999.1.1.1", "1".repeat(500)].map((value) => ({ headers: [["CF-Connecting-IP", value]] })),
  ...["-1", "99999999999999999999", "1e3"].map((value) => ({ headers: [["X-Skip", "y"], ["Retry-After", value], ["Origin", value], ["Accept", value]] })),
  { method: "OPTIONS", headers: [["Origin", "null"], ["Access-Control-Request-Method", "\t"]] },
];

const values = ['{"user":{"id":1},"name":"a","a":[1],"b":2}', "[", "]", "{}", "null", '{"a":[],"b":-1}', '{"a":[1],"b":1e400}', '{"a":[1,2],"b":18446744073709551616}', '{"b":0.1,"a":[1]}',
  "[".repeat(60_000), '{"a":'.repeat(9000), '"\\ud83d"', '{"\\u0000":1}', '{"":{"":1}}', '"'.padEnd(9000, "\\"), "\xff\xfe", "\0".repeat(100), "1".repeat(60_000), '{"user":{"id":"\u{1F600}"}}'];
const documents = ["{", "{a", "query", "{...a} fragment a on B{...a}", '{a(b:"""', "{".repeat(5000), "{a".repeat(5000), "#", "\u{FEFF}{a}", '{a(b:"\\u")}', "query($a:[[[[[[Int]]]]]]){a}", "{a@b@c(d:1.5e)}", "{ a }"];
const bodies = [
  ...values.flatMap((body) => [{ target: "/x/json", body }, { target: "/x/json", body: gzipSync(body), headers: [["Content-Encoding", "gzip"]] }, { target: "/x/json", body, chunked: true }]),
  ...documents.flatMap((query) => [{ target: "/x/graphql", body: JSON.stringify({ query }) }, { target: "/x/graphql", body: query, headers: [["Content-Type", "application/graphql"]] }, { target: `/x/graphql?query=${encodeURIComponent(query.slice(0, 3000))}`, body: "{}" }]),
  ...["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary="', `multipart/form-data; boundary=${"b".repeat(300)}`, "multipart/form-data; boundary=b", ";", "application/x-www-form-urlencoded; charset=\xff"].map((type) => ({ target: "/x/json", body: '--b\r\n\r\n--b\r\nContent-Disposition: form-data; name="', headers: [["Content-Type", type]] })),
].map((fields) => ({ method: "POST", ...fields }));

/** The same chance in every run (a linear congruential generator). */
let state = 20261118;
const below = (bound) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % bound;
};
const pick = (list) => list[below(list.length)];

/** The head of one, the body of another, and bytes of both changed; what HTTP itself forbids is left out. */
function mixed() {
  const [head, body] = [pick(heads), pick(bodies)];
  const bent = (text) => {
    const at = below(text.length + 1);
    return pick([text, text.slice(0, at), text.slice(at), text + text, `${text.slice(0, at)}${pick(["%", "=", ";", "/", "\x80", "\xff", ",", ".", "&", '"'])}${text.slice(at)}`]);
  };
  const headers = [...(head.headers ?? []), ...(body.headers ?? [])].map(([name, value]) => [name, bent(value).slice(0, 8_000)]);
  const target = `/${bent((pick([head, body]).target ?? "/x/a").slice(1)).replace(/[#\x80-\xff]/g, "")}`;
  return { ...body, target, headers, body: below(4) > 0 ? bent(String(body.body)) : body.body };
}

test("a hostile corpus disturbs no download that is under way, and no budget", async (t) => {
  const { origin, weir, from } = await stand(t, { policy: POLICY });
  await origin.script({ path: "/budget" });
  assert.deepEqual((await from("192.0.2.9").askAtOnce(5, "/budget")).map(({ status }) => status), [200, 200, 200, 200, 200]);
  await origin.script({ path: "/slow", framing: "chunked", body: [{ text: "first" }, "hold", { text: "last" }] });
  const downloads = await Promise.all(Array.from({ length: 20 }, async () => {
    const client = await connect(weir.port);
    client.send({ target: "/slow" });
    return { client, head: await client.head() };
  }));
  await origin.until({ held_min: 20 });
  const counts = {};
  for (const fields of [...heads, ...bodies, ...Array.from({ length: 500 }, mixed)]) {
    const { target = "/x/a", headers = [], ...rest } = fields;
    const { status } = await request(weir.port, { target, headers, ...rest });
    assert.ok([200, 400, 404, 413, 415].includes(status), `${status} for ${JSON.stringify(fields).slice(0, 200)}`);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  t.diagnostic(JSON.stringify(counts));
  assert.equal((await from("192.0.2.9").askAtOnce(10, "/budget")).filter(({ status }) => status === 200).length, 5, "half spent before, half after");
  await origin.release();
  for (const { client, head } of downloads) {
    await head.finish();
    assert.deepEqual([head.text, head.whole], ["firstlast", true]);
    client.close();
  }
  assert.doesNotMatch(weir.log(), /panick|unreachable|RuntimeError|out of bounds/i);
});
