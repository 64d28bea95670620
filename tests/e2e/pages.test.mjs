// Weir's own pages: who may see what, and what status, explain and unblock say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { oneRule, stand } from "./lib/stand.mjs";

const TOKEN = "a token for tests";
const PATH = "/api/v1/quizzes";
const AUTHORIZED = ["Authorization", `Bearer ${TOKEN}`];
const SESSION = { name: "session", key: ["cookie:s|ip"], algorithm: "sliding-window", quota: 2, window: "60s" };
const policy = oneRule({ limits: [SESSION] });

async function operated(t, options = {}) {
  const place = await stand(t, { policy, vars: { ADMIN_TOKEN: TOKEN, KEY_SECRET: "for tests" }, ...options });
  const operator = place.from("203.0.113.9").with(AUTHORIZED);
  const post = async (page, body) => {
    const answer = await operator.ask(`/_weir/${page}`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, told: answer.json() };
  };
  return { ...place, operator, post };
}

function assertGuarded(answer) {
  assert.equal(answer.header("cache-control"), "no-store");
  assert.equal(answer.header("x-frame-options"), "DENY");
  assert.equal(answer.header("x-content-type-options"), "nosniff");
}

test("without the secret nothing is there but the demo, and that only when it is on", async (t) => {
  const { from, origin } = await stand(t, { policy, vars: { DEMO: "on" } });
  const ada = from("192.0.2.1");
  for (const target of ["/_weir", "/_weir/", "/_weir/status", "/_weir/metrics", "/_weir/console/app.js", "/_weir/x"]) {
    const answer = await ada.with(AUTHORIZED).ask(target);
    assert.equal(answer.status, 404, target);
    assertGuarded(answer);
  }
  for (const [target, type] of [["/_weir/demo", "text/html"], ["/_weir/demo/demo.js", "text/javascript"], ["/_weir/weir-client.js", "text/javascript"]]) {
    const answer = await ada.ask(target);
    assert.equal(answer.status, 200, target);
    assert.ok(answer.header("content-type").startsWith(type), target);
    assertGuarded(answer);
  }
  // no rule holds for them, and the origin sees none of it
  for (let i = 0; i < 5; i += 1) assert.equal((await ada.ask("/_weir/demo")).status, 200);
  assert.deepEqual(await origin.records(), []);
});

test("data needs the token, guessing it is limited, and shells ask for it", async (t) => {
  const { from, operator, origin } = await operated(t);
  const eve = from("192.0.2.66");
  const bare = await eve.ask("/_weir/status");
  assert.equal(bare.status, 401);
  assert.equal(bare.header("www-authenticate"), "Bearer");
  assertGuarded(bare);
  for (let i = 0; i < 10; i += 1) {
    assert.equal((await eve.with(["Authorization", `Bearer guess ${i}`]).ask("/_weir/status")).status, 401);
  }
  const tired = await eve.with(AUTHORIZED).ask("/_weir/status");
  assert.equal(tired.status, 429);
  assert.ok(Number(tired.header("retry-after")) >= 1);
  assert.equal((await operator.ask("/_weir/status")).status, 200);

  const slash = await eve.ask("/_weir");
  assert.equal(slash.status, 308);
  assert.equal(slash.header("location"), "/_weir/");
  const shell = await eve.ask("/_weir/");
  assert.equal(shell.status, 200);
  assert.match(shell.header("content-security-policy"), /default-src 'none'.*frame-ancestors 'none'/);
  assertGuarded(shell);
  const head = await eve.ask("/_weir/", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.text, "");

  const wrong = await operator.ask("/_weir/status", { method: "DELETE" });
  assert.equal(wrong.status, 405);
  assert.equal(wrong.header("allow"), "GET, HEAD");
  assert.equal((await operator.ask("/_weir/unblock")).header("allow"), "POST");
  assert.equal((await operator.ask("/_weir/nothing")).status, 404);
  assert.deepEqual(await origin.records(), []);
});

test("status names version, policy and what is missing", async (t) => {
  const { operator } = await operated(t, { vars: { ADMIN_TOKEN: TOKEN } });
  const told = (await operator.ask("/_weir/status")).json();
  assert.match(told.version, /^\d+\.\d+\.\d+$/);
  assert.equal(told.policy.source, "POLICY");
  assert.match(told.policy.fingerprint, /^[0-9a-f]{16}$/);
  assert.equal(told.policy.fault, null);
  assert.deepEqual(told.failing, []);
  assert.match(told.warnings.join(), /KEY_SECRET/);
});

