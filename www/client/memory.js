// What a client knows about when it may call again. A block stands for a route (method, origin and path, without the
// query) or for a quota policy of an origin; a route is also blocked by every policy that its last answer named.
// So a refusal of one path holds back another that spends the same quota. Plain data, bounded; no clock, no timer.

/** Names of policies remembered for one route. */
const MAX_POLICIES = 32;

/** @typedef {{ learnedAt: number, until: number }} Block */

export class BlockMemory {
  /** @type {Map<string, Block & { refusals: number, policies: string[] }>} */
  #routes = new Map();
  /** @type {Map<string, Block>} */
  #policies = new Map();
  #maxEntries;

  /** @param {number} maxEntries routes, and as many policies, that are remembered at most */
  constructor(maxEntries) {
    this.#maxEntries = maxEntries;
  }

  /** How many entries there are, of both kinds. */
  get size() {
    return this.#routes.size + this.#policies.size;
  }

  /**
   * Milliseconds until `route` may be called, 0 where it may be called now.
   * @param {Route} route
   * @param {number} at
   */
  remaining(route, at) {
    const entry = this.#routes.get(route.key);
    if (!entry) return 0;
    const blocks = entry.policies.map((name) => this.#policies.get(policyKey(route, name)));
    return Math.max(left(entry, at), ...blocks.map((block) => left(block, at)));
  }

  /**
   * Notes which policies apply to `route`.
   * @param {Route} route
   * @param {string[]} names
   * @param {number} at
   */
  learn(route, names, at) {
    if (names.length > 0) this.#route(route, at).policies = [...new Set(names)].slice(0, MAX_POLICIES);
  }

  /**
   * Counts one refusal of `route` and returns how many there were in a row. Answers to calls that were already under way
   * when the block began tell nothing new and are not counted.
   * @param {Route} route
   * @param {number} sentAt when the refused call was sent
   * @param {number} at
   */
  refused(route, sentAt, at) {
    const entry = this.#route(route, at);
    if (entry.refusals === 0 || sentAt >= entry.until) entry.refusals += 1;
    return entry.refusals;
  }

  /**
   * Ends the row of refusals; a block that stands is not lifted by the answer to an earlier call.
   * @param {Route} route
   * @param {number} sentAt
   */
  passed(route, sentAt) {
    const entry = this.#routes.get(route.key);
    if (entry && sentAt >= entry.until) entry.refusals = 0;
  }

  /**
   * @param {Route} route
   * @param {number} ms
   * @param {number} at
   */
  blockRoute(route, ms, at) {
    prolong(this.#route(route, at), ms, at);
  }

  /**
   * @param {Route} route
   * @param {string} name
   * @param {number} ms
   * @param {number} at
   */
  blockPolicy(route, name, ms, at) {
    prolong(this.#entry(this.#policies, policyKey(route, name), at, newBlock), ms, at);
  }

  /** @param {Route} route @param {number} at */
  #route(route, at) {
    return this.#entry(this.#routes, route.key, at, () => ({ ...newBlock(), refusals: 0, policies: [] }));
  }

  /** Finds or makes an entry and puts it last, so that the first is the one used longest ago. */
  #entry(map, key, at, make) {
    const entry = map.get(key) ?? make();
    map.delete(key);
    if (map.size >= this.#maxEntries) {
      // One that blocks nothing goes before one that does: forgetting a block means calling too early.
      let oldest = map.keys().next().value;
      for (const [candidate, block] of map) {
        if (left(block, at) === 0) {
          oldest = candidate;
          break;
        }
      }
      map.delete(oldest);
    }
    map.set(key, entry);
    return entry;
  }
}

/** @typedef {{ key: string, origin: string }} Route */

/** @param {Route} route @param {string} name */
function policyKey(route, name) {
  return `${route.origin} ${name}`;
}

/** @returns {Block} */
function newBlock() {
  return { learnedAt: 0, until: 0 };
}

/** @param {Block} block @param {number} ms @param {number} at */
function prolong(block, ms, at) {
  if (left(block, at) >= ms) return;
  block.learnedAt = at;
  block.until = at + ms;
}

/** @param {Block | undefined} block @param {number} at */
function left(block, at) {
  if (!block) return 0;
  // A wall clock can be set back; a block then lasts no longer than it was given for.
  return Math.max(0, Math.min(block.until - at, block.until - block.learnedAt));
}
