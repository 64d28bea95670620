//! One request against the rules: which limits apply, what this isolate already knows, what to ask
//! of which object, and the verdict.
//!
//! A request goes through here in three strides, all pure:
//!
//! 1. [`plan::plan`]: the matching rules become a [`plan::Plan`], a flat list of charges with the
//!    names of their objects and counters;
//! 2. [`Memory::begin`]: what the isolate remembers (denials, objects known to fail) decides, or
//!    says which objects to ask what;
//! 3. [`Memory::conclude`]: the answers become a [`verdict::Verdict`] and what has to be told to
//!    objects afterwards.
//!
//! [`Memory`] is all that an isolate keeps between requests. It is plain data: a request may end at
//! any await without leaving it inconsistent.

pub mod body;
pub mod breaker;
pub mod decide;
pub mod denial;
pub mod described;
pub mod facts;
pub mod guard;
mod jitter;
pub mod keys;
pub mod lease;
pub mod live;
pub mod local;
pub mod plan;
pub mod preflight;
pub mod quotas;
pub mod refusals;
pub mod region;
pub mod second;
pub mod settle;
pub mod slots;
pub mod tally;
pub mod tiers;
pub mod verdict;
#[cfg(test)]
mod visits;

pub use decide::{Begin, Conclusion, Question, Reply};
pub use facts::Facts;
pub use plan::Plan;
pub use verdict::Verdict;

use crate::wire::CallId;

/// What an isolate remembers between requests, bounded in every part.
#[derive(Debug)]
pub struct Memory {
    /// Keys known to be out of quota.
    pub denials: denial::Denials,
    /// Permits held for busy keys.
    pub leases: lease::Leases,
    /// What was let through without asking, and not all of it told yet.
    pub tallies: tally::Tallies,
    /// Objects known to fail.
    pub breakers: breaker::Breakers,
    /// Quotas kept here while their object cannot be reached (`on_error = "local"`).
    pub local: local::LocalLimits,
    /// Slots kept here while theirs cannot be reached.
    pub local_slots: slots::LocalSlots,
    /// Callers' tiers.
    pub tiers: tiers::Tiers,
    ids: u64,
}

impl Memory {
    /// An empty memory. `seed` makes the ids of this isolate's calls differ from others': random.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Memory {
            denials: denial::Denials::default(),
            leases: lease::Leases::default(),
            tallies: tally::Tallies::default(),
            breakers: breaker::Breakers::default(),
            local: local::LocalLimits::default(),
            local_slots: slots::LocalSlots::default(),
            tiers: tiers::Tiers::default(),
            ids: seed,
        }
    }

    /// A fresh id, by SplitMix64 (Steele, Lea, Flood 2014): a permutation of a counter, so that one
    /// isolate repeats none and two isolates collide as rarely as random numbers do.
    pub fn next_id(&mut self) -> CallId {
        self.ids = self.ids.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.ids;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        CallId(z ^ (z >> 31))
    }
}
