//! A quota on distinct values: usernames probed, coupons tried.
//!
//! A value counts from when it is first spent until one `window` after it was last spent. One that
//! already counts always conforms, and counts anew for a window. So in any interval of one `window`
//! at most `limit` different values are admitted. Costs above 1 count as 1. Values are known by
//! their keyed hashes; no value at all counts as one value.

use super::counter::Counter;
use super::{Decision, Loan, MAX_ENTRIES, Quota};
use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};

/// The state of a count of distinct values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distinct {
    values: Map<u64, Seen>,
    /// The values that nobody holds, by the time they were last spent or lent.
    idle: Set<(Timestamp, u64)>,
    /// Loans that may be taken back.
    lent: u64,
}

/// One value. It has been spent, or is lent or held, or several of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    last: Option<Timestamp>,
    /// Loans, and when the latest was made.
    lent: u32,
    lent_at: Timestamp,
    /// When the first of them was made: an earlier one had expired, and the value was forgotten.
    lent_since: Timestamp,
    holds: u32,
}

fn hash(value: Option<u64>) -> u64 {
    value.unwrap_or(0)
}

impl Distinct {
    fn expired(&self, quota: &Quota, now: Timestamp) -> usize {
        self.idle
            .iter()
            .take_while(|(last, _)| *last + quota.window <= now)
            .count()
    }

    /// How many values count now, held ones among them.
    fn live(&self, quota: &Quota, now: Timestamp) -> usize {
        self.values.len().saturating_sub(self.expired(quota, now))
    }

    /// How many values have to leave before `more` new ones fit, when `live` count.
    fn excess(quota: &Quota, live: usize, more: u64) -> usize {
        let room = usize::try_from(quota.limit.saturating_sub(more)).unwrap_or(usize::MAX);
        live.saturating_sub(room)
    }

    /// From now until `count` values have left, held ones counting as spent now.
    fn until_gone(&self, quota: &Quota, now: Timestamp, count: usize) -> Span {
        let Some(before) = count.checked_sub(1) else {
            return Span::ZERO;
        };
        let skip = self.expired(quota, now).saturating_add(before);
        match self.idle.iter().nth(skip) {
            Some((last, _)) => (last + quota.window).saturating_since(now),
            None => quota.window,
        }
    }

    /// The same, when what is held or lent is given back now: those values fall back on when they
    /// were last spent for good.
    fn certainly_until_gone(&self, quota: &Quota, now: Timestamp, more: u64) -> Span {
        let mut leave: Vec<Timestamp> = self
            .values
            .values()
            .filter_map(|seen| seen.last)
            .map(|last| last + quota.window)
            .filter(|leaves| *leaves > now)
            .collect();
        let Some(before) = Self::excess(quota, leave.len(), more).checked_sub(1) else {
            return Span::ZERO;
        };
        crate::map::sort_by(&mut leave, |one, other| one < other);
        leave
            .get(before)
            .map_or(quota.window, |leaves| leaves.saturating_since(now))
    }

    /// Applies `change` to a value and keeps the order of idle ones. New values beyond the bound
    /// are not taken up: every quota is spent by then.
    fn update(&mut self, value: u64, change: impl FnOnce(&mut Seen)) {
        if self.values.len() >= MAX_ENTRIES && !self.values.contains_key(&value) {
            return;
        }
        let seen = self.values.get_or_insert_with(value, Seen::default);
        if let (0, Some(last)) = (seen.holds, seen.last_of_all()) {
            self.idle.remove(&(last, value));
        }
        change(seen);
        match (seen.holds, seen.last_of_all()) {
            (0, Some(last)) => {
                self.idle.insert((last, value));
            }
            (0, None) => {
                self.values.remove(&value);
            }
            _ => {}
        }
    }

    /// What is stored: values nobody holds, by the time they were last spent or lent.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = (Timestamp, u64)> {
        self.idle.iter()
    }

    /// Takes up what was stored; false where the value is there already, or there is no room.
    pub(super) fn restore(&mut self, last: Timestamp, value: u64) -> bool {
        if self.values.contains_key(&value) || self.values.len() >= MAX_ENTRIES {
            return false;
        }
        self.update(value, |seen| seen.last = Some(last));
        true
    }
}

impl Seen {
    fn spend(&mut self, now: Timestamp) {
        self.last = self.last.max(Some(now));
    }

    fn end_loan(&mut self, loan: &Loan) {
        if loan.at >= self.lent_since {
            self.lent = self.lent.saturating_sub(1);
        }
    }

    /// When it was last spent, loans included.
    fn last_of_all(&self) -> Option<Timestamp> {
        self.last.max((self.lent > 0).then_some(self.lent_at))
    }

