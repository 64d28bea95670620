//! Permits that this isolate holds: requests of a busy key are admitted without asking its object.
//!
//! An object deducts permits when it hands them out, so whatever becomes of them here no quota is
//! exceeded: those that nobody spends in time count there as spent when they lapse. An isolate
//! therefore asks for no more than it is about to spend: nothing for the first request of a key,
//! then as many as the key spent lately over the life of a lease; for one that comes back after a
//! silence, as many as it spent before. One call at a time asks for them.
//!
//! A lease lapses here no later than there: the time runs from before the call was sent.

mod held;

use self::held::{Batch, Held};
use super::decide::Question;
use super::plan::Applied;
use super::tally::is_plain;
use crate::limit::Quota;
use crate::map::Map;
use crate::policy::{Cost, Policy, Precision};
use crate::time::{Span, Timestamp};
use crate::wire::{Call, CallId, CounterKey, Item, Outcome};

/// Keys watched. At about 250 bytes each this is 1 MB.
const CAPACITY: usize = 4_096;
/// Leases of one key held at once; more that arrive are left to lapse.
const MOST_BATCHES: usize = 4;
/// At first a key is given at most this many times what it has spent: it may be about to stop.
const GROWTH: u64 = 16;
/// What is less than this part of what is left, nobody misses if it lapses unspent.
const CRUMB_SHARE: u64 = 1_024;
/// Permits left over are worth a call when they are more than this part of what may come at once.
const WORTH_SHARE: u64 = 8;
/// For how long a key is known that has spent more than one unit and then fallen silent.
const REMEMBERED: Span = Span::from_secs(300);
/// Leases given back at once after a failure, at most.
const MOST_UNCLAIMED: usize = 64;
/// Keys looked at, each time an object is asked, for leases that are over or not used any more.
const SWEPT: usize = 4;

/// The permits that an isolate holds, and how fast their keys spend.
#[derive(Debug, Default)]
pub struct Leases {
    known: Map<CounterKey, Held>,
    swept_to: Option<CounterKey>,
    /// Leases whose answers came too late or never: nobody will spend them.
    unclaimed: Vec<Question>,
}

/// What was spent out of a lease, to be put back if the request is refused elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid {
    key: CounterKey,
    id: CallId,
    units: u64,
}

/// Where a lease comes from.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The call that brought it.
    pub id: CallId,
    /// The item's index in it.
    pub item: u32,
    /// When it was sent.
    pub sent: Timestamp,
    /// What the object said.
    pub outcome: &'a Outcome,
}

/// Whether a limit's units may come out of a lease.
#[must_use]
pub fn leasable(policy: &Policy, applied: &Applied) -> bool {
    let limit = applied.limit.of(policy);
    limit.is_some_and(|limit| {
        limit.precision == Precision::Leased && matches!(limit.cost, Cost::Fixed(_))
    }) && is_plain(&applied.item)
}

/// How long permits are asked for: what the object lets a lease live, or less.
fn horizon(quota: &Quota) -> Span {
    let share = Span::from_micros(quota.window.as_micros() / 16);
    share.clamp(Span::from_secs(1), Span::from_secs(10))
}

impl Leases {
    /// Could one lease that lives beyond `until` pay for this item?
    #[must_use]
    pub fn can_pay(&self, item: &Item, until: Timestamp) -> bool {
        self.known.get(&item.key).is_some_and(|held| {
            held.quota == item.quota
                && held
                    .batches
                    .iter()
                    .any(|batch| batch.pays(item.cost, until))
        })
    }

    /// Spends an item's units out of a lease that lives beyond `until`, the latest moment at which
    /// the request may be let through.
    pub fn pay(
        &mut self,
        item: &Item,
        now: Timestamp,
        until: Timestamp,
    ) -> Option<(Paid, Outcome)> {
        let held = self.known.get_mut(&item.key)?;
        if held.quota != item.quota {
            return None;
        }
        let batch = held
            .batches
            .iter_mut()
            .find(|batch| batch.pays(item.cost, until))?;
        batch.left = batch.left.saturating_sub(item.cost);
        let paid = Paid {
            key: item.key,
            id: batch.id,
            units: item.cost,
        };
        held.note(item, now);
        let grows_in = held.grows_at.saturating_since(now);
        let outcome = Outcome {
            conforms: true,
            remaining: held.remaining.saturating_add(held.left(now)),
            // What the object said is over: more is left than is known here.
            reset: grows_in.max(Span::from_micros(1)),
            ..Outcome::default()
        };
        Some((paid, outcome))
    }

