// Requests under way: begun now, answered later.
import { connect } from "./client.mjs";
import { untilCounts } from "./counts.mjs";

/** Somebody's request whose answer is still to come: `{ connection, answer }`; the latter with `response`, `status` and `ms`. */
export async function begin(weir, target, { headers = [], ...fields } = {}) {
  const connection = await connect(weir.port);
  const sent_ms = performance.now();
  connection.send({ target, headers: [["CF-Connecting-IP", "192.0.2.1"], ...headers], ...fields });
  const answer = connection.response(fields).then((response) => ({ response, status: response.status, ms: performance.now() - sent_ms }));
  // whoever wants it looks at it; a connection that is cut on purpose has none
  answer.catch(() => {});
  return { connection, answer };
}

/** So many, one after the other, each known to the objects before the next comes. */
export async function beginInOrder(weir, targets, fields, expected) {
  const begun = [];
  for (const [i, target] of targets.entries()) {
    begun.push(await begin(weir, target, fields));
    await untilCounts(weir, expected(i + 1));
  }
  return begun;
}

export const NOTHING = { running: 0, waiting: 0 };
