//! Fixed windows, aligned to UTC: a window of a day begins at midnight.
//!
//! In each aligned window at most `limit` units are admitted, so in an interval of one `window` that
//! straddles a boundary at most twice that. A held unit counts in every window until it is settled,
//! and after that in the one in which it was.
//!
//! Debt is forgiven with the window in which it was made.

use super::arith::{aligned, until_aligned};
use super::counter::Counter;
use super::{Decision, Loan, Quota};
use crate::time::{Span, Timestamp};

/// The state of a fixed window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedWindow {
    /// Windows since the epoch.
    pub(super) index: u64,
    /// Units spent in that window.
    pub(super) spent: u64,
    pub(super) held: u64,
    /// Units of this window that may be taken back.
    pub(super) lent: u64,
}

impl FixedWindow {
    /// The window that counts at `now`, and what was spent in it. Never an earlier one than before.
    fn at(&self, quota: &Quota, now: Timestamp) -> (u64, u64) {
        let (index, _) = aligned(now, quota.window);
        if index > self.index {
            (index, 0)
        } else {
            (self.index, self.spent)
        }
    }

    fn is_of_this_window(&self, quota: &Quota, loan: &Loan) -> bool {
        aligned(loan.at, quota.window).0 == self.index
    }

    fn until_next(&self, quota: &Quota, now: Timestamp) -> Span {
        let (index, _) = self.at(quota, now);
        until_aligned(now, index.saturating_add(1), quota.window, 0)
    }
}

impl Counter for FixedWindow {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) -> Decision {
        if cost > quota.limit {
            return Decision::Never;
        }
        let room = quota.limit.saturating_sub(cost);
        let (index, spent) = self.at(quota, now);
        if spent.saturating_add(self.held) <= room {
            return Decision::Conforms;
        }
        let wait = self.until_next(quota, now);
        let lent = if index == self.index { self.lent } else { 0 };
        let certain = if spent.saturating_sub(lent) <= room {
            Span::ZERO
        } else {
            wait
        };
        Decision::NotUntil { wait, certain }
    }

    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) {
        self.trim(quota, now);
        self.spent = self.spent.saturating_add(cost);
    }

    fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64, _value: Option<u64>) {
        self.trim(quota, now);
        self.held = self.held.saturating_add(units);
    }

    fn settle(
        &mut self,
        quota: &Quota,
        now: Timestamp,
        held: u64,
        spent: u64,
        _value: Option<u64>,
    ) {
        self.held = self.held.saturating_sub(held);
        self.spend(quota, now, spent, None);
    }

    fn lend(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.spend(quota, now, units, value);
        self.lent = self.lent.saturating_add(units);
    }

    fn keep(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.trim(quota, now);
        if self.is_of_this_window(quota, loan) {
            self.lent = self.lent.saturating_sub(loan.units);
        }
    }

    fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.keep(quota, now, loan);
        self.unspend(quota, now, loan);
    }

    fn unspend(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.trim(quota, now);
        if self.is_of_this_window(quota, loan) {
            self.spent = self.spent.saturating_sub(loan.units);
        }
    }

    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        let (_, spent) = self.at(quota, now);
        quota.limit.saturating_sub(spent.saturating_add(self.held))
    }

    fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        self.at(quota, now).1
    }

    fn held(&self) -> u64 {
        self.held
    }

    fn void_at(&self, quota: &Quota) -> Timestamp {
        if self.spent == 0 {
            return Timestamp::ZERO;
        }
        let next = self.index.saturating_add(1);
        Timestamp::ZERO + until_aligned(Timestamp::ZERO, next, quota.window, 0)
    }

    fn trim(&mut self, quota: &Quota, now: Timestamp) {
        let (index, spent) = self.at(quota, now);
        if index > self.index {
            self.lent = 0;
        }
        (self.index, self.spent) = (index, spent);
    }
}

#[cfg(test)]
mod tests;
