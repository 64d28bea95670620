// Weir with an operator, who reads its metrics.
import assert from "node:assert/strict";
import { parse } from "./exposition.mjs";
import { caller, stand } from "./stand.mjs";

export const TOKEN = "a token for tests";

/** As stand(), with `operator`, who has the token, and `metrics()`: the families that `/_weir/metrics` tells. */
export async function operated(t, { vars = {}, ...options }) {
  const place = await stand(t, { ...options, vars: { ADMIN_TOKEN: TOKEN, KEY_SECRET: "for tests", ...vars } });
  const operator = caller(place.weir, "203.0.113.9", [["Authorization", `Bearer ${TOKEN}`]]);
  const metrics = async () => {
    const answer = await operator.ask("/_weir/metrics");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    return parse(answer.text);
  };
  return { ...place, operator, metrics };
}
