//! Refusals that look alike: a flood is answered with the same bytes over and over.

use crate::admission::plan::LimitRef;
use crate::admission::{Plan, Verdict};
use crate::http::retry_after;

/// All that the answer to a request refused by its limits depends on, besides the policy in force
/// and what the request says of the answer's shape (its method, `Accept` and `Origin`). Equal
/// signatures mean equal answers. None where a counter could not be reached.
#[must_use]
pub fn signature(plan: &Plan, verdict: &Verdict) -> Option<Vec<u8>> {
    if !verdict.unavailable.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(plan.applied.len().saturating_mul(33));
    for (applied, outcome) in plan.applied.iter().zip(&verdict.outcomes) {
        let (rule, limit) = match applied.limit {
            LimitRef::Preflight => (u32::MAX, u32::MAX),
            LimitRef::Rule { rule, limit } => (number(rule), number(limit)),
        };
        out.extend(rule.to_le_bytes());
        out.extend(limit.to_le_bytes());
        let Some(outcome) = outcome else {
            out.push(0);
            continue;
        };
        out.push(
            1 | u8::from(outcome.conforms) << 1
                | u8::from(outcome.blocked) << 2
                | u8::from(applied.item.enforce) << 3
                | u8::from(applied.shown) << 4,
        );
        let wait = if outcome.conforms {
            outcome.reset.as_secs_ceil().min(retry_after::MAX_S)
        } else {
            retry_after::seconds(outcome.retry_after)
        };
        out.extend(outcome.remaining.to_le_bytes());
        out.extend(wait.to_le_bytes());
        if applied.tier.is_some() {
            let quota = &applied.item.quota;
            for number in [quota.limit, quota.window.as_micros(), quota.burst] {
                out.extend(number.to_le_bytes());
            }
        }
    }
    Some(out)
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
