//! Calls that were answered lately, so that a repeated one is answered again and not carried out.

use std::collections::{BTreeMap, VecDeque};

use crate::time::{Span, Timestamp};
use crate::wire::{CallId, Charged};

/// A Worker repeats a call within its counter timeout, or not at all.
const KEPT: Span = Span::from_secs(5);

/// Bounds memory: a few hundred bytes each. Beyond, the oldest is forgotten first.
const MOST: usize = 8_192;

#[derive(Clone, Debug)]
pub(super) enum Past {
    /// Answered so.
    Charged(Charged),
    /// Refunded before the charge arrived: it must not be carried out any more.
    Refunded,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    by_id: BTreeMap<CallId, Past>,
    by_age: VecDeque<(Timestamp, CallId)>,
}

impl Recent {
    pub fn get(&self, id: CallId) -> Option<&Past> {
        self.by_id.get(&id)
    }

    /// Keeps the answer at least until the call's own promises have ended, within the bound.
    pub fn insert(&mut self, id: CallId, past: Past, now: Timestamp) {
        if self.by_id.insert(id, past).is_none() {
            self.by_age.push_back((now + KEPT, id));
        }
        while self.by_age.len() > MOST {
            self.forget_oldest();
        }
    }

    pub fn expire(&mut self, now: Timestamp) {
        while self.by_age.front().is_some_and(|(until, _)| *until <= now) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, id)) = self.by_age.pop_front() {
            self.by_id.remove(&id);
        }
    }
}
