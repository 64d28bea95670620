// What is asked of the contenders, and what the goals are.
const EVERYBODY = ["pass", "call", "hono", "none", "leased", "exact", "optimistic", "five", "rules"];
const MIB = 1 << 20;
/** Numbers of clients that no other scenario uses: one block for each measurement. */
const block = (at, round) => (at + round) << 16;

/**
 * Closed loops, by the names that `--scenarios` takes. `flags(round)` are those of the load
 * generator (see load/src/ask.rs). With `fresh`, each measurement has a process of its own.
 */
export const TIMED = {
  many: {
    title: "1,000 clients, all allowed, 32 connections",
    contenders: EVERYBODY,
    warm_first_s: 2.5,
    flags: () => ({ connections: 32, clients: 1000, first: block(1, 0), warm: 0.6, seconds: 1.6 }),
  },
  hot: {
    title: "one hot client, all allowed, 32 connections",
    contenders: ["pass", "fields", ...EVERYBODY.slice(1)],
    flags: () => ({ connections: 32, clients: 1, first: block(2, 0), warm: 0.4, seconds: 1.6 }),
  },
  flood: {
    title: "flood of one address, 32 connections",
    contenders: ["pass", "refuse", "hono-flood", "flood"],
    warm_first_s: 1.5,
    quota: 100,
    // Once the quota is spent: nothing but refusals.
    afterwards_s: 2,
    flags: (round) => ({ connections: 32, clients: 1, first: block(16, round), "warm-first": block(48, round), warm: 0.6, seconds: 1.6 }),
  },
  body: {
    title: "bodies of 1 MiB, 4 connections",
    contenders: ["pass", "leased"],
    warm_first_s: 0.5,
    flags: () => ({ connections: 4, clients: 16, first: block(3, 0), method: "POST", body: MIB, warm: 0.5, seconds: 2 }),
  },
  first: {
    title: "unloaded: the first request of each client, each in a new network, 1 connection",
    contenders: ["pass", "call", "leased", "exact", "optimistic"],
    warm_first_s: 0.5,
    // Each from a network of its own, so that no object has been there before.
    flags: (round) => ({ connections: 1, order: "each", clients: 500, step: 256, first: block(80 + 4 * round, 0), "warm-first": block(82 + 4 * round, 0), warm: 0.2, requests: 500 }),
  },
  neighbour: {
    title: "unloaded: the first request of each client, in a network seen before, 1 connection",
    contenders: ["pass", "call", "leased"],
    flags: (round) => ({ connections: 1, order: "each", clients: 500, first: block(168, round), "warm-first": block(168, round) + 1000, warm: 0.2, requests: 500 }),
  },
  alone: {
    title: "unloaded: one client, 1 connection",
    contenders: ["pass", "call", "leased", "exact", "optimistic"],
    flags: () => ({ connections: 1, clients: 1, first: block(4, 0), warm: 0.2, seconds: 0.8 }),
  },
  once: {
    title: "50,000 clients once each, 32 connections, a new process",
    contenders: ["pass", "call", "leased"],
    fresh: true,
    most_rounds: 2,
    flags: () => ({ connections: 32, order: "each", clients: 50_000, first: block(5, 0), requests: 50_000, "warm-clients": 1, "warm-first": block(4, 0), warm: 1 }),
  },
};

/** Played from a script: how much of it needs an object, and how many rows it writes. */
export const PLAYED = {
  mixed: {
    title: "visitors with 30 to 60 requests within 10 s each, and 5 % flood",
    contenders: ["window", "bucket", "wide-window", "wide-bucket"],
  },
  slow: {
    title: "visitors with one request every 6 s",
    contenders: ["slow-leased", "slow-optimistic"],
  },
};

export const START = "start";
export const ALL = [...Object.keys(TIMED), ...Object.keys(PLAYED), START];
