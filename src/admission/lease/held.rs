//! What an isolate holds for one key, and how fast that key spends.

use super::{GROWTH, horizon};
use crate::admission::decide::Question;
use crate::limit::Quota;
use crate::time::{Span, Timestamp};
use crate::wire::{Call, CallId, Item};

#[derive(Debug)]
pub(super) struct Held {
    pub(super) quota: Quota,
    pub(super) batches: Vec<Batch>,
    /// Units spent since `since`, halved as time goes by.
    pub(super) spent: u64,
    pub(super) since: Timestamp,
    /// What `spent` was when the key last fell silent.
    pub(super) before: u64,
    pub(super) used: Timestamp,
    /// A call that asks for permits is under way until then at most.
    pub(super) asking_until: Timestamp,
    /// What the object said last: units left besides permits, and when they grow.
    pub(super) remaining: u64,
    pub(super) grows_at: Timestamp,
}

#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) object: String,
    pub(super) hint: String,
    pub(super) id: CallId,
    pub(super) item: u32,
    pub(super) granted: u64,
    pub(super) left: u64,
    pub(super) until: Timestamp,
}

impl Held {
    pub(super) fn new(quota: &Quota, now: Timestamp) -> Held {
        Held {
            quota: *quota,
            batches: Vec::new(),
            spent: 0,
            since: now,
            before: 0,
            used: now,
            asking_until: Timestamp::ZERO,
            remaining: 0,
            grows_at: now,
        }
    }

    pub(super) fn note(&mut self, item: &Item, now: Timestamp) {
        self.fade(&item.quota, now);
        self.spent = self.spent.saturating_add(item.cost);
        self.used = self.used.max(now);
    }

    /// What was spent longer ago than a lease lives weighs half, and nothing after a silence.
    pub(super) fn fade(&mut self, quota: &Quota, now: Timestamp) {
        let horizon = horizon(quota);
        if now.saturating_since(self.used) > horizon {
            if self.spent > 0 {
                self.before = self.spent;
            }
            self.spent = 0;
            self.since = now;
        } else if now.saturating_since(self.since) > horizon {
            self.spent /= 2;
            self.since = now - Span::from_micros(horizon.as_micros() / 2);
        }
    }

    /// What it is about to spend over the life of a lease, if it goes on as it did lately.
    pub(super) fn at_this_rate(&self, now: Timestamp) -> u64 {
        let horizon = horizon(&self.quota).as_micros();
        let elapsed = now.saturating_since(self.since).as_micros();
        let at_this_rate = u128::from(self.spent)
            .saturating_mul(u128::from(horizon))
            .checked_div(u128::from(elapsed.max(horizon / 16)))
            .unwrap_or(0);
        let at_this_rate = u64::try_from(at_this_rate).unwrap_or(u64::MAX);
        at_this_rate.min(self.spent.saturating_mul(GROWTH))
    }

    /// It is worth remembering: there is something to ask for when it comes back.
    pub(super) fn was_busy(&self) -> bool {
        self.spent.max(self.before) > 1
    }

    /// It has asked for nothing for half the life of a lease.
    pub(super) fn is_quiet(&self, now: Timestamp) -> bool {
        let quiet = now.saturating_since(self.used);
        quiet + quiet >= horizon(&self.quota)
    }

    pub(super) fn left(&self, now: Timestamp) -> u64 {
        let live = self.batches.iter().filter(|batch| batch.until > now);
        live.fold(0, |sum, batch| sum.saturating_add(batch.left))
    }
}

impl Batch {
    pub(super) fn pays(&self, units: u64, now: Timestamp) -> bool {
        self.until > now && self.left >= units
    }

    pub(super) fn give_back(self) -> Question {
        let spent = self.granted.saturating_sub(self.left);
        Question {
            object: self.object,
            hint: self.hint,
            call: Call::Settle {
                id: self.id,
                spent: vec![(self.item, spent)],
            },
            covers: Vec::new(),
        }
    }
}
