//! Sliding counter: two aligned windows, of which the earlier one counts in proportion to how much
//! of it the last `window` still covers. Constant memory, for quotas too large for a log.
//!
//! It is off where traffic within the earlier window was uneven. Each aligned window admits at most
//! `limit`, so an interval of one `window` sees less than twice the limit at the very worst (all of
//! one window at its end, then steadily on); and a caller that spent everything at a window's
//! beginning waits up to one window longer than with a log. Weights round up, against the caller.
//!
//! Debt is paid off within two windows.

use super::arith::{aligned, clamp, div_ceil, div_floor, mul, until_aligned};
use super::counter::Counter;
use super::{Decision, Loan, Quota};
use crate::time::{Span, Timestamp};

/// The state of a sliding counter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlidingCounter {
    /// Windows since the epoch.
    pub(super) index: u64,
    /// Units spent in that window.
    pub(super) current: u64,
    /// Units spent in the one before.
    pub(super) previous: u64,
    pub(super) held: u64,
    /// Units in these windows, or faded since, that may be taken back.
    pub(super) lent: u64,
}

/// The two counts as of some moment, and how far into the window that is.
struct View {
    index: u64,
    elapsed_us: u64,
    current: u64,
    previous: u64,
}

impl View {
    /// What was spent, as far as it still counts.
    fn weight(&self, quota: &Quota) -> u64 {
        let covered_us = quota.window.as_micros().saturating_sub(self.elapsed_us);
        let faded = div_ceil(mul(self.previous, covered_us), quota.window.as_micros());
        clamp(faded.saturating_add(u128::from(self.current)))
    }
}

/// How far into a window until `earlier` units of the one before weigh at most `room`.
fn elapsed_when_faded_us(quota: &Quota, earlier: u64, room: u64) -> u128 {
    let window_us = quota.window.as_micros();
    if earlier <= room {
        return 0;
    }
    // ceil(earlier * (window - e) / window) <= room, solved for the least e.
    let covered_us = div_floor(mul(room, window_us), earlier);
    u128::from(window_us).saturating_sub(covered_us)
}

impl SlidingCounter {
    fn at(&self, quota: &Quota, now: Timestamp) -> View {
        let (index, elapsed_us) = aligned(now, quota.window);
        match index.checked_sub(self.index) {
            // Back in time: the beginning of the window that was already reached.
            None => View {
                index: self.index,
                elapsed_us: 0,
                current: self.current,
                previous: self.previous,
            },
            Some(0) => View {
                index,
                elapsed_us,
                current: self.current,
                previous: self.previous,
            },
            Some(1) => View {
                index,
                elapsed_us,
                current: 0,
                previous: self.current,
            },
            Some(_) => View {
                index,
                elapsed_us,
                current: 0,
                previous: 0,
            },
        }
    }

    /// From now until a `cost` fits when `held` more units are spent now.
    fn until_fit(view: &View, quota: &Quota, now: Timestamp, cost: u64, held: u64) -> Span {
        let current = view.current.saturating_add(held);
        let room = quota.limit.saturating_sub(cost);
        match room.checked_sub(current) {
            Some(room) => {
                let faded_us = elapsed_when_faded_us(quota, view.previous, room);
                until_aligned(now, view.index, quota.window, faded_us)
            }
            None => {
                let faded_us = elapsed_when_faded_us(quota, current, room);
                until_aligned(now, view.index.saturating_add(1), quota.window, faded_us)
            }
        }
    }
}

impl Counter for SlidingCounter {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) -> Decision {
        if cost > quota.limit {
            return Decision::Never;
        }
        let room = quota.limit.saturating_sub(cost);
        let spent = self.weight(quota, now);
        if spent.saturating_add(self.held) <= room {
            return Decision::Conforms;
        }
        let view = self.at(quota, now);
        let wait = Self::until_fit(&view, quota, now, cost, self.held);
        // Which of the two they are in does not matter: without them it is no later.
        let without_lent = View {
            current: view.current.saturating_sub(self.lent),
            previous: view.previous.saturating_sub(self.lent),
            ..view
        };
        let certain = if without_lent.weight(quota) <= room {
            Span::ZERO
        } else {
            Self::until_fit(&without_lent, quota, now, cost, 0)
        };
        Decision::NotUntil { wait, certain }
    }

    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) {
        self.trim(quota, now);
        self.current = self.current.saturating_add(cost);
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

    fn keep(&mut self, _quota: &Quota, _now: Timestamp, loan: &Loan) {
        self.lent = self.lent.saturating_sub(loan.units);
    }

    fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.lent = self.lent.saturating_sub(loan.units);
        self.unspend(quota, now, loan);
    }

    fn unspend(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.trim(quota, now);
        let (index, _) = aligned(loan.at, quota.window);
        if index == self.index {
            self.current = self.current.saturating_sub(loan.units);
        } else if index.saturating_add(1) == self.index {
            self.previous = self.previous.saturating_sub(loan.units);
        }
    }

    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        let spent = self.weight(quota, now);
        quota.limit.saturating_sub(spent.saturating_add(self.held))
    }

    fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        self.at(quota, now).weight(quota)
    }

    fn held(&self) -> u64 {
        self.held
    }

    fn void_at(&self, quota: &Quota) -> Timestamp {
        let windows = match (self.previous, self.current) {
            (0, 0) => return Timestamp::ZERO,
            (_, 0) => self.index.saturating_add(1),
            (_, _) => self.index.saturating_add(2),
        };
        Timestamp::ZERO + until_aligned(Timestamp::ZERO, windows, quota.window, 0)
    }

    fn trim(&mut self, quota: &Quota, now: Timestamp) {
        let View {
            index,
            current,
            previous,
            ..
        } = self.at(quota, now);
        (self.index, self.current, self.previous) = (index, current, previous);
    }

    /// As if the units had come evenly, so that they also fade evenly. All of them in the current
    /// window would weigh in full until its end, and then fade for a window more.
    fn carry(&mut self, quota: &Quota, now: Timestamp, units: u64) {
        let View {
            index, elapsed_us, ..
        } = self.at(quota, now);
        self.index = index;
        self.previous = units;
        // Down, because the weight of the other part is rounded up: together exactly `units`.
        self.current = clamp(div_floor(mul(units, elapsed_us), quota.window.as_micros()));
    }
}

#[cfg(test)]
mod tests;
