//! How to count: one file per algorithm, each a pure function of state, time and cost.
//!
//! Every algorithm keeps three kinds of units. *Spent* units were admitted at a known moment.
//! *Lent* units were too, but may yet be taken back: provisional charges. *Held* units are promised
//! to somebody who may spend them later, or not at all: leased permits, reservations, charges of
//! requests that still wait for something. A held unit counts as spent at the last moment at which
//! it could be spent, which is why [`State::settle`] takes the time: for a window the settled units
//! are stamped with it, and a bucket's level plus its held units never exceed the burst.
//!
//! What is promised: requests that were admitted because [`State::check`] said so never add up to
//! more than the quota, judged by the moments at which they were really admitted, whatever mix of
//! spending, holding, settling and giving back led there. How strictly "the quota" is to be read
//! differs: see each algorithm. All arithmetic is exact or rounds against the caller, and saturates.
//!
//! Time is the caller's, and never decreases; where it does, nothing is minted and nobody waits
//! longer than the step.

mod arith;
pub mod block;
mod codec;
mod counter;
mod distinct;
mod fixed_window;
mod requote;
mod sliding_counter;
mod sliding_window;
mod state;
mod token_bucket;

pub use block::Block;
pub use distinct::Distinct;
pub use fixed_window::FixedWindow;
pub use sliding_counter::SlidingCounter;
pub use sliding_window::SlidingWindow;
pub use state::State;
pub use token_bucket::TokenBucket;

use crate::time::{Span, Timestamp};

/// The most entries that a sliding window or a distinct counter keeps: 10,000 of 16 bytes each are
/// 160 kB, the most that one key may cost. `policy` refuses larger quotas for these two.
pub const MAX_ENTRIES: usize = 10_000;

/// Which way of counting a limit uses. The discriminants are wired and stored: never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Algorithm {
    /// GCRA (ITU-T I.371): `quota` tokens per `window`, `burst` capacity.
    TokenBucket = 1,
    /// Exact log: never more than `quota` units in any interval of `window`.
    SlidingWindow = 2,
    /// Two aligned buckets, the earlier one weighted: constant memory, approximate.
    SlidingCounter = 3,
    /// Windows aligned to UTC.
    FixedWindow = 4,
    /// The quota is on distinct values seen in any interval of `window`.
    Distinct = 5,
}

/// What is promised, in the form that the counting side needs. Checked by `policy`: none is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    /// How it is counted.
    pub algorithm: Algorithm,
    /// Units per window (the draft's `q` but for a bucket).
    pub limit: u64,
    /// The window.
    pub window: Span,
    /// Units that may come at once: a bucket's capacity, else equal to `limit`.
    pub burst: u64,
}

/// Units that were spent at a known moment and may be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loan {
    /// When they were spent.
    pub at: Timestamp,
    /// How many.
    pub units: u64,
    /// The hash of the value for [`Algorithm::Distinct`].
    pub value: Option<u64>,
}

/// The answer to "may `cost` units be spent now?". A refusal is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// They fit.
    Conforms,
    /// They do not fit yet.
    NotUntil {
        /// From now until they fit if nothing else happens and every held unit is settled as spent
        /// this instant. Units that stay held longer count as spent later: the caller knows when
        /// its holds end at the latest, and adds that.
        wait: Span,
        /// From now until they would fit even if every held and every lent unit were given back
        /// this instant. Zero means that only those stand in the way. Until then a refusal stays
        /// true.
        certain: Span,
    },
    /// They never fit: the cost is more than the burst of a bucket, or the limit of a window.
    Never,
}
