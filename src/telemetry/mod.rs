//! What happened, summed up: it costs a request a few additions.
//!
//! An isolate adds up outcomes in its [`Sums`], under indices into the policy. Every few seconds,
//! behind a response, they become a report: lines of text. One object merges the reports of
//! all isolates into [`Totals`], from which metrics and the console are written. Everything that
//! can grow has a bound, and keys are known by their hashes only.

mod exposition;
mod outcome;
mod ring;
mod sums;
mod totals;

pub use exposition::{gauge, sample};
pub use outcome::Outcome;
pub use sums::{End, Source, Sums};
pub use totals::{SlotSeen, Totals};
