//! Charging several counters, all or none.

use super::Ledger;
use super::counter::{Counter, Hold, HoldName};
use super::promises::Promise;
use super::recent::Past;
use super::store::{Store, Urgency};
use super::table::{MAX_COUNTERS, MAX_SPILLED};
use super::verdict::{Ask, View, stay_blocked, verdict};
use crate::limit::{Algorithm, Block};
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Charge, Charged, CounterKey, Item, MAX_ITEMS, Outcome};

/// A lease takes at most this part of what is left.
const LEASED_SHARE: u64 = 8;

/// A lease lapses after this part of the window, within the two bounds.
const LAPSE_SHARE: u64 = 16;
const LEAST_LAPSE: Span = Span::from_secs(1);
const MOST_LAPSE: Span = Span::from_secs(10);

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

impl<S: Store> Ledger<S> {
    pub(super) fn charge(&mut self, charge: &Charge, lag: Span) -> Answer {
        if charge.items.len() > MAX_ITEMS {
            return Answer::Unintelligible;
        }
        match self.recent.recall(charge.id, self.now) {
            Some(Past::Charged(charged)) => return Answer::Charged(charged),
            // Its refund has overtaken it. Nobody waits for the answer.
            Some(Past::Refunded) => return self.peek(charge, lag),
            None => {}
        }
        let keys: Vec<_> = charge
            .items
            .iter()
            .map(|item| self.open_counter(item))
            .collect();
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(keys.len());
        for (place, (item, key)) in charge.items.iter().zip(&keys).enumerate() {
            let before = cost_before(&charge.items, &keys, place);
            outcomes.push(self.judge(item, *key, before));
        }
        let mut refused = charge.items.iter().zip(&outcomes);
        let admitted = !refused.any(|(item, outcome)| item.enforce && !outcome.conforms);
        if admitted {
            let entries = charge.items.iter().zip(&keys).zip(&mut outcomes);
            for (place, ((item, key), outcome)) in (0_u32..).zip(entries) {
                if let Some(key) = *key
                    && outcome.conforms
                {
                    self.take(charge, place, item, key, outcome);
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
        };
        self.recent
            .insert(charge.id, Past::Charged(charged.clone()), self.now);
        charged.rows = self.rows_since_last_answer();
        Answer::Charged(charged)
    }

    /// What a charge would find; changes nothing.
    pub(super) fn peek(&mut self, charge: &Charge, lag: Span) -> Answer {
        if charge.items.len() > MAX_ITEMS {
            return Answer::Unintelligible;
        }
        let full = self.table.len() >= MAX_COUNTERS;
        let mut outcomes = Vec::with_capacity(charge.items.len());
        for item in &charge.items {
            let fetched = if self.table.get(item.key).is_some() {
                None
            } else {
                self.shelf.fetch(item.key)
            };
            let key = if full && fetched.is_none() {
                item.spill
            } else {
                item.key
            };
            let known = self
                .table
                .get(item.key)
                .or(fetched.as_ref())
                .or(self.table.get(key));
            let fresh = Counter::new(item.quota);
            let mut outcome = look(known.unwrap_or(&fresh), item, 0, self.now).0;
            catch_up(&mut outcome, lag);
            outcomes.push(outcome);
        }
        let mut refused = charge.items.iter().zip(&outcomes);
        let admitted = !refused.any(|(item, outcome)| item.enforce && !outcome.conforms);
        Answer::Charged(Charged {
            admitted,
            outcomes,
            rows: self.rows_since_last_answer(),
        })
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
            .fetch(key)
            .unwrap_or_else(|| Counter::new(item.quota));
        self.table.insert(key, counter);
        true
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

    /// Takes an item's units, and its permits.
    fn take(
        &mut self,
        charge: &Charge,
        place: u32,
        item: &Item,
        key: CounterKey,
        outcome: &mut Outcome,
    ) {
        let now = self.now;
        let Some(counter) = self.table.get_mut(key) else {
            return;
        };
        let name = |until, lease| HoldName {
            until,
            id: charge.id,
            item: place,
            lease,
        };
        let provisional_until = charge.provisional.map_or(now, |span| now + span);
        match item.reserve.or(charge.provisional) {
            Some(span) if self.promises.have_room() => {
                let name = name(now + span, false);
                let hold = Hold {
                    units: item.cost,
                    value: item.value,
                    provisional_until,
                };
                counter.hold(now, name, hold);
                let settles = item.reserve.is_some();
                self.promises.insert(Promise {
                    name,
                    key,
                    units: item.cost,
                    settles,
                });
            }
            _ => counter.spend(now, item.cost, item.value),
        }
        outcome.remaining = counter.state.remaining(&item.quota, now);
        let permits = permits(item, outcome.remaining);
        if permits > 0 && self.promises.have_room() {
            let name = name(now + lapse(&item.quota.window), true);
            counter.hold(
                now,
                name,
                Hold {
                    units: permits,
                    value: None,
                    provisional_until,
                },
            );
            self.promises.insert(Promise {
                name,
                key,
                units: permits,
                settles: true,
            });
            outcome.permits = permits;
            // What is left besides them: the caller adds those that it still holds.
            outcome.remaining = counter.state.remaining(&item.quota, now);
            outcome.lapse = name.until.saturating_since(now);
        }
        outcome.reset = counter
            .state
            .next_gain(&item.quota, now)
            .unwrap_or_default();
        if item.durable {
            self.shelf.save(key, counter, now, Urgency::BeforeAnswer);
        } else {
            self.shelf.schedule(key, counter, now);
        }
    }
}

fn look(counter: &Counter, item: &Item, before: u64, now: Timestamp) -> (Outcome, bool) {
    // What is only known afterwards needs some room to start with.
    let least = u64::from(item.reserve.is_some());
    let ask = Ask {
        quota: item.quota,
        cost: item.cost.max(least).saturating_add(before),
        value: item.value,
    };
    let state = counter.under(&item.quota, now);
    // A limit that has lost its block no longer blocks.
    let block = if item.block.is_empty() {
        Block::default()
    } else {
        counter.block
    };
    verdict(
        &View {
            state: &state,
            block,
            holds: &counter.holds,
        },
        &ask,
        now,
    )
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

/// Distinct values cannot be leased: which they are is only known with the request. Under a `block`
/// a refusal has consequences, so it must not come from permits that are out elsewhere.
fn permits(item: &Item, remaining: u64) -> u64 {
    if item.quota.algorithm == Algorithm::Distinct || !item.block.is_empty() {
        return 0;
    }
    item.permits.min(remaining / LEASED_SHARE)
}

fn lapse(window: &Span) -> Span {
    let share = Span::from_micros(window.as_micros() / LAPSE_SHARE);
    share.clamp(LEAST_LAPSE, MOST_LAPSE)
}

/// The caller's clock has to catch up with the ledger's before waiting counts.
fn catch_up(outcome: &mut Outcome, lag: Span) {
    if !outcome.conforms {
        outcome.retry_after = outcome.retry_after + lag;
    }
}
