//! Calls that were answered lately, so that a repeated one is answered again and not carried out.

use std::collections::VecDeque;

use crate::limit::Loan;
use crate::map::Map;
use crate::time::{Span, Timestamp};
use crate::wire::{CallId, Charged, CounterKey};

/// A Worker repeats a call within its counter timeout, or not at all.
const KEPT: Span = Span::from_secs(5);

/// Bounds memory: a few hundred bytes each. Beyond, the oldest is forgotten first.
const MOST: usize = 8_192;

#[derive(Clone, Debug)]
pub(super) enum Past {
    /// Answered so.
    Charged {
        /// The answer.
        charged: Charged,
        /// What was spent for good, at once or by silence, until a refund gives it back.
        spent: Vec<(CounterKey, Loan)>,
    },
    /// Refunded before the charge arrived: it must not be carried out any more.
    Refunded,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    by_id: Map<CallId, (Timestamp, Past)>,
    by_age: VecDeque<(Timestamp, CallId)>,
}

impl Recent {
    /// What the call spent for good, once; None where the call is not known.
    pub fn take_spent(&mut self, id: CallId) -> Option<Vec<(CounterKey, Loan)>> {
        match self.by_id.get_mut(&id)? {
            (_, Past::Charged { spent, .. }) => Some(std::mem::take(spent)),
            (_, Past::Refunded) => Some(Vec::new()),
        }
    }

    /// Silence has confirmed what the call was lent; its refund may come all the same: an object
    /// with more to do than it can is told later than it was waited for. Gives how long that is waited
    /// for; None where the call is not known any more.
    pub fn keep(&mut self, id: CallId, key: CounterKey, loan: Loan) -> Option<Timestamp> {
        let (at, past) = self.by_id.get_mut(&id)?;
        if let Past::Charged { spent, .. } = past {
            spent.push((key, loan));
        }
        Some(*at + KEPT)
    }

    /// What was answered; `Some(None)` where it must not be carried out. The spans of the answer run from when it was given: whoever repeats
    /// a call counts them from the repetition, so they are told as what is left of them.
    pub fn recall(&self, id: CallId, now: Timestamp) -> Option<Option<Charged>> {
        let (at, past) = self.by_id.get(&id)?;
        let Past::Charged { charged, .. } = past else {
            return Some(None);
        };
        let mut charged = charged.clone();
        let age = now.saturating_since(*at);
        for outcome in &mut charged.outcomes {
            let spans = [
                &mut outcome.lapse,
                &mut outcome.remember,
                &mut outcome.retry_after,
                &mut outcome.reset,
            ];
            for span in spans {
                if *span != Span::MAX {
                    *span = *span - age;
                }
            }
        }
        Some(Some(charged))
    }

    /// Keeps the answer at least until the call's own promises have ended, within the bound.
    pub fn insert(&mut self, id: CallId, past: Past, now: Timestamp) {
        if self.by_id.insert(id, (now, past)).is_none() {
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
