//! Token bucket, as GCRA (the virtual scheduling algorithm of ITU-T I.371): one theoretical arrival
//! time says how full the bucket is.
//!
//! In any interval of length T at most `burst + T * limit / window` units are admitted.
//!
//! Time is reckoned in *ticks*, of which `limit` make a microsecond: then one unit is worth exactly
//! `window` ticks, and no rate, however large or odd, is rounded. (A rounded emission interval
//! would admit 3 per second twice only at once, and could not say 100 MB per second at all.)

use super::arith::{clamp, div_ceil, div_floor, mul, span};
use super::counter::Counter;
use super::{Decision, Loan, Quota};
use crate::time::{Span, Timestamp};

/// What was spent after the fact may put a bucket this many windows behind, and no further: a
/// single wrong figure from an origin must not lock a key out for ever.
const MAX_DEBT_WINDOWS: u64 = 1_000;

/// The state of a token bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenBucket {
    /// When the bucket is full again, if nothing more is spent: whole microseconds.
    pub(super) tat: Timestamp,
    /// The rest of that, in ticks: less than `limit`.
    pub(super) tat_ticks: u64,
    /// Units promised; they are in `tat` as well, as if spent.
    pub(super) held: u64,
    /// Units spent that may be taken back.
    pub(super) lent: u64,
    /// Of what they are worth, in ticks, what would be missing in the backlog without any of them.
    /// Less than they are worth where the bucket would have been full meanwhile.
    pub(super) returnable: u128,
}

fn worth(quota: &Quota, units: u64) -> u128 {
    mul(units, quota.window.as_micros())
}

impl TokenBucket {
    /// Ticks that the bucket is short of full.
    ///
    /// It never refills past what is held. Else a unit could be held while the bucket refills to
    /// the brim, and then both be spent at once: more than the burst.
    fn backlog(&self, quota: &Quota, now: Timestamp) -> u128 {
        let behind_us = self.tat.saturating_since(now).as_micros();
        let ticks = if self.tat < now { 0 } else { self.tat_ticks };
        mul(behind_us, quota.limit)
            .saturating_add(u128::from(ticks))
            .max(worth(quota, self.held))
    }

    /// What giving everything back that is lent would take off a backlog.
    fn returnable(&self, quota: &Quota, backlog: u128) -> u128 {
        let above_held = backlog.saturating_sub(worth(quota, self.held));
        self.returnable.min(above_held)
    }

    /// The backlog, before it is changed: the bucket may have run full since it last was.
    fn changing(&mut self, quota: &Quota, now: Timestamp) -> u128 {
        let backlog = self.backlog(quota, now);
        self.returnable = self.returnable(quota, backlog);
        backlog
    }

    fn give_back(&mut self, quota: &Quota, now: Timestamp, backlog: u128, ticks: u128) {
        self.returnable = self.returnable.saturating_sub(ticks);
        self.set_backlog(quota, now, backlog.saturating_sub(ticks));
    }

    fn set_backlog(&mut self, quota: &Quota, now: Timestamp, backlog: u128) {
        let window_ticks = mul(quota.window.as_micros(), quota.limit);
        let most = window_ticks
            .saturating_mul(u128::from(MAX_DEBT_WINDOWS))
            .saturating_add(worth(quota, quota.burst));
        let backlog = backlog.min(most).max(worth(quota, self.held));
        let behind_us = div_floor(backlog, quota.limit);
        self.tat = now + span(behind_us);
        let whole = behind_us.saturating_mul(u128::from(quota.limit));
        self.tat_ticks = clamp(backlog.saturating_sub(whole)).min(quota.limit);
    }

