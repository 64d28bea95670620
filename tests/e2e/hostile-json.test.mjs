// JSON and GraphQL made to mislead or to exhaust: each has its one answer, and the origin sees what passed alone.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";

const MIB = 1 << 20;
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  rules: [
    { name: "json", match: { path: "/json" }, body: { max_bytes: 12 * MIB, json: { max_depth: 32 } } },
    {
      name: "shape",
      match: { path: "/shape" },
      body: {
        max_bytes: MIB,
        json: {
          schema: {
            type: "object",
            required: ["n"],
            properties: { n: { type: "integer", minimum: 1, maximum: 100 }, s: { type: "string", maxLength: 3 }, u: { type: "array", uniqueItems: true } },
            additionalProperties: false,
          },
        },
      },
    },
    { name: "cost", match: { path: "/cost" }, body: { max_bytes: MIB, json: { cost: { terms: ["/list#", "/n"], max: 100 } } } },
    { name: "user", match: { path: "/user" }, body: { max_bytes: MIB }, limits: [{ name: "user", key: ["body:user"], algorithm: "sliding-window", quota: 1, window: "300s" }] },
    { name: "graphql", match: { path: "/graphql" }, body: { max_bytes: 12 * MIB, graphql: { max_depth: 5, max_aliases: 5, max_selections: 50 } } },
  ],
};
const scope = fileScope();
let origin, from, weir;

