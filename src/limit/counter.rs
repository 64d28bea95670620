//! What every algorithm can do. [`State`](super::State) documents the verbs for its callers.

use super::{Decision, Loan, Quota};
use crate::time::{Span, Timestamp};

/// One counter under one algorithm.
pub(super) trait Counter {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) -> Decision;
    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>);
    fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>);
    fn settle(&mut self, quota: &Quota, now: Timestamp, held: u64, spent: u64, value: Option<u64>);
    fn lend(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>);
    fn keep(&mut self, quota: &Quota, now: Timestamp, loan: &Loan);
    fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan);
    fn unspend(&mut self, quota: &Quota, now: Timestamp, loan: &Loan);
    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64;
    fn weight(&self, quota: &Quota, now: Timestamp) -> u64;
    fn held(&self) -> u64;
    fn void_at(&self, quota: &Quota) -> Timestamp;
    fn trim(&mut self, quota: &Quota, now: Timestamp);

    /// `remaining` grows when one unit more than it would fit.
    fn next_gain(&self, quota: &Quota, now: Timestamp) -> Option<Span> {
        let more = self.remaining(quota, now).saturating_add(1);
        match self.check(quota, now, more, None) {
            Decision::NotUntil { wait, .. } => Some(wait),
            Decision::Conforms | Decision::Never => None,
        }
    }

    /// Every promise ends now, as spent.
    fn settle_all(&mut self, quota: &Quota, now: Timestamp) {
        let held = self.held();
        self.settle(quota, now, held, held, None);
    }

    /// Takes over units that were counted in another way, as if spent now.
    fn carry(&mut self, quota: &Quota, now: Timestamp, units: u64) {
        self.spend(quota, now, units, None);
    }
}
