//! Calls that are over, remembered briefly: messages may be repeated, and overtake each other.

use std::collections::VecDeque;

use crate::map::Map;
use crate::time::{Span, Timestamp};
use crate::wire::{Acquired, CallId};

/// How long an answer is remembered: longer than any Worker goes on trying the same call.
pub(super) const REMEMBER: Span = Span::from_secs(10);

/// How many answers are remembered; beyond, the oldest are forgotten early.
pub(super) const MAX_REMEMBERED: usize = 4_096;

/// The final answers of calls that no longer hold or want anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    answers: Map<CallId, (Timestamp, Acquired)>,
    order: VecDeque<(Timestamp, CallId)>,
}

impl Past {
    /// Remembers how a call ended. The first answer stays.
    pub fn remember(&mut self, id: CallId, answer: Acquired, now: Timestamp) {
        self.forget_old(now);
        if self.answers.contains_key(&id) {
            return;
        }
        if self.order.len() >= MAX_REMEMBERED {
            self.forget_oldest();
        }
        let until = now + REMEMBER;
        self.answers.insert(id, (until, answer));
        self.order.push_back((until, id));
    }

    /// The answer that this call had.
    pub fn recall(&self, id: CallId, now: Timestamp) -> Option<Acquired> {
        let (until, answer) = self.answers.get(&id)?;
        (now < *until).then(|| answer.clone())
    }

    fn forget_old(&mut self, now: Timestamp) {
        while self.order.front().is_some_and(|(until, _)| *until <= now) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, id)) = self.order.pop_front() {
            self.answers.remove(&id);
        }
    }
}
