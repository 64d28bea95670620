//! What a charge would find, without making it.

use super::Ledger;
use super::counter::Counter;
use super::store::Store;
use super::table::MAX_COUNTERS;
use super::verdict::{Ask, View, verdict};
use crate::limit::Block;
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Charge, Charged, Item, MAX_ITEMS, Outcome};

impl<S: Store> Ledger<S> {
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
                self.shelf.fetch(item.key, self.now)
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
        let (rows, faults) = self.storage_since_last_answer();
        Answer::Charged(Charged {
            admitted,
            outcomes,
            rows,
            faults,
        })
    }
}

/// What a counter says to an item before which as many units are asked of it. The second part is
/// true for a violation in the sense of `block`.
pub(super) fn look(counter: &Counter, item: &Item, before: u64, now: Timestamp) -> (Outcome, bool) {
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
            returnable: counter.returnable_until > now,
        },
        &ask,
        now,
    )
}

/// The caller's clock has to catch up with the ledger's before waiting counts.
pub(super) fn catch_up(outcome: &mut Outcome, lag: Span) {
    if !outcome.conforms {
        outcome.retry_after = outcome.retry_after + lag;
    }
}
