//! What the quota fields say: the limits that applied, as they stand after this request.

use super::{Plan, Verdict};
use crate::http::fields::{QuotaView, shown};
use crate::policy::Policy;

/// A view of every limit that applied, spoke and may be shown, in policy order.
#[must_use]
pub fn views<'a>(policy: &'a Policy, plan: &Plan, verdict: &Verdict) -> Vec<QuotaView<'a>> {
    let spoken = plan.applied.iter().zip(&verdict.outcomes);
    spoken
        .filter_map(|(applied, outcome)| {
            let outcome = outcome.filter(|_| applied.shown)?;
            let limit = applied.limit.of(policy)?;
            let (quota, window) = shown(&applied.item.quota);
            Some(QuotaView {
                name: &limit.policy_name,
                quota,
                window,
                // In shadow, too, what would have been refused was more than there is.
                remaining: if outcome.conforms || applied.item.enforce {
                    outcome.remaining
                } else {
                    0
                },
                reset: if outcome.conforms {
                    outcome.reset
                } else {
                    outcome.retry_after
                },
                refuses: !outcome.conforms && applied.item.enforce,
            })
        })
        .collect()
}
