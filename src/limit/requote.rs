//! What a changed policy makes of a counter: nothing that was counted is forgotten.

use super::{Algorithm, Quota, State};
use crate::time::Timestamp;

impl State {
    /// The same counts under another quota, window or algorithm.
    ///
    /// Held units stay held. A log keeps its entries and a bucket its units; where windows do not
    /// match, and between algorithms, what weighs on the key now counts as spent now. So a raised
    /// quota helps at once, and a shortened window readmits within the new one. Requests and
    /// distinct values are different things: from one to the other a counter starts afresh.
    #[must_use]
    pub fn requote(self, from: &Quota, to: &Quota, now: Timestamp) -> State {
        let same_window = from.window == to.window;
        match (self, to.algorithm) {
            (State::TokenBucket(bucket), Algorithm::TokenBucket) => {
                State::TokenBucket(bucket.requote(from, to, now))
            }
            (state @ State::SlidingWindow(_), Algorithm::SlidingWindow)
            | (state @ State::Distinct(_), Algorithm::Distinct) => state,
            (state @ State::SlidingCounter(_), Algorithm::SlidingCounter)
            | (state @ State::FixedWindow(_), Algorithm::FixedWindow)
                if same_window =>
            {
                state
            }
            (State::Distinct(_), _) | (_, Algorithm::Distinct) => State::new(to),
            (state, _) => {
                let (weight, held) = (state.weight(from, now), state.held());
                let mut state = State::new(to);
                state.counter_mut().carry(to, now, weight);
                state.hold(to, now, held, None);
                state
            }
        }
    }
}

#[cfg(test)]
mod tests;
