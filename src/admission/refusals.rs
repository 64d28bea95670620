//! The one place that turns a verdict, or a guard's fault, into a refusal.

pub mod alike;

use super::guard::{GuardFault, Guarded};
use super::{Plan, Verdict};
use crate::body::{BodyFault, FaultKind};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::Policy;
use crate::time::Span;

/// When it is worth trying again while a counter cannot be reached.
pub(super) const UNAVAILABLE_RETRY: Span = Span::from_secs(1);

/// A refusal and the rule whose `respond` and `cors` give it its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// What the client is told.
    pub refusal: Refusal,
    /// Index of the first rule, in policy order, that refused; None for the preflight limit and
    /// for refusals that are no rule's.
    pub rule: Option<usize>,
}

impl From<Refusal> for Shaped {
    fn from(refusal: Refusal) -> Shaped {
        Shaped {
            refusal,
            rule: None,
        }
    }
}

/// The refusal of a verdict that does not admit. All limits that refuse are named; an unreachable
/// counter of a rule that fails closed outweighs them, for nobody knows when it would admit.
#[must_use]
pub fn of_verdict(policy: &Policy, plan: &Plan, verdict: &Verdict) -> Shaped {
    let closed = !verdict.unavailable.is_empty();
    let indices = if closed {
        &verdict.unavailable
    } else {
        &verdict.refused
    };
    let mut violated = Vec::new();
    let mut rule = None;
    for (place, index) in indices.iter().enumerate() {
        let Some(applied) = plan.applied.get(*index) else {
            continue;
        };
        if place == 0
            && let super::plan::LimitRef::Rule { rule: first, .. } = applied.limit
        {
            rule = Some(first);
        }
        if let Some(limit) = applied.limit.of(policy) {
            violated.push(limit.policy_name.clone());
        }
    }
    let refusal = if closed {
        Refusal::unavailable(UNAVAILABLE_RETRY)
    } else {
        let mut refusal = Refusal::rate_limited(violated, verdict.retry_after());
        refusal.blocked = verdict
            .refused
            .iter()
            .filter_map(|index| verdict.outcomes.get(*index).copied().flatten())
            .any(|outcome| outcome.blocked);
        refusal
    };
    Shaped { refusal, rule }
}

/// The refusal of a guard.
#[must_use]
pub fn of_guard(guarded: Guarded) -> Shaped {
    let refusal = match guarded.fault {
        GuardFault::Denied => Refusal::new(Code::Denied),
        GuardFault::UrlTooLong { max } => Refusal::new(Code::UrlTooLong)
            .detailed(format!("The URL is longer than the {max} bytes allowed.")),
        GuardFault::HeadersTooLarge { max } => Refusal::new(Code::HeadersTooLarge).detailed(
            format!("The header fields are longer than the {max} bytes allowed."),
        ),
        GuardFault::MediaType => Refusal::new(Code::UnsupportedMediaType),
        GuardFault::ContentCoding => Refusal::new(Code::UnsupportedMediaType).detailed(
            "A body in this content coding cannot be looked into; send gzip, deflate or none.",
        ),
        GuardFault::BodyTooLarge { max } => body_too_large(max),
    };
    Shaped {
        refusal,
        rule: Some(guarded.rule),
    }
}

/// A body over its bound.
#[must_use]
pub fn body_too_large(max: u64) -> Refusal {
    Refusal::new(Code::BodyTooLarge)
        .detailed(format!("The body is longer than the {max} bytes allowed."))
}

/// A body that the origin must not see.
#[must_use]
pub fn of_body_fault(fault: BodyFault) -> Refusal {
    match (fault.kind, fault.cost, fault.max) {
        (FaultKind::TooExpensive, Some(cost), Some(max)) => {
            Refusal::too_expensive(cost, max).detailed(fault.message)
        }
        _ => Refusal::invalid_request(&fault.pointer, fault.message),
    }
}
