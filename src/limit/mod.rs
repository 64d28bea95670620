//! How to count: one file per algorithm, each a pure function of state, time and cost.
//!
//! Every algorithm keeps two kinds of units. *Spent* units were admitted at a known moment.
//! *Held* units are promised to somebody but may yet come back: provisional charges, leased
//! permits, reservations. A held unit counts as spent at the last moment at which it could be
//! spent, which is why [`State::settle`] takes the time: for a window the settled units are stamped
//! with it, and a bucket's level plus its held units never exceed the burst.

use crate::time::Span;

/// Which way of counting a limit uses. The discriminants are wired and stored: never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Algorithm {
    /// GCRA (ITU-T I.371): `quota` tokens per `window`, `burst` capacity.
    TokenBucket = 1,
    /// Exact log: never more than `quota` units in any interval of `window`.
    SlidingWindow = 2,
    /// Two aligned buckets, the earlier one weighted: constant memory, approximate.
    SlidingCounter = 3,
    /// Windows aligned to UTC.
    FixedWindow = 4,
    /// The quota is on distinct values seen in any interval of `window`.
    Distinct = 5,
}

/// What is promised, in the form that the counting side needs. Checked by `policy`: none is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    /// How it is counted.
    pub algorithm: Algorithm,
    /// Units per window (the draft's `q` but for a bucket).
    pub limit: u64,
    /// The window.
    pub window: Span,
    /// Units that may come at once: a bucket's capacity, else equal to `limit`.
    pub burst: u64,
}

/// The answer to "may `cost` units be spent now?". A refusal is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// They fit.
    Conforms,
    /// They do not fit yet.
    NotUntil {
        /// From now until they fit if nothing else happens: held units count as spent when their
        /// holds end at the latest, which the caller knows and adds.
        wait: Span,
        /// From now until they would fit even if every held unit were given back this instant.
        /// Zero means that only held units stand in the way. Until then a refusal stays true.
        certain: Span,
    },
    /// They never fit: the cost is more than the burst.
    Never,
}

// The state of one counter, and its verbs, live below this line once the algorithms do; the
// contract that `ledger` builds on:
//
// pub enum State { TokenBucket(..), SlidingWindow(..), SlidingCounter(..), FixedWindow(..), Distinct(..) }
// impl State {
//     /// The state of a key that has never been seen.
//     pub fn new(quota: &Quota, now: Timestamp) -> State;
//     /// May `cost` units be spent now? Pure. `value` only for `Distinct` (hash of the value).
//     pub fn check(&self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) -> Decision;
//     /// Spends units unconditionally: what is only known afterwards may run a key into debt.
//     pub fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>);
//     /// Promises units to somebody.
//     pub fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64);
//     /// Ends a promise of `held` units of which `spent` (more: debt; fewer: given back) were used.
//     pub fn settle(&mut self, quota: &Quota, now: Timestamp, held: u64, spent: u64);
//     /// Units that could be spent now.
//     pub fn remaining(&self, quota: &Quota, now: Timestamp) -> u64;
//     /// From now until `remaining` next grows; None where it is full.
//     pub fn next_gain(&self, quota: &Quota, now: Timestamp) -> Option<Span>;
//     /// Units spent that still weigh on the key now (rounded up); held ones do not count.
//     pub fn weight(&self, quota: &Quota, now: Timestamp) -> u64;
//     /// From when on this state decides exactly as a new one (no held units assumed).
//     pub fn void_at(&self, quota: &Quota) -> Timestamp;
//     /// The same counts under another quota, or another algorithm; nothing counted is forgotten.
//     pub fn requote(self, from: &Quota, to: &Quota, now: Timestamp) -> State;
//     /// Forgets what time has made void, to bound memory; changes no decision.
//     pub fn trim(&mut self, quota: &Quota, now: Timestamp);
//     /// The stored form (versioned bytes; held units are stored as spent at `now`), and back.
//     pub fn encode(&self, quota: &Quota, now: Timestamp, out: &mut Vec<u8>);
//     pub fn decode(bytes: &[u8]) -> Option<(State, &[u8])>;
// }
