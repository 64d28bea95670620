// Which requests a rule holds for, condition by condition: a rule that holds denies, one that does not passes.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { request } from "./lib/client.mjs";
import { fileScope } from "./lib/process.mjs";
import { stand } from "./lib/stand.mjs";

const deny = (name, match, more = {}) => ({ name, match: { path: `/${name}/*`, ...match }, action: "deny", ...more });
const policy = {
  rules: [
    deny("host", { host: ["shop.test", "*.shop.test"] }),
    deny("ip", { ip: ["198.51.100.0/24", "192.0.2.7", "2001:db8:5::/48"] }),
    deny("header", { header: { "x-agent": "bad*bot-?", "x-other": "*" } }),
    deny("cookie", { cookie: ["a", "b"] }),
    deny("query", { query: ["q", "r s"] }),
    deny("method", { method: ["GET", "PURGE"] }),
    deny("not", { not: { ip: ["192.0.2.0/24"], method: ["GET"] } }),
    deny("skip", {}, { skip: { cookie: ["staff"] } }),
    deny("shadow", {}, { mode: "shadow" }),
    deny("off", {}, { mode: "off" }),
    { name: "segment", match: { path: ["/users/:id/posts", "/files/*"] }, action: "deny" },
  ],
};
const scope = fileScope();
let origin, weir;

before(async () => {
  ({ origin, weir } = await stand(scope, { policy }));
});
beforeEach(async () => {
  await origin.reset();
  await origin.script({ path: "/*" });
});

for (const [target, fields, denied] of [
  ["/host/", { headers: { Host: "shop.test" } }, true],
  ["/host/", { headers: { Host: "SHOP.Test.:8443" } }, true],
  ["/host/", { headers: { Host: "a.b.shop.test" } }, true],
  ["/host/", { headers: { Host: "workshop.test" } }, false],
  ["/host/", { headers: { Host: "shop.test.evil.example" } }, false],
  ["/ip/", { ip: "198.51.100.255" }, true],
  ["/ip/", { ip: "198.51.101.0" }, false],
  ["/ip/", { ip: "192.0.2.7" }, true],
  ["/ip/", { ip: "192.0.2.8" }, false],
  ["/ip/", { ip: "::ffff:192.0.2.7" }, true],
  ["/ip/", { ip: "::ffff:c633:6401" }, true],
  ["/ip/", { ip: "2001:DB8:5:0:ffff::1" }, true],
  ["/ip/", { ip: "2001:db8:6::1" }, false],
  ["/ip/", { ip: null, headers: { "X-Forwarded-For": "192.0.2.7", "X-Real-IP": "192.0.2.7" } }, false],
  ["/header/", { headers: { "X-Agent": "a BAD robot" } }, false],
  ["/header/", { headers: { "X-Agent": "bad robot-1" } }, false],
  ["/header/", { headers: { "X-Agent": "BAD roBot-1", "X-Other": "" } }, true],
  ["/header/", { headers: { "X-Agent": "bad bot-12", "X-Other": "a" } }, false],
  ["/cookie/", { headers: { Cookie: "b=1; a=" } }, true],
  ["/cookie/", { headers: { Cookie: "a=1; a=2; b=3" } }, true],
  ["/cookie/", { headers: { Cookie: "a=1; c=b" } }, false],
  ["/cookie/", { headers: { Cookie: "A=1; b=1" } }, false],
  ["/query/?q&r+s=1", {}, true],
  ["/query/?%71=1&r%20s", {}, true],
  ["/query/?q=1&rs=2", {}, false],
  ["/query/?x=q&r%20s", {}, false],
  ["/method/", { method: "GET" }, true],
  ["/method/", { method: "HEAD" }, true],
  ["/method/", { method: "PURGE" }, true],
  ["/method/", { method: "POST" }, false],
  ["/method/", { method: "POST", headers: { "X-HTTP-Method-Override": "GET" } }, false],
  ["/not/", { ip: "192.0.2.1" }, false],
  ["/not/", { ip: "192.0.2.1", method: "POST" }, true],
  ["/not/", { ip: "198.51.100.1" }, true],
  ["/skip/", {}, true],
  ["/skip/", { headers: { Cookie: "staff=1" } }, false],
  ["/shadow/", {}, false],
  ["/off/", {}, false],
  ["/users/7/posts", {}, true],
  ["/users/%2F/posts/", {}, true],
  ["/users/7/8/posts", {}, false],
  ["/users//posts", {}, false],
  ["/files", {}, true],
  ["/files/a/../b?x=/..", {}, true],
  ["/x/..%2ffiles", {}, false],
  ["/x/%2e%2e/files", {}, true],
  ["/%66iles/x", {}, true],
  ["/FILES/x", {}, false],
]) {
  test(`${target} ${JSON.stringify(fields)} is ${denied ? "denied" : "passed"}`, async () => {
    const { ip = "203.0.113.1", method = "GET", headers = {} } = fields;
    const lines = [...(ip === null ? [] : [["CF-Connecting-IP", ip]]), ...Object.entries(headers)];
    const answer = await request(weir.port, { method, target, headers: lines });
    assert.equal(answer.status, denied ? 403 : 200);
    if (denied && method !== "HEAD") assert.equal(answer.json().error, "denied");
    assert.equal((await origin.records()).length, denied ? 0 : 1);
  });
}
