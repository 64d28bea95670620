//! Sliding window, as an exact log of what was spent when.
//!
//! In any interval of one `window` (open at one end) at most `limit` units are admitted. A unit
//! spent at t leaves at exactly t + window. Memory is one entry for each instant at which something
//! was spent within the last window, so `limit` is bounded by [`MAX_ENTRIES`].
//!
//! Debt is forgiven with the window in which it was made.

use std::collections::VecDeque;

use super::counter::Counter;
use super::{Decision, Loan, MAX_ENTRIES, Quota};
use crate::time::{Span, Timestamp};

/// The state of a sliding window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlidingWindow {
    /// By time, each instant once, no entry without units.
    entries: VecDeque<Entry>,
    /// The sum over `entries`.
    logged: u64,
    held: u64,
    /// Units in `entries`, or expired since, that may be taken back.
    lent: u64,
}

/// Units spent at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) at: Timestamp,
    pub(super) units: u64,
}

impl SlidingWindow {
    /// The entries that still count, and the sum of their units.
    fn live(&self, quota: &Quota, now: Timestamp) -> (impl Iterator<Item = &Entry>, u64) {
        let window = quota.window;
        let gone = move |entry: &&Entry| entry.at + window <= now;
        let expired = self.entries.iter().take_while(gone);
        let expired_units = expired.fold(0, |sum: u64, e| sum.saturating_add(e.units));
        let live = self.entries.iter().skip_while(gone);
        (live, self.logged.saturating_sub(expired_units))
    }

    /// From now until `units` have left; where the log has fewer, what is spent now has to leave.
    fn until_gone(&self, quota: &Quota, now: Timestamp, units: u128) -> Span {
        if units == 0 {
            return Span::ZERO;
        }
        let mut left: u128 = 0;
        for entry in self.live(quota, now).0 {
            left = left.saturating_add(u128::from(entry.units));
            if left >= units {
                return (entry.at + quota.window).saturating_since(now);
            }
        }
        let spent_at = self.entries.back().map_or(now, |last| last.at.max(now));
        (spent_at + quota.window).saturating_since(now)
    }

    fn push(&mut self, entry: Entry) {
        // What does not fit into the sum is not logged either, so that the two always agree.
        let units = entry.units.min(u64::MAX.saturating_sub(self.logged));
        if units == 0 {
            return;
        }
        self.logged = self.logged.saturating_add(units);
        match self.entries.back_mut() {
            Some(last) if last.at >= entry.at => last.units = last.units.saturating_add(units),
            _ => self.entries.push_back(Entry { units, ..entry }),
        }
        if self.entries.len() > MAX_ENTRIES
            && let Some(oldest) = self.entries.pop_front()
            && let Some(next) = self.entries.front_mut()
        {
            // Only a key in debt gets here. Its oldest units stay a little too long.
            next.units = next.units.saturating_add(oldest.units);
        }
    }

    /// Takes units out that were spent at an instant, as many of them as are still there.
    fn remove(&mut self, at: Timestamp, units: u64) {
        let Ok(place) = self.entries.binary_search_by(|entry| entry.at.cmp(&at)) else {
            return;
        };
        if let Some(entry) = self.entries.get_mut(place) {
            let units = units.min(entry.units);
            entry.units = entry.units.saturating_sub(units);
            self.logged = self.logged.saturating_sub(units);
            if entry.units == 0 {
                self.entries.remove(place);
            }
        }
    }

    /// What is stored: nothing held, nothing expired.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// From what was stored; `entries` in ascending order of time.
    pub(super) fn from_entries(entries: impl Iterator<Item = Entry>) -> Self {
        let mut log = SlidingWindow::default();
        entries.for_each(|entry| log.push(entry));
        log
    }
}

impl Counter for SlidingWindow {
    fn check(&self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) -> Decision {
        if cost > quota.limit {
            return Decision::Never;
        }
        let room = u128::from(quota.limit.saturating_sub(cost));
        let spent = u128::from(self.live(quota, now).1);
        let taken = spent.saturating_add(u128::from(self.held));
        if taken <= room {
            return Decision::Conforms;
        }
        Decision::NotUntil {
            wait: self.until_gone(quota, now, taken.saturating_sub(room)),
            certain: self.until_gone(
                quota,
                now,
                spent
                    .saturating_sub(u128::from(self.lent))
                    .saturating_sub(room),
            ),
        }
    }

    fn spend(&mut self, quota: &Quota, now: Timestamp, cost: u64, _value: Option<u64>) {
        self.trim(quota, now);
        self.push(Entry {
            at: now,
            units: cost,
        });
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

    fn take_back(&mut self, _quota: &Quota, _now: Timestamp, loan: &Loan) {
        self.lent = self.lent.saturating_sub(loan.units);
        self.remove(loan.at, loan.units);
    }

    fn unspend(&mut self, _quota: &Quota, _now: Timestamp, loan: &Loan) {
        self.remove(loan.at, loan.units);
    }

    fn remaining(&self, quota: &Quota, now: Timestamp) -> u64 {
        let spent = self.live(quota, now).1;
        quota.limit.saturating_sub(spent.saturating_add(self.held))
    }

    fn weight(&self, quota: &Quota, now: Timestamp) -> u64 {
        self.live(quota, now).1
    }

    fn held(&self) -> u64 {
        self.held
    }

    fn void_at(&self, quota: &Quota) -> Timestamp {
        self.entries
            .back()
            .map_or(Timestamp::ZERO, |last| last.at + quota.window)
    }

    fn trim(&mut self, quota: &Quota, now: Timestamp) {
        while let Some(oldest) = self.entries.front()
            && oldest.at + quota.window <= now
        {
            self.logged = self.logged.saturating_sub(oldest.units);
            self.entries.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
