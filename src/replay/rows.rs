//! What can refuse a request: one row of the report each.

use crate::admission::plan::LimitRef;
use crate::policy::{Action, Policy};

/// One limit, or what a rule refuses without counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `rule.limit`, or the rule's name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A limit.
    Limit(LimitRef),
    /// A `deny` rule.
    Deny,
    /// A bound on URL, headers or body.
    Bounds,
}

/// The rows of a policy, in its order.
#[derive(Clone, Debug)]
pub struct Rows {
    /// All of them.
    pub all: Vec<Row>,
    /// For each rule, the first of its rows.
    first: Vec<usize>,
    preflight: usize,
}

impl Rows {
    /// Of a policy.
    #[must_use]
    pub fn of(policy: &Policy) -> Rows {
        let mut all = Vec::new();
        let mut first = Vec::new();
        for (rule, of_rule) in policy.rules.iter().enumerate() {
            first.push(all.len());
            let bounds = if of_rule.action == Action::Deny {
                Kind::Deny
            } else {
                Kind::Bounds
            };
            all.push(Row {
                name: of_rule.name.clone(),
                kind: bounds,
            });
            for (limit, of_limit) in of_rule.limits.iter().enumerate() {
                all.push(Row {
                    name: of_limit.policy_name.clone(),
                    kind: Kind::Limit(LimitRef::Rule { rule, limit }),
                });
            }
        }
        let preflight = all.len();
        all.push(Row {
            name: policy.preflight.policy_name.clone(),
            kind: Kind::Limit(LimitRef::Preflight),
        });
        Rows {
            all,
            first,
            preflight,
        }
    }

    /// What a rule refuses without counting.
    #[must_use]
    pub fn of_rule(&self, rule: usize) -> usize {
        self.first.get(rule).copied().unwrap_or(self.preflight)
    }

    /// A limit.
    #[must_use]
    pub fn of_limit(&self, limit: LimitRef) -> usize {
        match limit {
            LimitRef::Preflight => self.preflight,
            LimitRef::Rule { rule, limit } => {
                self.of_rule(rule).saturating_add(limit).saturating_add(1)
            }
        }
    }
}
