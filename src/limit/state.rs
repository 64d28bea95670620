//! The state of one counter, whichever way it counts, and its verbs.

use super::counter::Counter;
use super::{
    Algorithm, Decision, Distinct, FixedWindow, Loan, Quota, SlidingCounter, SlidingWindow,
    TokenBucket,
};
use crate::time::{Span, Timestamp};

/// The state of one counter. Every verb takes the quota under which the state was made; when that
/// changes, [`State::requote`] comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// See [`Algorithm::TokenBucket`].
    TokenBucket(TokenBucket),
    /// See [`Algorithm::SlidingWindow`].
    SlidingWindow(SlidingWindow),
    /// See [`Algorithm::SlidingCounter`].
    SlidingCounter(SlidingCounter),
    /// See [`Algorithm::FixedWindow`].
    FixedWindow(FixedWindow),
    /// See [`Algorithm::Distinct`].
    Distinct(Distinct),
}

impl State {
    /// The state of a key that has never been seen.
    #[must_use]
    pub fn new(quota: &Quota) -> State {
        match quota.algorithm {
            Algorithm::TokenBucket => State::TokenBucket(TokenBucket::default()),
            Algorithm::SlidingWindow => State::SlidingWindow(SlidingWindow::default()),
            Algorithm::SlidingCounter => State::SlidingCounter(SlidingCounter::default()),
            Algorithm::FixedWindow => State::FixedWindow(FixedWindow::default()),
            Algorithm::Distinct => State::Distinct(Distinct::default()),
        }
    }

    /// Which way this state counts.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        match self {
            State::TokenBucket(_) => Algorithm::TokenBucket,
            State::SlidingWindow(_) => Algorithm::SlidingWindow,
            State::SlidingCounter(_) => Algorithm::SlidingCounter,
            State::FixedWindow(_) => Algorithm::FixedWindow,
            State::Distinct(_) => Algorithm::Distinct,
        }
    }

    fn counter(&self) -> &dyn Counter {
        match self {
            State::TokenBucket(bucket) => bucket,
            State::SlidingWindow(log) => log,
            State::SlidingCounter(pair) => pair,
            State::FixedWindow(window) => window,
            State::Distinct(values) => values,
        }
    }

    pub(super) fn counter_mut(&mut self) -> &mut dyn Counter {
        match self {
            State::TokenBucket(bucket) => bucket,
            State::SlidingWindow(log) => log,
            State::SlidingCounter(pair) => pair,
            State::FixedWindow(window) => window,
            State::Distinct(values) => values,
        }
    }

    /// May `cost` units be spent now? Changes nothing. A cost of zero conforms unless the key is in
    /// debt. `value`, here and below, is the hash of the value for [`Algorithm::Distinct`]; the
    /// others ignore it.
    #[must_use]
    pub fn check(&self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) -> Decision {
        self.counter().check(quota, now, cost, value)
    }

    /// Spends units unconditionally: what is only known afterwards may run a key into debt.
    pub fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) {
        self.counter_mut().spend(quota, now, cost, value);
    }

    /// Promises units to somebody, unconditionally; until [`State::settle`] ends it, the promise
    /// counts like units spent. Distinct values are held once for each call, whatever `units`.
    pub fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.counter_mut().hold(quota, now, units, value);
    }

    /// Ends a promise of `held` units of which `spent` were used, now at the latest: fewer than
    /// held gives the rest back, more is debt. A distinct value was used where `spent` is not zero.
    pub fn settle(
        &mut self,
        quota: &Quota,
        now: Timestamp,
        held: u64,
        spent: u64,
        value: Option<u64>,
    ) {
        self.counter_mut().settle(quota, now, held, spent, value);
    }

    /// Spends units that may yet be taken back; until [`State::keep`] or [`State::take_back`] ends
    /// it, a refusal that they cause is not certain.
    pub fn lend(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.counter_mut().lend(quota, now, units, value);
    }

    /// Units that were lent are spent for good, as of when they were lent.
    pub fn keep(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.counter_mut().keep(quota, now, loan);
    }

    /// As if these units had never been lent, as far as that can be told without admitting more than
    /// the quota: of a bucket that would have overflowed without them, the overflow is lost.
    pub fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.counter_mut().take_back(quota, now, loan);
    }

    /// The same of units that were spent for good. What a bucket may have refilled since is not
    /// given back, nor is a distinct value.
    pub fn unspend(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.counter_mut().unspend(quota, now, loan);
    }

    /// Units that could be spent now.
    #[must_use]
    pub fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        self.counter().remaining(quota, now)
    }

    /// From now until [`State::remaining`] next grows, if what is held is settled as spent now.
    /// None where nothing is spent or held.
    #[must_use]
    pub fn next_gain(&self, quota: &Quota, now: Timestamp) -> Option<Span> {
        self.counter().next_gain(quota, now)
    }

    /// Units spent that still weigh on the key now, rounded up; held ones do not count.
    #[must_use]
    pub fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        self.counter().weight(quota, now)
    }

    /// Units promised and not yet settled; of distinct values, the number of promises.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.counter().held()
    }

    /// From when on this state decides exactly as a new one, once nothing is held.
    #[must_use]
    pub fn void_at(&self, quota: &Quota) -> Timestamp {
        self.counter().void_at(quota)
    }

    /// Forgets what time has made void, to bound memory; changes no decision at or after `now`.
    pub fn trim(&mut self, quota: &Quota, now: Timestamp) {
        self.counter_mut().trim(quota, now);
    }

    /// Ends every promise as spent now: what a stored state has to assume.
    pub fn settle_all(&mut self, quota: &Quota, now: Timestamp) {
        self.counter_mut().settle_all(quota, now);
    }
}
