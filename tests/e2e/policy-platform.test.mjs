// What the platform itself says of a caller: network, country, place, TLS fingerprint, verified bots.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";
import { CF_HEADER } from "./lib/workerd.mjs";

const limits = (...key) => [{ name: "limit", key, algorithm: "sliding-window", quota: 1, window: "300s" }];
const rule = (name, match, key = "ip", more = {}) => ({ name, match: { path: `/${name}`, ...match }, limits: limits(...[key].flat()), ...more });
const policy = {
  // not what is tested here, and this machine may be slow
  counter_timeout: "5s",
  rules: [
    rule("match-asn", { asn: [64500, 64501] }),
    rule("match-country", { country: ["DE", "FR"] }),
    rule("match-bot", { bot: "verified" }),
    rule("skip-bot", {}, "ip", { skip: { bot: "verified" } }),
    { name: "deny", match: { path: "/deny", asn: [64666], not: { bot: "verified" } }, action: "deny" },
    ...["asn", "country", "colo", "ja4"].map((part) => rule(`by-${part}`, {}, part)),
    rule("by-all", {}, ["country", "asn", "colo", "ja4"]),
  ],
};
const scope = fileScope();
let origin, from, next = 0;

before(async () => {
  ({ origin, from } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});

/** Somebody at an address of their own, as the platform sees them. */
const seen = (cf, ip = `192.0.${Math.floor((next += 1) / 250)}.${next % 250}`) => from(ip).with([CF_HEADER, JSON.stringify(cf)]);
const thrice = async (caller, target) => {
  const found = [];
  for (let i = 0; i < 3; i += 1) found.push((await caller.ask(target)).status);
  return found;
};
const LIMITED = [200, 429, 429];
const FREE = [200, 200, 200];

for (const [target, cf, expected] of [
  ["/match-asn", { asn: 64500 }, LIMITED],
  ["/match-asn", { asn: 64501 }, LIMITED],
  ["/match-asn", { asn: 64502 }, FREE],
  ["/match-asn", { asn: "64500" }, FREE],
  ["/match-asn", {}, FREE],
  ["/match-country", { country: "DE" }, LIMITED],
  ["/match-country", { country: "US" }, FREE],
  ["/match-country", {}, FREE],
  ["/match-bot", { botManagement: { verifiedBot: true } }, LIMITED],
  ["/match-bot", { verifiedBotCategory: "Search Engine Crawler" }, LIMITED],
  ["/match-bot", { botManagement: { verifiedBot: false }, verifiedBotCategory: "" }, FREE],
  ["/match-bot", {}, FREE],
  ["/skip-bot", { botManagement: { verifiedBot: true } }, FREE],
  ["/skip-bot", { verifiedBotCategory: "Monitoring & Analytics" }, FREE],
  ["/skip-bot", { botManagement: { verifiedBot: false, score: 1 } }, LIMITED],
  ["/deny", { asn: 64666 }, [403, 403, 403]],
  ["/deny", { asn: 64666, botManagement: { verifiedBot: true } }, FREE],
  ["/deny", { asn: 64667 }, FREE],
]) {
  test(`${target} for ${JSON.stringify(cf)}`, async () => {
    assert.deepEqual(await thrice(seen(cf), target), expected);
  });
}

test("what a client says of itself is not what the platform sees", async () => {
  const liar = seen({}).with(
    ["CF-IPCountry", "DE"],
    ["CF-Verified-Bot", "true"],
    ["CF-Bot-Management-Verified-Bot", "true"],
    ["User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"],
    ["X-ASN", "64500"],
  );
  for (const target of ["/match-country", "/match-asn", "/match-bot"]) assert.deepEqual(await thrice(liar, target), FREE, target);
  assert.deepEqual(await thrice(liar, "/skip-bot"), LIMITED);
});

for (const [part, ada, bob] of [
  ["asn", { asn: 64500 }, { asn: 64501 }],
  ["country", { country: "DE" }, { country: "FR" }],
  ["colo", { colo: "FRA" }, { colo: "CDG" }],
  ["ja4", { botManagement: { ja4: "t13d1516h2_8daaf6152771_b186095e22b6" } }, { botManagement: { ja4: "t13d1516h2_8daaf6152771_b186095e22b7" } }],
]) {
  test(`the key part ${part}: whoever shares it shares the budget, and who has none is an address`, async () => {
    const target = `/by-${part}`;
    const status = async (caller) => (await caller.ask(target)).status;
    assert.equal(await status(seen(ada)), 200);
    assert.equal(await status(seen(ada)), 429, "another address");
    assert.equal(await status(seen(bob)), 200);
    assert.equal(await status(seen(bob)), 429);
    assert.equal(await status(seen({}, "198.51.100.1")), 200);
    assert.equal(await status(seen({}, "198.51.100.1")), 429);
    assert.equal(await status(seen({}, "198.51.100.2")), 200);
  });
}

test("all of them in one key: one that differs makes another budget", async () => {
  const whole = { country: "DE", asn: 64500, colo: "FRA", botManagement: { ja4: "t13" } };
  const found = [];
  for (const change of [{}, {}, { country: "FR" }, { asn: 1 }, { colo: "CDG" }, { botManagement: { ja4: "q13" } }, {}]) {
    found.push((await seen({ ...whole, ...change }).ask("/by-all")).status);
  }
  assert.deepEqual(found, [200, 429, 200, 200, 200, 200, 429]);
});
