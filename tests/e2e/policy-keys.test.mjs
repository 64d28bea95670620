// Who is counted with whom: what a client sends must not choose its budget, nor use up another's.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";

const rule = (name, quota, ...key) => ({ name, match: { path: `/${name}` }, limits: [{ name: "limit", key, algorithm: "sliding-window", quota, window: "300s" }] });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  rules: [
    rule("address", 1, "ip"),
    rule("api-key", 2, "header:x-api-key"),
    rule("tenant", 1, "header:x-tenant"),
    rule("cookie", 1, "cookie:sid"),
    rule("pair", 1, "header:x-a", "header:x-b"),
    { ...rule("path", 1, "path:id"), match: { path: "/users/:id/posts" } },
    rule("query", 1, "query:u"),
    rule("seen", 1, "country", "asn", "colo"),
    { ...rule("region", 1, "ip"), limits: [{ ...rule("region", 1, "ip").limits[0], scope: "region" }] },
  ],
};
const scope = fileScope();
let origin, from;

before(async () => {
  ({ origin, from } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});

/** Asks one after the other: [caller, target, status]. */
async function expect(steps) {
  for (const [i, [caller, target, status]] of steps.entries()) {
    assert.equal((await caller.ask(target)).status, status, `step ${i + 1}: ${target}`);
  }
}

test("IPv4-mapped addresses are their IPv4 address; others keep their prefix", () =>
  expect(
    [
      ["::ffff:192.0.2.1", 200],
      ["::ffff:192.0.2.2", 200],
      ["::ffff:c000:201", 429],
      ["192.0.2.1", 429],
      ["2001:db8:1:2::192.0.2.9", 200],
      ["2001:db8:1:2::192.0.2.10", 429],
      ["2001:db8:1:3::1", 200],
    ].map(([ip, status]) => [from(ip), "/address", status]),
  ));

test("Key part missing: nobody without it uses up the budget of others", async () => {
  const [ada, bob] = [from("192.0.2.11"), from("198.51.100.7")];
  await expect([200, 200, 429, 429, 429].map((status) => [ada, "/api-key", status]));
  await expect([
    [bob, "/api-key", 200],
    [bob.with(["X-Api-Key", ""]), "/api-key", 200],
    [bob, "/api-key", 429],
    // the address in the place of a key is no key that spells the address
    [bob.with(["X-Api-Key", "198.51.100.7"]), "/api-key", 200],
  ]);
});

test("Key taken from the client is unbounded: of fixed size inside, whatever its length", async () => {
  const long = "x".repeat(8_000);
  const ada = from("192.0.2.12");
  await expect([
    [ada.with(["X-Tenant", `${long}a`]), "/tenant", 200],
    [ada.with(["X-Tenant", `${long}b`]), "/tenant", 200],
    [ada.with(["X-Tenant", `${long}a`]), "/tenant", 429],
  ]);
  const euro = Buffer.from("€").toString("latin1");
  for (const length of [62, 63, 64, 127, 128, 255, 256]) {
    const tenant = ada.with(["X-Tenant", "t".repeat(length) + euro]);
    await expect([[tenant, "/tenant", 200], [tenant, "/tenant", 429]]);
  }
  const cookies = (sid) => ada.with(["Cookie", `${"pad=".padEnd(16_000, "p")}; sid=${sid}`]);
  await expect([[cookies("long"), "/cookie", 200], [cookies("long"), "/cookie", 429], [cookies("other"), "/cookie", 200]]);
});

test("Cookie parsing: several lines, odd segments, decoys and values with an equals sign", async () => {
  const ada = from("192.0.2.13");
  const cookie = (...lines) => ada.with(...lines.map((line) => ["Cookie", line]));
  await expect([
    [cookie("theme=dark; sid=A"), "/cookie", 200],
    [cookie("theme=dark", "sid=A"), "/cookie", 429],
    [cookie("flag; sid=A"), "/cookie", 429],
    [cookie("sid=x=y="), "/cookie", 200],
    [cookie("sid=x=z="), "/cookie", 200],
    [cookie("sid=x=y="), "/cookie", 429],
  ]);
  // a name that comes twice is no name: the decoys share what callers without it have
  let passes = 0;
  for (let i = 0; i < 10; i += 1) {
    for (const line of [`sid=B; sid=${i}`, `sid=${i}; sid=B`]) passes += (await cookie(line).ask("/cookie")).status === 200 ? 1 : 0;
  }
  assert.equal(passes, 1);
  for (const line of ["=", ";;;", "sid", "=sid", "sid=\"q\"; =; a==b", "\x80\xff=1; sid"]) {
    assert.ok((await cookie(line).ask("/cookie")).status < 500, JSON.stringify(line));
  }
});

test("Workers of other zones share an address and are told apart by their zone", async () => {
  const worker = (zone) => from("2a06:98c0:3600::103").with(["CF-Worker", zone]);
  await expect([
    [worker("one.example"), "/address", 200],
    [worker("one.example"), "/address", 429],
    [worker("two.example"), "/address", 200],
    // anybody else who sends the header is who they are
    [from("192.0.2.14").with(["CF-Worker", "three.example"]), "/address", 200],
    [from("192.0.2.14").with(["CF-Worker", "four.example"]), "/address", 429],
  ]);
});

test("the parts of a key do not run into one another", async () => {
  const pair = (a, b) => from("192.0.2.15").with(["X-A", a], ["X-B", b]);
  await expect([
    [pair("x", "yz"), "/pair", 200],
    [pair("xy", "z"), "/pair", 200],
    [pair("x", "yz"), "/pair", 429],
  ]);
});

test("path and query values, and what the platform sees of a caller", async () => {
  const ada = from("192.0.2.16");
  await expect([
    [ada, "/users/7/posts", 200],
    [ada, "/users/8/posts", 200],
    [ada, "/users//7/./posts/", 429],
    [ada, "/query?u=a%20b", 200],
    [ada, "/query?u=a+b", 429],
    [ada, "/query?u=c&u=d", 200],
    [ada, "/query?u=e&u=f", 429],
  ]);
  const seen = (country, asn) => ada.with(["x-test-cf", JSON.stringify({ country, asn, colo: "FRA" })]);
  await expect([
    [seen("DE", 64500), "/seen", 200],
    [seen("DE", 64501), "/seen", 200],
    [seen("FR", 64500), "/seen", 200],
    [seen("DE", 64500), "/seen", 429],
  ]);
});

test("with scope = region a caller has a quota on each continent", async () => {
  const on = (continent) => from("192.0.2.17").with(["x-test-cf", JSON.stringify({ continent })]);
  await expect([
    [on("EU"), "/region", 200],
    [on("NA"), "/region", 200],
    [on("EU"), "/region", 429],
    [on("XX"), "/region", 200],
  ]);
});