    /// The same units under another quota.
    ///
    /// A smaller burst forgets what exceeds it, except debt: a bucket knows nothing emptier than
    /// empty, and a key that was well within its old quota must not be refused for hours.
    pub(super) fn requote(mut self, from: &Quota, to: &Quota, now: Timestamp) -> Self {
        let backlog = self.backlog(from, now);
        let debt = backlog.saturating_sub(worth(from, from.burst));
        let rescale = |ticks: u128| match ticks.checked_mul(u128::from(to.window.as_micros())) {
            Some(product) => div_ceil(product, from.window.as_micros()),
            None => u128::MAX,
        };
        let most = worth(to, to.burst).saturating_add(rescale(debt));
        self.set_backlog(to, now, rescale(backlog).min(most));
        let rescaled = self
            .returnable
            .checked_mul(u128::from(to.window.as_micros()));
        self.returnable = rescaled.map_or(0, |ticks| div_floor(ticks, from.window.as_micros()));
        self
    }
}

impl Counter for TokenBucket {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) -> Decision {
        if cost > quota.burst {
            return Decision::Never;
        }
        let backlog = self.backlog(quota, now);
        let room = worth(quota, quota.burst).saturating_sub(worth(quota, cost));
        if backlog <= room {
            return Decision::Conforms;
        }
        let without_held = backlog
            .saturating_sub(worth(quota, self.held))
            .saturating_sub(self.returnable(quota, backlog));
        let until = |backlog: u128| span(div_ceil(backlog.saturating_sub(room), quota.limit));
        Decision::NotUntil {
            wait: until(backlog),
            certain: until(without_held),
        }
    }

    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) {
        let backlog = self.changing(quota, now);
        self.set_backlog(quota, now, backlog.saturating_add(worth(quota, cost)));
    }

    fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64, _value: Option<u64>) {
        let backlog = self.changing(quota, now);
        self.held = self.held.saturating_add(units);
        self.set_backlog(quota, now, backlog.saturating_add(worth(quota, units)));
    }

    fn settle(
        &mut self,
        quota: &Quota,
        now: Timestamp,
        held: u64,
        spent: u64,
        _value: Option<u64>,
    ) {
        let backlog = self.changing(quota, now);
        let held = held.min(self.held);
        self.held = self.held.saturating_sub(held);
        let rest = backlog.saturating_sub(worth(quota, held));
        self.set_backlog(quota, now, rest.saturating_add(worth(quota, spent)));
    }

    fn lend(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.spend(quota, now, units, value);
        self.lent = self.lent.saturating_add(units);
        self.returnable = self.returnable.saturating_add(worth(quota, units));
    }

    fn keep(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        self.changing(quota, now);
        self.lent = self.lent.saturating_sub(loan.units);
        // Whose the overflow was is not known: it may have been the others'.
        self.returnable = self.returnable.saturating_sub(worth(quota, loan.units));
    }

    fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        let backlog = self.changing(quota, now);
        let lost = worth(quota, self.lent).saturating_sub(self.returnable);
        let back = worth(quota, loan.units).saturating_sub(lost);
        self.lent = self.lent.saturating_sub(loan.units);
        let back = back.min(self.returnable);
        self.give_back(quota, now, backlog, back);
    }

    fn unspend(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        let backlog = self.changing(quota, now);
        let age_us = now.saturating_since(loan.at).as_micros();
        let back = worth(quota, loan.units).saturating_sub(mul(age_us, quota.limit));
        self.give_back(quota, now, backlog, back);
    }

    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        let level = worth(quota, quota.burst).saturating_sub(self.backlog(quota, now));
        clamp(div_floor(level, quota.window.as_micros()))
    }

    fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        let spent = self
            .backlog(quota, now)
            .saturating_sub(worth(quota, self.held));
        clamp(div_ceil(spent, quota.window.as_micros()))
    }

    fn held(&self) -> u64 {
        self.held
    }

    fn void_at(&self, _quota: &Quota) -> Timestamp {
        self.tat + Span::from_micros(u64::from(self.tat_ticks > 0))
    }

    fn trim(&mut self, _quota: &Quota, _now: Timestamp) {}

    fn carry(&mut self, quota: &Quota, now: Timestamp, units: u64) {
        self.spend(quota, now, units.min(quota.burst), None);
    }
}

#[cfg(test)]
mod tests;
