//! What the operator wrote, checked: raw document in, [`Policy`] out, or every fault with its place.
//!
//! Nothing here knows a store or a clock. The checked types hold no strings that still have to be
//! parsed: evaluation at request time never re-parses.
//!
//! A document goes through three steps. [`node`] reads JSON and keeps what a value type would lose.
//! [`kind`] holds it against [`fields`], the one description of what may stand where. `build` makes
//! the checked types and reports what only shows where several fields are seen together. All faults
//! of all steps are collected.

mod build;
pub mod cost;
pub mod fault;
pub mod fields;
#[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
mod from_toml;
pub mod glob;
pub mod index;
pub mod key;
pub mod kind;
pub mod limit;
pub mod matcher;
mod near;
pub mod node;
mod reader;
#[cfg(not(target_arch = "wasm32"))]
pub mod reference;
pub mod rule;
#[cfg(not(target_arch = "wasm32"))]
pub mod schema;
mod syntax;
pub mod tier;
mod unit;
pub mod view;

pub use cost::Cost;
pub use fault::Fault;
#[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
pub use from_toml::node as node_from_toml;
pub use glob::Glob;
pub use key::{KeyPart, KeySource};
pub use limit::{CountWhen, Limit, Numbers, Precision, Scope, TierSource, TierUse};
pub use matcher::Matcher;
pub use node::Node;
pub use rule::{
    Action, Body, Concurrency, Cors, Deadline, OnError, RequestBounds, Respond, Rule, WebSocketSlot,
};
pub use view::RequestView;

use crate::time::Span;
use fault::{Faults, Place};

/// Reads and checks a policy in JSON.
///
/// # Errors
///
/// Every fault of the document, in the order of the document as far as that can be.
pub fn parse(text: &str) -> Result<Policy, Vec<Fault>> {
    let mut faults = Faults::default();
    let node = Node::read(text, &mut faults);
    finish(node.as_ref(), faults)
}

/// Checks a policy that was read from something else than JSON.
///
/// # Errors
///
/// As for [`parse`].
pub fn check(node: &Node) -> Result<Policy, Vec<Fault>> {
    finish(Some(node), Faults::default())
}

/// Reads JSON without holding it against anything.
///
/// # Errors
///
/// What makes it no document: bad JSON, names that stand twice, too much of it.
pub fn node_from_json(text: &str) -> Result<Node, Vec<Fault>> {
    let mut faults = Faults::default();
    match Node::read(text, &mut faults) {
        Some(node) if faults.is_empty() => Ok(node),
        _ => Err(faults.into_vec()),
    }
}

fn finish(node: Option<&Node>, mut faults: Faults) -> Result<Policy, Vec<Fault>> {
    let Some(node) = node else {
        return Err(faults.into_vec());
    };
    kind::Kind::Table(&fields::POLICY).check(node, &Place::default(), &mut faults);
    let policy = build::policy(node, &mut faults);
    if faults.is_empty() {
        Ok(policy)
    } else {
        Err(faults.into_vec())
    }
}

/// A checked policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Which quota fields answers carry, in this order.
    pub headers: Vec<Dialect>,
    /// Bits of an IPv6 address that make a client (default 64).
    pub ipv6_prefix: u8,
    /// The header that holds the client's address, lower case, where it is not the platform's own
    /// (`cf-connecting-ip`).
    pub client_ip_header: Option<String>,
    /// Policy-wide mode.
    pub mode: Mode,
    /// How long a counter is waited for (default 300 ms).
    pub counter_timeout: Span,
    /// How long a policy from KV is used before KV is asked again (default and least 30 s).
    pub policy_cache: Span,
    /// Number of shard objects for keys that a client can mint (default 64).
    pub shards: u32,
    /// Path prefix of Weir's own pages, without trailing slash (default `/_weir`).
    pub admin_path: String,
    /// The limit on CORS preflights, per address.
    pub preflight: Limit,
    /// Log keys in the clear (default false).
    pub log_key: bool,
    /// Where tiers come from, by index; limits refer to them.
    pub tiers: Vec<TierSource>,
    /// In the operator's order.
    pub rules: Vec<Rule>,
    /// Which rules a path could concern.
    pub index: index::Index,
    /// 64 bits of a hash of the whole document, in hex: shown in status and metrics.
    pub fingerprint: String,
}

/// A dialect of the quota fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `RateLimit` and `RateLimit-Policy`, draft revisions 8 to 10.
    Draft8,
    /// `RateLimit-Limit`, `-Remaining`, `-Reset`.
    Draft6,
    /// `X-RateLimit-Limit`, `-Remaining`, `-Reset`.
    XRateLimit,
}

/// What a rule does with its verdicts. Ordered: the more careful one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The rule does not exist.
    Off,
    /// Counted, measured and logged, never refused.
    Shadow,
    /// Refused.
    Enforce,
}

impl Mode {
    /// From the word that the operator writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Mode> {
        match text {
            "off" => Some(Mode::Off),
            "shadow" => Some(Mode::Shadow),
            "enforce" => Some(Mode::Enforce),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
