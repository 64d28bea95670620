//! Charging several counters, all or none.

use super::Ledger;
use super::counter::Counter;
use super::look::{catch_up, look};
use super::recent::Past;
use super::store::{Store, Urgency};
use super::table::{MAX_COUNTERS, MAX_SPILLED};
use super::verdict::stay_blocked;
use crate::limit::Loan;
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Charge, Charged, CounterKey, Item, MAX_ITEMS, Outcome};

/// What a caller is told where an object holds so many promises that it has no room at all.
const NO_ROOM: Outcome = Outcome {
    conforms: false,
    remaining: 0,
    reset: Span::ZERO,
    retry_after: Span::from_secs(1),
    remember: Span::ZERO,
    provisional: false,
    blocked: false,
    permits: 0,
    lapse: Span::ZERO,
};

/// What a charge spent for good, for whoever may give it back.
#[derive(Clone, Debug, Default)]
pub struct Spent(pub(super) Vec<(CounterKey, Loan)>);

impl<S: Store> Ledger<S> {
    pub(super) fn charge(&mut self, charge: &Charge, lag: Span) -> Answer {
        match self.recent.recall(charge.id, self.now) {
            Some(Some(charged)) => return Answer::Charged(charged),
            // Its refund has overtaken it. Nobody waits for the answer.
            Some(None) => return self.peek(charge, lag),
            None => {}
        }
        let Some((charged, Spent(spent))) = self.charge_new(charge, lag) else {
            return Answer::Unintelligible;
        };
        let past = Past::Charged {
            charged: Charged {
                rows: 0,
                faults: 0,
                ..charged.clone()
            },
            spent,
        };
        self.recent.insert(charge.id, past, self.now);
        Answer::Charged(charged)
    }

    /// Charges for a caller that repeats no call: it need not be remembered.
    pub fn charge_once(&mut self, charge: &Charge, now: Timestamp) -> Option<(Charged, Spent)> {
        let lag = self.advance(now);
        self.charge_new(charge, lag)
    }

    /// None of more items than one call may have.
    fn charge_new(&mut self, charge: &Charge, lag: Span) -> Option<(Charged, Spent)> {
        if charge.items.len() > MAX_ITEMS {
            return None;
        }
        let keys: Vec<_> = charge
            .items
            .iter()
            .map(|item| self.open_counter(item))
            .collect();
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(keys.len());
        for (place, (item, key)) in charge.items.iter().zip(&keys).enumerate() {
            if let Some(ago) = item.taken {
                outcomes.push(self.enter(item, *key, ago));
                continue;
            }
            let before = cost_before(&charge.items, &keys, place);
            outcomes.push(self.judge(item, *key, before));
        }
        let mut refused = charge.items.iter().zip(&outcomes);
        let admitted = !refused.any(|(item, outcome)| item.enforce && !outcome.conforms);
        let mut spent = Vec::new();
        if admitted {
            let entries = charge.items.iter().zip(&keys).zip(&mut outcomes);
            for (place, ((item, key), outcome)) in (0_u32..).zip(entries) {
                if let Some(key) = *key
                    && outcome.conforms
                    && item.taken.is_none()
                {
                    spent.extend(self.take(charge, place, item, key, outcome));
                }
            }
        }
        outcomes
            .iter_mut()
            .for_each(|outcome| catch_up(outcome, lag));
        let mut charged = Charged {
            admitted,
            outcomes,
            rows: 0,
            faults: 0,
        };
        (charged.rows, charged.faults) = self.storage_since_last_answer();
        Some((charged, Spent(spent)))
    }

    /// The counter that the item is counted under, in memory and under the item's quota. None where
    /// there is no room for any.
    fn open_counter(&mut self, item: &Item) -> Option<CounterKey> {
        let key = if self.bring_in(item.key, item, MAX_COUNTERS) {
            item.key
        } else if self.bring_in(item.spill, item, MAX_COUNTERS.saturating_add(MAX_SPILLED))
            || self.table.force_room() && self.bring_in(item.spill, item, usize::MAX)
        {
            item.spill
        } else {
            return None;
        };
        let counter = self.table.touch(key)?;
        counter.requote(&item.quota, self.now);
        counter.state.trim(&item.quota, self.now);
        if !item.block.is_empty() {
            counter.longest_step = item.block.iter().max().copied().unwrap_or_default();
        }
        Some(key)
    }

    fn bring_in(&mut self, key: CounterKey, item: &Item, most: usize) -> bool {
        if self.table.get(key).is_some() {
            return true;
        }
        if !self.table.make_room(most, self.now) {
            return false;
        }
        let counter = self
            .shelf
            .fetch(key, self.now)
            .unwrap_or_else(|| Counter::new(item.quota));
        self.table.insert(key, counter);
        true
    }

    /// Counts units that have been let through already, and says what one more would find.
    fn enter(&mut self, item: &Item, key: Option<CounterKey>, ago: Span) -> Outcome {
        let Some((key, counter)) = key.and_then(|key| Some((key, self.table.get_mut(key)?))) else {
            return NO_ROOM;
        };
        counter.spend(self.now - ago, item.cost, item.value);
        self.shelf.schedule(key, counter, self.now);
        let one = Item {
            cost: 1,
            ..item.clone()
        };
        look(counter, &one, 0, self.now).0
    }

    /// One counter's verdict, and the start of a block where it is exceeded.
    fn judge(&mut self, item: &Item, key: Option<CounterKey>, before: u64) -> Outcome {
        let Some((key, counter)) = key.and_then(|key| Some((key, self.table.get_mut(key)?))) else {
            return NO_ROOM;
        };
        let (mut outcome, violation) = look(counter, item, before, self.now);
        if violation && let Some(length) = counter.block.on_refusal(self.now, &item.block) {
            stay_blocked(&mut outcome, length);
            // A block must not be forgotten, however the object ends.
            counter.restate = true;
            self.shelf
                .save(key, counter, self.now, Urgency::BeforeAnswer);
        }
        outcome
    }
}

/// What earlier items of the same call would take from the same counter.
fn cost_before(items: &[Item], keys: &[Option<CounterKey>], place: usize) -> u64 {
    let key = keys.get(place).copied().flatten();
    let earlier = items
        .iter()
        .zip(keys)
        .take(place)
        .filter(|(_, other)| **other == key);
    earlier.fold(0, |sum, (item, _)| sum.saturating_add(item.cost))
}
