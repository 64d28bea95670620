//! `precision = "optimistic"`: this isolate decides at once from what it knows, and tells objects
//! afterwards, in sums.
//!
//! What it knows is what it has let through itself, in the same state that an object would keep, and
//! the object's last word about what all isolates have left. So one isolate alone is exact; several
//! may together let through what they have not told each other yet: each at most an eighth of what it
//! believes is left, besides what passes while its report is on its way.
//!
//! Only units that still count are worth telling: a slow visitor's leave the window, or flow back into
//! the bucket, before they add up to anything.

mod report;

use super::plan::Applied;
use crate::limit::{Algorithm, Decision, Loan, Quota, State};
use crate::map::Map;
use crate::policy::{Policy, Precision};
use crate::time::{Span, Timestamp};
use crate::wire::{CounterKey, Item, Outcome};
use report::Report;

/// Keys counted here, at about 300 bytes each, logs of windows apart. Beyond, a new key is counted by
/// its object, with a call behind each answer.
const CAPACITY: usize = 2_048;
/// A log keeps at most this many entries, so a window is told in steps of this part of it at least.
const STEPS: u64 = 128;
/// What is not told yet stays below this part of what is left, where this isolate alone spends of it
/// as far as it knows, and below the second part where others do.
const UNTOLD_SHARE: u64 = 8;
const UNTOLD_SHARED: u64 = 32;
/// As many untold units are told after [`BUSY_INTERVAL`] in any case.
const BUSY: u64 = 16;
const BUSY_INTERVAL: Span = Span::from_secs(1);
/// An object is asked again at least so often about a key that is refused, so that an operator's
/// unblock takes hold.
const WORD_HOLDS: Span = Span::from_secs(10);
/// Keys looked at, each time a new one is counted, for such as are over.
const SWEPT: usize = 4;

/// What this isolate has let through.
#[derive(Debug, Default)]
pub struct Tallies {
    known: Map<CounterKey, Tally>,
    swept_to: Option<CounterKey>,
}

/// One key.
#[derive(Debug)]
struct Tally {
    quota: Quota,
    state: State,
    /// Units of requests about which another limit has not decided yet.
    pending: u64,
    /// Units let through that no answered report has told of.
    untold: u64,
    /// When the first of them was.
    untold_since: Timestamp,
    word: Option<Word>,
    report: Option<Report>,
    told_at: Timestamp,
    asked_in_vain: bool,
}

/// What the object said last.
#[derive(Clone, Copy, Debug)]
struct Word {
    at: Timestamp,
    left: u64,
    grows_at: Timestamp,
    /// Others have spent of it as well.
    shared: bool,
}

/// Whether this isolate decides about a limit by itself: one unit is like another, and a refusal has
/// no consequences.
#[must_use]
pub fn decides(policy: &Policy, applied: &Applied) -> bool {
    let limit = applied.limit.of(policy);
    limit.is_some_and(|limit| limit.precision == Precision::Optimistic) && is_plain(&applied.item)
}

/// Units are known beforehand, one is like another, and a refusal has no consequences.
pub(super) fn is_plain(item: &Item) -> bool {
    item.quota.algorithm != Algorithm::Distinct
        && item.value.is_none()
        && item.block.is_empty()
        && item.reserve.is_none()
        && item.cost > 0
}

impl Tallies {
    /// Lets an item through and counts it, or refuses it. None where there is no room for its key.
    pub fn decide(&mut self, item: &Item, now: Timestamp) -> Option<(Outcome, Option<Loan>)> {
        if !self.known.contains_key(&item.key) && !self.make_room(now) {
            return None;
        }
        let make = || Tally::new(item.quota, now);
        let tally = self.known.get_or_insert_with(item.key, make);
        tally.requote(&item.quota, now);
        Some(tally.decide(item, now))
    }

    /// The request is let through: what was counted for it has to be told.
    pub fn keep(&mut self, key: &CounterKey, loan: &Loan, now: Timestamp) {
        if let Some(tally) = self.known.get_mut(key) {
            if tally.untold == 0 {
                tally.untold_since = now;
            }
            tally.untold = tally.untold.saturating_add(loan.units);
            tally.pending = tally.pending.saturating_sub(loan.units);
        }
    }

