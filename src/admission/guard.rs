//! Decisions that need no counter: deny lists, the size of URL and headers, and what the headers
//! say of the body. They come before anything that costs a call.

use super::Facts;
use super::body::{BodyPlan, Coding, enforced};
use super::plan::Plan;
use crate::http::media;
use crate::policy::{Mode, Policy, Rule};

/// A refusal by a guard, and the rule whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// Index of the rule.
    pub rule: usize,
    /// What it refuses.
    pub fault: GuardFault,
}

/// What a guard refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardFault {
    /// `action = "deny"`.
    Denied,
    /// Path and query are longer than allowed.
    UrlTooLong {
        /// Bytes allowed.
        max: u64,
    },
    /// Header names and values are longer than allowed.
    HeadersTooLarge {
        /// Bytes allowed.
        max: u64,
    },
    /// The body's media type is not in the list.
    MediaType,
    /// The body has to be looked into and its content coding is none that can be decoded.
    ContentCoding,
    /// The body is declared longer than allowed.
    BodyTooLarge {
        /// Bytes allowed.
        max: u64,
    },
}

/// The first guard that refuses, in policy order.
#[must_use]
pub fn check(
    policy: &Policy,
    plan: &Plan,
    mode: Mode,
    facts: &dyn Facts,
    body: &BodyPlan,
) -> Option<Guarded> {
    if let Some(rule) = plan.denied {
        return Some(Guarded {
            rule,
            fault: GuardFault::Denied,
        });
    }
    let of_rule = plan.rules.iter().find_map(|index| {
        let rule = policy.rules.get(*index)?;
        if !enforced(rule, mode) {
            return None;
        }
        let fault = rule_fault(rule, facts, body)?;
        Some(Guarded {
            rule: *index,
            fault,
        })
    });
    of_rule.or_else(|| {
        let opaque = body.present && Coding::of(facts) == Coding::Unknown;
        let rule = body.looked_into_by.filter(|_| opaque)?;
        Some(Guarded {
            rule,
            fault: GuardFault::ContentCoding,
        })
    })
}

fn rule_fault(rule: &Rule, facts: &dyn Facts, body: &BodyPlan) -> Option<GuardFault> {
    if let Some(max) = rule.request.max_url_bytes
        && facts.url_bytes() > max
    {
        return Some(GuardFault::UrlTooLong { max });
    }
    if let Some(max) = rule.request.max_header_bytes
        && facts.header_bytes() > max
    {
        return Some(GuardFault::HeadersTooLarge { max });
    }
    let bounds = rule.body.as_ref().filter(|_| body.present)?;
    if let Some(allowed) = &bounds.content_types
        && !media::is_listed(facts.header("content-type").as_deref(), allowed)
    {
        return Some(GuardFault::MediaType);
    }
    let max = bounds.max_bytes?;
    (body.declared? > max).then_some(GuardFault::BodyTooLarge { max })
}
