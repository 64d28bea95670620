//! One quota, checked.

use super::cost::Cost;
use super::key::KeyPart;
use crate::limit::Algorithm;
use crate::time::Span;

/// One quota.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Unique within the rule.
    pub name: String,
    /// `rule.limit`: the policy name that headers, metrics and logs show.
    pub policy_name: String,
    /// What partitions the quota; empty: one counter for everybody.
    pub key: Vec<KeyPart>,
    /// How it is counted.
    pub algorithm: Algorithm,
    /// Numbers when no tier says otherwise; None where every tier must be named in `quotas`.
    pub quota: Numbers,
    /// What one request takes.
    pub cost: Cost,
    /// Keep the unit only when the response matches.
    pub count: Option<CountWhen>,
    /// The quota is on distinct values of this part.
    pub distinct: Option<KeyPart>,
    /// Refusal periods once exceeded, in order of escalation; empty: none.
    pub block: Vec<Span>,
    /// Most that is added to Retry-After.
    pub jitter: Span,
    /// Quota by plan.
    pub tier: Option<TierUse>,
    /// How often the counter is asked.
    pub precision: Precision,
    /// Where the counter lives.
    pub scope: Scope,
}

/// The numbers of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Units per window.
    pub quota: u64,
    /// The window.
    pub window: Span,
    /// Units at once (a bucket's capacity; else equal to `quota`).
    pub burst: u64,
}

/// `tier` and `quotas` of a limit.
#[derive(Clone, Debug)]
pub struct TierUse {
    /// Index into [`Policy::tiers`].
    pub source: usize,
    /// By tier name, sorted.
    pub quotas: Vec<(String, Numbers)>,
}

/// `[tiers.NAME]`.
#[derive(Clone, Debug)]
pub struct TierSource {
    /// The name.
    pub name: String,
    /// Whose value is looked up.
    pub key: KeyPart,
    /// Name of the KV binding; its keys are the lowercase hex SHA-256 of the value.
    pub kv: String,
    /// How long a look-up is used.
    pub cache: Span,
    /// The tier of unknown keys.
    pub default: String,
}

/// `count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountWhen {
    /// Any of these statuses.
    pub status: Vec<u16>,
}

/// `precision`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Every request asks the counter.
    Exact,
    /// Permits are taken in batches.
    Leased,
    /// Decided from what the isolate knows, counted behind.
    Optimistic,
}

/// `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One counter in the world.
    Global,
    /// One counter a continent.
    Region,
}
