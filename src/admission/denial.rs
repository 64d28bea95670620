//! Refusals that stay true: a key that is out of quota until T is refused without asking.
//!
//! A refused request consumes nothing, so what an object refused once it would refuse again until
//! T, or until something outstanding comes back; the object says how long ([`Outcome::remember`]).
//! Only requests of that cost or more are refused from memory, under the same quota; a cheaper one
//! asks, and so does a `distinct` value, unless it is the very value that was refused.
//!
//! When the time of a refusal is over, one request asks again and those behind it wait a moment for
//! what it learns ([`Denials::is_asked`]): in a flood they would all ask, and be refused.

use crate::limit::Quota;
use crate::map::Map;
use crate::time::{Span, Timestamp};
use crate::wire::{CounterKey, Item, Outcome};

/// The longest that anything is remembered, so that an operator's unblock takes hold.
pub const LONGEST: Span = Span::from_secs(10);
/// Keys remembered. At about 150 bytes each this is 1.2 MB at most.
const CAPACITY: usize = 8_192;

/// Keys known to be out of quota.
#[derive(Debug, Default)]
pub struct Denials {
    known: Map<CounterKey, Denial>,
    /// The latest `asked_until` of all.
    asked_until: Timestamp,
}

#[derive(Debug, Clone, Copy)]
struct Denial {
    until: Timestamp,
    readmit: Timestamp,
    cost: u64,
    value: Option<u64>,
    quota: Quota,
    outcome: Outcome,
    /// Its time is over, and a request that asks again is waited for until then.
    asked_until: Timestamp,
}

impl Denial {
    fn is_about(&self, item: &Item) -> bool {
        item.cost >= self.cost && item.value == self.value && item.quota == self.quota
    }
}

impl Denials {
    /// The refusal of `item` that is true now, if one is known: with what is left of its times.
    #[must_use]
    pub fn find(&self, item: &Item, now: Timestamp) -> Option<Outcome> {
        let denial = self.known.get(&item.key)?;
        if now >= denial.until || !denial.is_about(item) {
            return None;
        }
        let left = denial.readmit.saturating_since(now);
        Some(Outcome {
            retry_after: left,
            reset: left.min(denial.outcome.reset),
            remember: denial.until.saturating_since(now),
            ..denial.outcome
        })
    }

    /// Keeps a refusal. The object decided between `sent` and `received`: it is kept from the former
    /// and its end told from the latter, each the careful side.
    pub fn remember(
        &mut self,
        item: &Item,
        outcome: &Outcome,
        sent: Timestamp,
        received: Timestamp,
    ) {
        let span = outcome.remember.min(LONGEST);
        if outcome.conforms || span.is_zero() || outcome.retry_after == Span::MAX {
            return;
        }
        if self.known.len() >= CAPACITY && !self.known.contains_key(&item.key) {
            self.make_room(sent);
        }
        let denial = Denial {
            until: sent + span,
            readmit: received + outcome.retry_after,
            cost: item.cost,
            value: item.value,
            quota: item.quota,
            outcome: *outcome,
            asked_until: Timestamp::ZERO,
        };
        self.known.insert(item.key, denial);
    }

    /// No refusal is being asked about.
    #[must_use]
    pub fn nobody_asks(&self, now: Timestamp) -> bool {
        now >= self.asked_until
    }

    /// Whether another request is asking, as of `now`, if the refusal of `item` is over.
    #[must_use]
    pub fn is_asked(&self, item: &Item, now: Timestamp) -> bool {
        if self.nobody_asks(now) {
            return false;
        }
        let denial = self.known.get(&item.key);
        denial.is_some_and(|denial| {
            denial.until <= now && now < denial.asked_until && denial.is_about(item)
        })
    }

    /// A request asks whether the refusal of `item`, if there was one, is over; it is waited for until
    /// `until`. False where there was none.
    pub fn asks(&mut self, item: &Item, until: Timestamp) -> bool {
        if self.known.is_empty() {
            return false;
        }
        let denial = self.known.get_mut(&item.key);
        let Some(denial) = denial.filter(|denial| denial.is_about(item)) else {
            return false;
        };
        denial.asked_until = until;
        self.asked_until = self.asked_until.max(until);
        true
    }

    /// A request was admitted: the refusal is over. Where nothing is left, the next one asks alone.
    pub fn admitted(&mut self, item: &Item, outcome: &Outcome) {
        if self.known.is_empty() {
            return;
        }
        if outcome.remaining >= item.cost {
            self.known.remove(&item.key);
        } else if let Some(denial) = self.known.get_mut(&item.key) {
            denial.until = Timestamp::ZERO;
            denial.asked_until = Timestamp::ZERO;
        }
    }

    /// Forgets a key, for an operator has lifted its limit.
    pub fn forget(&mut self, key: &CounterKey) {
        if !self.known.is_empty() {
            self.known.remove(key);
        }
    }

    /// How many are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True where none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Drops what is over; where nothing is, everything: a flood of so many keys is refused by
    /// asking again, which costs calls but no correctness.
    fn make_room(&mut self, now: Timestamp) {
        self.known.retain(|_, denial| now < denial.until);
        if self.known.len() >= CAPACITY {
            self.known.clear();
        }
    }
}
