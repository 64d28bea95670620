// What nearly every test needs: an origin, Weir in front of it, and callers with addresses.
import { startOrigin } from "./origin.mjs";
import { burst, request } from "./client.mjs";
import { startWorkerd } from "./workerd.mjs";

/** An origin and Weir on workerd, for one test; fields as for startWorkerd(). */
export async function stand(scope, options = {}) {
  const origin = await startOrigin(scope);
  const weir = await startWorkerd(scope, { origin, ...options });
  return { origin, weir, from: (ip) => caller(weir, ip) };
}

/** Somebody at an address, with further headers of theirs: asks once, or several times at once. */
export function caller(weir, ip, own = []) {
  const dressed = ({ headers = [], ...fields }) => ({ ...fields, headers: [["CF-Connecting-IP", ip], ...own, ...headers] });
  return {
    with: (...headers) => caller(weir, ip, [...own, ...headers]),
    ask: (target, fields = {}) => request(weir.port, dressed({ target, ...fields })),
    askAtOnce: (count, target, fields = {}) => burst(weir.port, count, dressed({ target, ...fields })),
  };
}

/** A policy of one rule. */
export const oneRule = (rule, rest = {}) => ({ ...rest, rules: [{ name: "rule", match: { path: "/*" }, ...rule }] });

export const passed = (answers) => answers.filter(({ status }) => status === 200).length;
export const refused = (answers) => answers.filter(({ status }) => status === 429);