    /// Another limit refused: what was counted is not.
    pub fn put_back(&mut self, key: &CounterKey, loan: &Loan, now: Timestamp) {
        if let Some(tally) = self.known.get_mut(key) {
            tally.state.unspend(&tally.quota, now, loan);
            tally.pending = tally.pending.saturating_sub(loan.units);
        }
    }

    /// Forgets a key: the operator's unblock.
    pub fn forget(&mut self, key: &CounterKey) {
        self.known.remove(key);
    }

    /// Keys counted here.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True where none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn make_room(&mut self, now: Timestamp) -> bool {
        let is_void = |tally: &Tally| tally.is_void(now);
        for key in self.known.sweep(&mut self.swept_to, SWEPT, is_void) {
            self.known.remove(&key);
        }
        self.known.len() < CAPACITY
    }
}

impl Tally {
    fn new(quota: Quota, now: Timestamp) -> Tally {
        Tally {
            quota,
            state: State::new(&quota),
            pending: 0,
            untold: 0,
            untold_since: now,
            word: None,
            report: None,
            told_at: now,
            asked_in_vain: false,
        }
    }

    fn requote(&mut self, quota: &Quota, now: Timestamp) {
        if self.quota == *quota {
            return;
        }
        let state = std::mem::replace(&mut self.state, State::new(quota));
        self.state = state.requote(&self.quota, quota, now);
        self.quota = *quota;
        self.word = None;
    }

    fn decide(&mut self, item: &Item, now: Timestamp) -> (Outcome, Option<Loan>) {
        let at = self.step(now);
        let quota = &self.quota;
        let own = self.state.check(quota, now, item.cost, None);
        let left = self.left(now);
        let wait = match (own, self.known_left(now)) {
            (Decision::Conforms, Some((known, wait))) if item.cost > known => wait,
            (Decision::Conforms, _) => Span::ZERO,
            (Decision::NotUntil { wait, .. }, _) => wait,
            (Decision::Never, _) => Span::MAX,
        };
        let mut outcome = Outcome {
            conforms: wait.is_zero(),
            remaining: left,
            reset: self.state.next_gain(quota, now).unwrap_or_default(),
            retry_after: wait,
            ..Outcome::default()
        };
        if !outcome.conforms {
            self.asked_in_vain = true;
            outcome.reset = outcome.reset.min(wait);
            return (outcome, None);
        }
        self.state.spend(quota, at, item.cost, None);
        self.pending = self.pending.saturating_add(item.cost);
        outcome.remaining = left.saturating_sub(item.cost);
        if outcome.reset.is_zero() {
            outcome.reset = self.state.next_gain(quota, now).unwrap_or_default();
        }
        let loan = Loan {
            at,
            units: item.cost,
            value: None,
        };
        (outcome, Some(loan))
    }

    /// The instant that units spent now are written down with: later by at most a step.
    fn step(&self, now: Timestamp) -> Timestamp {
        let is_log = self.quota.algorithm == Algorithm::SlidingWindow;
        if !is_log || self.quota.limit <= STEPS {
            return now;
        }
        let step = self.quota.window.as_micros() / STEPS;
        let steps = now.as_micros().checked_div(step).unwrap_or(0);
        let down = Timestamp::from_micros(steps.saturating_mul(step));
        down + Span::from_micros(step)
    }

    /// What the object's last word leaves, while nothing can have come back since, and how much longer
    /// that is.
    fn known_left(&self, now: Timestamp) -> Option<(u64, Span)> {
        let word = self.word?;
        let until = word.grows_at.min(word.at + WORD_HOLDS);
        let holds = until.saturating_since(now);
        (!holds.is_zero()).then(|| (word.left.saturating_sub(self.untold), holds))
    }

    /// What is left to this isolate's knowledge: to all within a window of the object's last word.
    fn left(&self, now: Timestamp) -> u64 {
        let own = self.state.remaining(&self.quota, now);
        match self.word {
            Some(word) if now < word.at + self.quota.window => {
                own.min(word.left.saturating_sub(self.untold))
            }
            _ => own,
        }
    }

    /// Nothing of it counts any more.
    fn is_void(&self, now: Timestamp) -> bool {
        self.report.is_none() && now >= self.state.void_at(&self.quota)
    }
}

#[cfg(test)]
mod tests;