test("explain says what would happen and counts nothing", async (t) => {
  const { from, post } = await operated(t);
  const ada = from("192.0.2.1").with(["Cookie", "s=ada"]);
  const described = { method: "GET", url: PATH, headers: { cookie: "s=ada" }, ip: "192.0.2.1" };
  for (let i = 0; i < 5; i += 1) {
    const { status, told } = await post("explain", described);
    assert.equal(status, 200);
    assert.equal(told.would, "pass");
    assert.deepEqual(told.limits[0].key, ["ada"]);
    assert.match(told.limits[0].hash, /^[A-Za-z0-9_-]{22}$/);
  }
  for (const status of [200, 200, 429]) assert.equal((await ada.ask(PATH)).status, status);
  const { told } = await post("explain", described);
  assert.equal(told.would, "refuse");
  assert.equal(told.refusal.status, 429);
  assert.deepEqual(told.refusal["violated-policies"], ["rule.session"]);
  assert.equal(told.limits[0].remaining, 0);
  assert.ok(told.limits[0].retry_after_s >= 1);
  const bad = await post("explain", { ur: "/a" });
  assert.equal(bad.status, 400);
  assert.equal(bad.told.pointer, "/ur");
});

test("unblock lifts a refusal at once, also where it was remembered", async (t) => {
  const { from, post } = await operated(t);
  const ada = from("192.0.2.1").with(["Cookie", "s=ada"]);
  for (const status of [200, 200, 429, 429]) assert.equal((await ada.ask(PATH)).status, status);
  const lifted = await post("unblock", { rule: "rule", limit: "session", key: ["ada"] });
  assert.equal(lifted.status, 200);
  assert.deepEqual(lifted.told, { rule: "rule", limit: "session", key: ["ada"], counters: 1 });
  assert.equal((await ada.ask(PATH)).status, 200);
  const unknown = await post("unblock", { rule: "rule", limit: "none", key: ["ada"] });
  assert.equal(unknown.status, 400);
});

test("a key that live names is looked at and lifted without its value", async (t) => {
  const { from, operator, post } = await operated(t);
  const ada = from("192.0.2.1").with(["Cookie", "s=ada"]);
  for (const status of [200, 200, 429, 429]) assert.equal((await ada.ask(PATH)).status, status);
  const { keys } = (await operator.ask("/_weir/live")).json();
  const { object, ask, key } = keys.find(({ what }) => what === "refused");
  const looked = await post("explain", { object, ask });
  assert.equal(looked.status, 200);
  const { counter } = looked.told;
  assert.deepEqual([counter.hash, counter.quota, counter.window_s, counter.remaining, counter.would], [key, 2, 60, 0, "refuse"]);
  assert.ok(counter.retry_after_s >= 1);
  assert.deepEqual((await post("unblock", { object, ask })).told, { counters: 1 });
  assert.equal((await post("explain", { object, ask })).told.counter.remaining, 2);
  assert.equal((await ada.ask(PATH)).status, 200);
  // nothing but looking and lifting can be asked of an object this way
  for (const wrong of [{ object, ask: "1s" }, { object, ask: ask.replace(/^1p/, "1c") }, { object: "a/b", ask }, { ask }]) {
    for (const page of ["explain", "unblock"]) assert.equal((await post(page, wrong)).status, 400, JSON.stringify(wrong));
  }
});

test("no answer of any page can be kept, framed, or sniffed, whoever asks", async (t) => {
  const { from, operator } = await operated(t, { vars: { ADMIN_TOKEN: TOKEN, KEY_SECRET: "for tests", DEMO: "on" } });
  const asked = [
    ["GET", ["", "/", "/status", "/metrics", "/live", "/explain", "/unblock", "/demo", "/lab", "/console/app.js", "/nothing", "/nothing.js"]],
    ["POST", ["/status", "/explain", "/unblock", "/metrics"]],
    ["HEAD", ["/", "/status", "/metrics"]],
    ["OPTIONS", ["/status"]],
  ];
  for (const [method, targets] of asked) {
    for (const target of targets) {
      for (const who of [operator, from("192.0.2.66"), from("192.0.2.67").with(["Authorization", "Bearer wrong"])]) {
        const answer = await who.ask(`/_weir${target}`, { method, ...(method === "POST" ? { body: "{}" } : {}) });
        assert.notEqual(answer.status, 500, `${method} ${target}`);
        assertGuarded(answer);
        assert.equal(answer.header("access-control-allow-origin"), null, `${method} ${target}`);
      }
    }
  }
});

test("guesses from many addresses of one IPv6 network are limited together, and a right one from elsewhere is let in", async (t) => {
  const { from, operator } = await operated(t);
  const statuses = [];
  for (let i = 0; i < 12; i += 1) {
    const answer = await from(`2001:db8:1:2::${i + 1}`).with(["Authorization", `Bearer guess ${i}`]).ask("/_weir/metrics");
    statuses.push(answer.status);
  }
  assert.deepEqual([statuses.slice(0, 10).every((status) => status === 401), statuses.at(-1)], [true, 429]);
  assert.equal((await operator.ask("/_weir/metrics")).status, 200);
});
