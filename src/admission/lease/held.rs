//! What an isolate holds for one key, and how fast that key spends.

use super::horizon;
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
            self.spent = 0;
            self.since = now;
        } else if now.saturating_since(self.since) > horizon {
            self.spent /= 2;
            self.since = now - Span::from_micros(horizon.as_micros() / 2);
        }
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
