//! Where policies come from, and what came from there.

use std::rc::Rc;

use crate::policy::{Fault, Policy};
use crate::time::Timestamp;

/// Where a policy came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The variable `POLICY`.
    Variable,
    /// `policy` in KV.
    Kv,
    /// `policy:previous` in KV.
    Previous,
}

impl Source {
    /// As an operator knows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Source::Variable => "POLICY",
            Source::Kv => "POLICY_KV policy",
            Source::Previous => "POLICY_KV policy:previous",
        }
    }
}

/// A policy in force.
#[derive(Clone, Debug)]
pub struct InForce {
    /// The policy.
    pub policy: Rc<Policy>,
    /// Where it came from.
    pub source: Source,
    /// When this isolate loaded it.
    pub loaded_at: Timestamp,
}

/// A document that did not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Where it came from.
    pub source: Source,
    /// Its first fault.
    pub fault: Fault,
    /// How many more it has.
    pub more: usize,
}

/// What a read of KV gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// The document.
    Text(String),
    /// More bytes than it may have; it was not fetched whole.
    TooLarge,
    /// KV has none.
    Absent,
    /// KV did not answer, or not in time.
    Failed,
}
