//! What happened, summed up: it costs a request a few additions.
//!
//! An isolate adds up outcomes in its [`Sums`], under indices into the policy. Every few seconds,
//! behind a response, they become a report: lines of text. A few objects add the reports of all
//! isolates up and keep them; their sums together are the [`Totals`] from which metrics and the
//! console are written. Everything that
//! can grow has a bound, and keys are known by their hashes only.

mod events;
mod exposition;
mod outcome;
mod ring;
mod sums;
mod totals;

pub use events::Events;
pub use exposition::{gauge, sample};
pub use outcome::Outcome;
pub use sums::{End, Network, Source, Sums};
pub use totals::{SlotSeen, Totals};