    /// Another limit refused: what was spent is left again, unless it has lapsed.
    pub fn put_back(&mut self, paid: &[Paid]) {
        for paid in paid {
            let held = self.known.get_mut(&paid.key);
            let batches = held.into_iter().flat_map(|held| &mut held.batches);
            for batch in batches.filter(|batch| batch.id == paid.id) {
                batch.left = batch.left.saturating_add(paid.units).min(batch.granted);
            }
        }
    }

    /// How many permits to ask for beside the item itself; `patience` is how long the answer is
    /// waited for.
    pub fn want(&mut self, item: &Item, now: Timestamp, patience: Span) -> u64 {
        let Some(held) = self.known.get_mut(&item.key) else {
            return 0;
        };
        held.fade(&item.quota, now);
        held.batches.retain(|batch| batch.until > now);
        if held.asking_until > now || held.batches.len() >= MOST_BATCHES {
            return 0;
        }
        let wanted = if held.spent > 0 {
            held.at_this_rate(now)
        } else {
            held.before.saturating_sub(item.cost)
        };
        if wanted == 0 {
            return 0;
        }
        held.asking_until = now + patience;
        let generous = wanted.saturating_mul(2).max(GROWTH);
        wanted.max(generous.min(held.remaining / CRUMB_SHARE))
    }

    /// An object has admitted an item: takes up its lease, if it gave any, and learns what is left.
    /// Gives what is left with the permits held here.
    pub fn take_up(&mut self, applied: &Applied, grant: &Grant<'_>, now: Timestamp) -> u64 {
        let item = &applied.item;
        let outcome = grant.outcome;
        if !self.make_room(item.key, now) {
            return outcome.remaining;
        }
        let held = self
            .known
            .get_or_insert_with(item.key, || Held::new(&item.quota, now));
        if held.quota != item.quota {
            *held = Held::new(&item.quota, now);
        }
        held.note(item, now);
        held.remaining = outcome.remaining;
        held.grows_at = now + outcome.reset;
        held.batches
            .retain(|batch| batch.until > now && batch.left > 0);
        if outcome.permits > 0 {
            held.asking_until = Timestamp::ZERO;
        }
        if outcome.permits > 0 && held.batches.len() < MOST_BATCHES {
            held.batches.push(Batch {
                object: applied.object.clone(),
                hint: applied.hint.clone(),
                id: grant.id,
                item: grant.item,
                granted: outcome.permits,
                left: outcome.permits,
                until: grant.sent + outcome.lapse,
            });
        }
        outcome.remaining.saturating_add(held.left(now))
    }

    /// A question was not answered in time. Whatever permits it may have been given are not spent.
    /// Of a provisional charge, settling could end more than those.
    pub fn disclaim(&mut self, question: &Question) {
        let Call::Charge(charge) = &question.call else {
            return;
        };
        if charge.provisional.is_some() {
            return;
        }
        let mut spent = Vec::new();
        for (index, item) in (0_u32..).zip(&charge.items) {
            if item.permits > 0 {
                spent.push((index, 0));
            }
        }
        if !spent.is_empty() && self.unclaimed.len() < MOST_UNCLAIMED {
            self.unclaimed.push(Question {
                object: question.object.clone(),
                hint: question.hint.clone(),
                call: Call::Settle {
                    id: charge.id,
                    spent,
                },
                covers: Vec::new(),
            });
        }
    }

    /// Drops what is over, a few keys at a time, and gives back what is not used any more and worth
    /// a call, or was never claimed.
    pub fn sweep(&mut self, now: Timestamp) -> Vec<Question> {
        let mut back = std::mem::take(&mut self.unclaimed);
        let is_quiet = |held: &Held| held.is_quiet(now);
        for key in self.known.sweep(&mut self.swept_to, SWEPT, is_quiet) {
            let Some(held) = self.known.get_mut(&key) else {
                continue;
            };
            held.batches.retain(|batch| batch.until > now);
            let worth = held.quota.burst / WORTH_SHARE;
            for batch in held.batches.extract_if(.., |batch| batch.left > worth) {
                back.push(batch.give_back());
            }
            let known_for = if held.was_busy() {
                REMEMBERED
            } else {
                horizon(&held.quota)
            };
            if held.batches.is_empty() && now.saturating_since(held.used) > known_for {
                self.known.remove(&key);
            }
        }
        back
    }

    /// Keys watched.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// True where none is watched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn make_room(&mut self, key: CounterKey, now: Timestamp) -> bool {
        if self.known.len() < CAPACITY || self.known.contains_key(&key) {
            return true;
        }
        let holds_none = |held: &Held| held.left(now) == 0;
        for key in self.known.sweep(&mut self.swept_to, SWEPT, holds_none) {
            self.known.remove(&key);
        }
        self.known.len() < CAPACITY
    }
}

#[cfg(test)]
mod tests;