before(async () => {
  ({ origin, from, weir } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});

const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
const post = (target, body, headers = [["Content-Type", "application/json"]], ip = "192.0.2.1") =>
  from(ip).ask(target, { method: "POST", body, headers });

const deep = (open, close, levels) => open.repeat(levels) + close.repeat(levels);
const GZIP = [["Content-Type", "application/json"], ["Content-Encoding", "gzip"]];
/** A gzip member whose trailer tells another length and checksum. */
const forged = (text, at) => {
  const whole = gzipSync(text);
  whole[whole.length + at] ^= 0xff;
  return whole;
};

const OK = [200, undefined];
const BAD = [400, "invalid_request"];
const DEAR = [400, "too_expensive"];
const LARGE = [413, "body_too_large"];

for (const [target, what, body, expected, headers] of [
  // depth
  ["/json", "as deep as it may be", deep("[", "]", 32), OK],
  ["/json", "one deeper", deep("[", "]", 33), BAD],
  ["/json", "objects one deeper", `${deep('{"a":', "}", 33).replace("}", "1}")}`, BAD],
  ["/json", "10 MB of [", "[".repeat(10_000_000), BAD],
  ["/json", '10 MB of {"a":', '{"a":'.repeat(2_000_000), BAD],
  ["/json", "10 MB of spaces", " ".repeat(10_000_000), BAD],
  ["/json", "10 MB of a string", `"${"a".repeat(10_000_000)}"`, OK],
  ["/json", "four hundred thousand values", `[${"1,".repeat(400_000)}1]`, OK],
  ["/json", "more values than anybody looks through", `[${"1,".repeat(1_000_000)}1]`, BAD],
  ["/json", "more than the bound", "[".repeat(12 * MIB + 1), LARGE],
  // numbers
  ["/json", "an exponent beyond every double", "1e999999999", OK],
  ["/json", "an exponent beyond every integer", `1e${"9".repeat(10_000)}`, BAD],
  ["/json", "a hundred thousand digits", "9".repeat(100_000), OK],
  ["/json", "a leading zero", "01", BAD],
  ["/json", "a plus", "+1", BAD],
  ["/json", "no digit behind the point", "1.", BAD],
  ["/json", "not a number", "NaN", BAD],
  ["/json", "infinity", "-Infinity", BAD],
  ["/json", "hexadecimal", "0x10", BAD],
  ["/shape", "a number spelt with an exponent", '{"n":1e2}', OK],
  ["/shape", "a huge exponent against a maximum", '{"n":1e999999999}', BAD],
  ["/shape", "a tiny one against an integer", '{"n":1e-999999999}', BAD],
  ["/shape", "a hair above the maximum", `{"n":100.${"0".repeat(400)}1}`, BAD],
  ["/shape", "an integer with a thousand zeros behind its point", `{"n":100.${"0".repeat(1000)}}`, OK],
  ["/shape", "a negative zero", '{"n":-0}', BAD],
  ["/shape", "two spellings of one number", '{"n":1,"u":[1,1.0]}', BAD],
  ["/shape", "two spellings of one string", '{"n":1,"u":["a","\\u0061"]}', BAD],
  ["/shape", "two numbers that one double would be", '{"n":1,"u":[9007199254740992,9007199254740993]}', OK],
  ["/shape", "three characters of two units each", '{"n":1,"s":"\u{1F600}\u{1F600}\u{1F600}"}', OK],
  ["/shape", "four characters", '{"n":1,"s":"abcd"}', BAD],
  ["/shape", "an unknown name", '{"n":1,"x":1}', BAD],
  ["/shape", "an unknown name that JavaScript knows", '{"n":1,"__proto__":{"n":1}}', BAD],
  ["/cost", "what it may cost", `{"list":[${"0,".repeat(9)}0],"n":10}`, OK],
  ["/cost", "one more", `{"list":[${"0,".repeat(9)}0],"n":11}`, DEAR],
  ["/cost", "beyond 64 bits", '{"list":[0],"n":18446744073709551616}', DEAR],
  ["/cost", "two huge ones that would wrap round to little", '{"list":[0,0],"n":9223372036854775808}', DEAR],
  ["/cost", "a huge exponent", '{"list":[0],"n":1e999999999}', DEAR],
  ["/cost", "a negative one", '{"list":[0],"n":-1}', BAD],
  ["/cost", "a fraction", '{"list":[0],"n":0.5}', BAD],
  ["/cost", "no number", '{"list":[0],"n":"1"}', BAD],
  // names and text
  ["/json", "a name twice", '{"a":1,"a":1}', BAD],
  ["/json", "a name twice, once escaped", '{"a":1,"\\u0061":2}', BAD],
  ["/json", "a name twice, in two spellings of one character", '{"\u{1F600}":1,"\\ud83d\\ude00":2}', BAD],
  ["/json", "a name twice, far inside", '[[{"b":{"a":1,"c":2,"a":3}}]]', BAD],
  ["/json", "names that differ in case", '{"a":1,"A":2}', OK],
  ["/json", "half a pair", '"\\ud800"', BAD],
  ["/json", "the other half", '"\\udc00"', BAD],
  ["/json", "two first halves", '"\\ud800\\ud800"', BAD],
  ["/json", "half a pair as a name", '{"\\ud800":1}', BAD],
  ["/json", "a surrogate in UTF-8", bytes('"', [0xed, 0xa0, 0x80], '"'), BAD],
  ["/json", "bytes that are no UTF-8", bytes('"', [0xff, 0xfe], '"'), BAD],
  ["/json", "an overlong slash", bytes('"', [0xc0, 0xaf], '"'), BAD],
  ["/json", "half a character at the end", bytes('"', [0xe2, 0x82]), BAD],
  ["/json", "NUL, escaped", '"\\u0000"', OK],
  ["/json", "NUL, bare", '"\0"', BAD],
  ["/json", "NUL behind the end", "{}\0", BAD],
  ["/json", "a line break inside a string", '"a\nb"', BAD],
  ["/json", "an unknown escape", '"\\x41"', BAD],
  ["/json", "a byte order mark", "\ufeff{}", BAD],
  ["/json", "UTF-16", Buffer.from("{}", "utf16le"), BAD],
  ["/json", "a no-break space", "\u00a0{}", BAD],
  ["/json", "two values", "{}{}", BAD],
  ["/json", "a comment", "{}//", BAD],
  ["/json", "a comma at the end", "[1,]", BAD],
  ["/json", "nothing", " ", BAD],
  // compressed
  ["/json", "gzip", gzipSync("{}"), OK, GZIP],
  ["/json", "gzip that ends early", gzipSync("[".repeat(5000)).subarray(0, -9), BAD, GZIP],
  ["/json", "gzip without its trailer", gzipSync("{}").subarray(0, -8), BAD, GZIP],
  ["/json", "gzip with another checksum", forged("{}", -8), BAD, GZIP],
  ["/json", "gzip with another length", forged("{}", -1), BAD, GZIP],
  ["/json", "gzip and something behind it", bytes(gzipSync("{}"), "x"), BAD, GZIP],
  ["/json", "two gzips in a row", bytes(gzipSync("{"), gzipSync("}")), BAD, GZIP],
  ["/json", "a header alone", gzipSync("{}").subarray(0, 10), BAD, GZIP],
  ["/json", "a bomb", gzipSync(Buffer.alloc(200_000_000, " ")), LARGE, GZIP],
  ["/json", "a bomb of brackets within the bound", gzipSync("[".repeat(10_000_000)), BAD, GZIP],
  ["/json", "a bomb in a bomb", gzipSync(gzipSync(Buffer.alloc(50_000_000))), BAD, GZIP],
  // GraphQL
  ["/graphql", "a query", JSON.stringify({ query: "{ a { b } }" }), OK],
  ["/graphql", "ten megabytes of braces", JSON.stringify({ query: "{".repeat(10_000_000) }), BAD],
  ["/graphql", "ten megabytes of nesting", JSON.stringify({ query: "{a".repeat(5_000_000) }), DEAR],
  ["/graphql", "a fragment in itself", JSON.stringify({ query: "{ ...f } fragment f on T { a ...f }" }), BAD],
  ["/graphql", "fragments that double one another", JSON.stringify({ query: `{ ...f0 } ${Array.from({ length: 60 }, (_, i) => `fragment f${i} on T { a ...f${i + 1} ...f${i + 1} }`).join(" ")} fragment f60 on T { a }` }), DEAR],
  ["/graphql", "aliases behind a fragment", JSON.stringify({ query: "{ ...f } fragment f on T { a: x b: x c: x d: x e: x g: x }" }), DEAR],
  ["/graphql", "a batch whose second is dear", JSON.stringify([{ query: "{ a }" }, { query: "{ a { b { c { d { e { f } } } } } }" }]), DEAR],
  ["/graphql", "a query that comes twice", '{"query":"{ a }","query":"{ a { b { c { d { e { f } } } } } }"}', BAD],
  ["/graphql", "a query hidden by an escape", '{"\\u0071uery":"{ a { b { c { d { e { f } } } } } }"}', DEAR],
]) {
  test(`${target}: ${what}`, async () => {
    const answer = await post(target, body, headers);
    const found = [answer.status, answer.status === 200 ? undefined : answer.json().error];
    assert.deepEqual(found, expected, answer.text.slice(0, 300));
    assert.deepEqual((await origin.records(target)).map((record) => record.body_bytes), answer.status === 200 ? [Buffer.byteLength(body)] : []);
    // whoever comes next is served
    assert.equal((await from("192.0.2.2").ask("/elsewhere")).status, 200);
  });
}

test("a key from a body that is misleading is the address, not a key of the client's choice", async () => {
  const ambiguous = ['{"user":"a","user":"b"}', '{"user":"b","\\u0075ser":"a"}', '{"user":null}', '{"user":["a"]}', '{"user":{"a":1}}', '{"user":"\\ud800"}', "[", "", bytes('{"user":"', [0xff], '"}'), "\ufeff{}"];
  for (const [i, body] of ambiguous.entries()) {
    const answer = await post("/user", body, undefined, "198.51.100.1");
    assert.equal(answer.status, i === 0 ? 200 : 429, String(body));
  }
  for (const body of ['{"user":1e999999999}', '{"user":1e999999998}', '{"user":9007199254740993}', '{"user":9007199254740992}', '{"user":true}']) {
    const first = await post("/user", body, undefined, "198.51.100.2");
    assert.equal(first.status, 200, body);
    assert.equal((await post("/user", body, undefined, "198.51.100.3")).status, 429, body);
  }
});

test("none of this trapped", () => {
  assert.doesNotMatch(weir.log(), /panick|unreachable|RuntimeError|out of bounds/i);
});
