//! `on_error = "local"`: while a counter cannot be reached, this isolate keeps the quota itself.
//!
//! What that bounds is the quota times the number of isolates, and it starts from nothing each
//! time: it is a fuse, not a counter. The docs say so.

use super::Memory;
use super::plan::Settle;
use super::verdict::Verdict;
use crate::limit::{Decision, Loan, Quota, State};
use crate::map::Map;
use crate::time::{Span, Timestamp};
use crate::wire::{CounterKey, Item, Outcome};

/// Keys counted here. Beyond it new keys share the counter of their network, as in an object.
const CAPACITY: usize = 4_096;

/// The quotas that this isolate keeps.
#[derive(Debug, Default)]
pub struct LocalLimits {
    states: Map<CounterKey, (Quota, State)>,
}

/// What was charged here for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    key: CounterKey,
    loan: Loan,
    /// What the response decides about it, if anything.
    pub settle: Option<Settle>,
}

impl Memory {
    /// Gives back what was charged here for a request that came to nothing before the origin. What
    /// objects have charged is another matter: see [`Verdict::take_back`].
    pub fn forgive(&mut self, verdict: &Verdict, now: Timestamp) {
        for kept in &verdict.kept_here {
            self.local.give_back(kept, now);
        }
    }

    /// Gives back what was to be kept only if the response had another status. None: it never came,
    /// which decides nothing.
    pub fn settle_here(&mut self, verdict: &Verdict, status: Option<u16>, now: Timestamp) {
        for kept in &verdict.kept_here {
            if let (Some(Settle::Count(when)), Some(status)) = (&kept.settle, status)
                && !when.status.contains(&status)
            {
                self.local.give_back(kept, now);
            }
        }
    }
}

impl LocalLimits {
    /// Charges one item, or refuses it.
    pub fn charge(&mut self, item: &Item, now: Timestamp) -> (Outcome, Option<Kept>) {
        let key = self.place(item, now);
        let quota = item.quota;
        let (was, state) = self
            .states
            .get_or_insert_with(key, || (quota, State::new(&quota)));
        if *was != quota {
            let old = std::mem::replace(state, State::new(&quota));
            *state = old.requote(was, &quota, now);
            *was = quota;
        }
        let decision = state.check(&quota, now, item.cost, item.value);
        if decision == Decision::Conforms {
            state.spend(&quota, now, item.cost, item.value);
        }
        let retry_after = match decision {
            Decision::Conforms => Span::ZERO,
            Decision::NotUntil { wait, .. } => wait,
            Decision::Never => Span::MAX,
        };
        let loan = Loan {
            at: now,
            units: item.cost,
            value: item.value,
        };
        let kept = (decision == Decision::Conforms).then_some(Kept {
            key,
            loan,
            settle: None,
        });
        let outcome = Outcome {
            conforms: decision == Decision::Conforms,
            remaining: state.remaining(&quota, now),
            reset: state.next_gain(&quota, now).unwrap_or(Span::ZERO),
            retry_after,
            remember: Span::ZERO,
            provisional: false,
            blocked: false,
            permits: 0,
            lapse: Span::ZERO,
        };
        (outcome, kept)
    }

    fn give_back(&mut self, kept: &Kept, now: Timestamp) {
        if let Some((quota, state)) = self.states.get_mut(&kept.key) {
            state.unspend(quota, now, &kept.loan);
        }
    }

    /// Forgets a key: the operator's unblock.
    pub fn forget(&mut self, key: &CounterKey) {
        self.states.remove(key);
    }

    fn place(&mut self, item: &Item, now: Timestamp) -> CounterKey {
        if self.states.len() < CAPACITY || self.states.contains_key(&item.key) {
            return item.key;
        }
        self.states
            .retain(|_, (quota, state)| now < state.void_at(quota));
        if self.states.len() < CAPACITY {
            return item.key;
        }
        if !self.states.contains_key(&item.spill) {
            // The spill counters have to fit too: whoever is dropped starts anew.
            self.states.pop_first();
        }
        item.spill
    }
}

#[cfg(test)]
mod tests;