    fn counts(&self, quota: &Quota, now: Timestamp) -> bool {
        let last = self.last_of_all();
        last.is_some_and(|last| last + quota.window > now)
    }
}

impl Counter for Distinct {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) -> Decision {
        let counts = |seen: &Seen| seen.holds > 0 || seen.counts(quota, now);
        if self.values.get(&hash(value)).is_some_and(counts) {
            return Decision::Conforms;
        }
        let more = cost.min(1);
        match Self::excess(quota, self.live(quota, now), more) {
            0 => Decision::Conforms,
            excess => {
                let wait = self.until_gone(quota, now, excess);
                let all_spent = self.lent == 0 && self.values.len() == self.idle.len();
                let certain = if all_spent {
                    wait
                } else {
                    // Where time went back, a held value may have been spent later than now.
                    self.certainly_until_gone(quota, now, more).min(wait)
                };
                Decision::NotUntil { wait, certain }
            }
        }
    }

    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) {
        self.trim(quota, now);
        if cost > 0 {
            self.update(hash(value), |seen| seen.spend(now));
        }
    }

    fn hold(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.trim(quota, now);
        if units > 0 {
            self.update(hash(value), |seen| {
                seen.holds = seen.holds.saturating_add(1)
            });
        }
    }

    fn settle(&mut self, quota: &Quota, now: Timestamp, held: u64, spent: u64, value: Option<u64>) {
        self.trim(quota, now);
        self.update(hash(value), |seen| {
            seen.holds = seen.holds.saturating_sub(u32::from(held > 0));
            if spent > 0 {
                seen.spend(now);
            }
        });
        // A value that was only held on to may have expired long ago.
        self.trim(quota, now);
    }

    fn lend(&mut self, quota: &Quota, now: Timestamp, units: u64, value: Option<u64>) {
        self.trim(quota, now);
        if units > 0 {
            self.lent = self.lent.saturating_add(1);
            self.update(hash(value), |seen| {
                if seen.lent == 0 {
                    seen.lent_since = now;
                }
                seen.lent = seen.lent.saturating_add(1);
                seen.lent_at = seen.lent_at.max(now);
            });
        }
    }

    fn keep(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        if loan.units > 0 {
            self.lent = self.lent.saturating_sub(1);
            self.update(hash(loan.value), |seen| {
                seen.end_loan(loan);
                seen.spend(loan.at);
            });
            self.trim(quota, now);
        }
    }

    fn take_back(&mut self, quota: &Quota, now: Timestamp, loan: &Loan) {
        if loan.units > 0 {
            self.lent = self.lent.saturating_sub(1);
            self.update(hash(loan.value), |seen| seen.end_loan(loan));
            // What it had been spent before may have expired long ago.
            self.trim(quota, now);
        }
    }

    /// Whether the value counted before is not known any more; whoever asks for it again is let
    /// through anyway.
    fn unspend(&mut self, _quota: &Quota, _now: Timestamp, _loan: &Loan) {}

    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        let live = u64::try_from(self.live(quota, now)).unwrap_or(u64::MAX);
        quota.limit.saturating_sub(live)
    }

    fn next_gain(&self, quota: &Quota, now: Timestamp) -> Option<Span> {
        let live = self.live(quota, now);
        let more = self.remaining(quota, now).saturating_add(1);
        (live > 0).then(|| self.until_gone(quota, now, Self::excess(quota, live, more)))
    }

    fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        let spent = |seen: &&Seen| seen.counts(quota, now);
        u64::try_from(self.values.values().filter(spent).count()).unwrap_or(u64::MAX)
    }

    fn held(&self) -> u64 {
        let holds = self.values.values().map(|seen| u64::from(seen.holds));
        holds.fold(0, u64::saturating_add)
    }

    fn void_at(&self, quota: &Quota) -> Timestamp {
        let last = self.values.values().filter_map(Seen::last_of_all).max();
        last.map_or(Timestamp::ZERO, |last| last + quota.window)
    }

    fn trim(&mut self, quota: &Quota, now: Timestamp) {
        while let Some((last, value)) = self.idle.first()
            && last + quota.window <= now
        {
            self.idle.pop_first();
            self.values.remove(&value);
        }
    }

    fn settle_all(&mut self, quota: &Quota, now: Timestamp) {
        let held: Vec<u64> = self
            .values
            .iter()
            .filter(|(_, seen)| seen.holds > 0)
            .map(|(value, _)| value)
            .collect();
        for value in held {
            self.update(value, |seen| {
                seen.holds = 0;
                seen.spend(now);
            });
        }
        self.trim(quota, now);
    }
}

#[cfg(test)]
mod tests;
