//! Requests that permits pay for in full: of a busy key these are nearly all, so they are decided
//! without any of what asking takes.

use super::permits::is_final;
use crate::admission::lease::leasable;
use crate::admission::plan::Plan;
use crate::admission::{Memory, Verdict};
use crate::policy::Policy;
use crate::time::Timestamp;

/// Whether permits could pay for all that a plan asks, and nothing else decides about the request.
#[must_use]
pub fn is_payable(policy: &Policy, plan: &Plan) -> bool {
    let mut applied = plan.applied.iter();
    !plan.applied.is_empty() && is_final(plan) && applied.all(|applied| leasable(policy, applied))
}

impl Memory {
    /// The verdict over a plan that [`is_payable`], where this isolate holds the permits; else nothing
    /// is spent.
    pub fn pay_outright(&mut self, plan: &Plan, now: Timestamp) -> Option<Verdict> {
        // The first is seen to as it pays. Of one that is refused by another, nothing is noted as spent.
        let mut others = plan.applied.iter().skip(1);
        if !others.all(|applied| self.leases.can_pay(&applied.item, now)) {
            return None;
        }
        let count = plan.applied.len();
        let mut verdict = Verdict::default();
        let mut spent = Vec::new();
        for (index, applied) in plan.applied.iter().enumerate() {
            // The same counter twice in one request: the second may not be payable any more.
            let Some((paid, outcome)) = self.leases.pay(&applied.item, now, now) else {
                self.leases.put_back(&spent);
                return None;
            };
            if index == 0 {
                verdict.outcomes.reserve_exact(count);
                verdict.paid.reserve_exact(count);
            }
            verdict.outcomes.push(Some(outcome));
            verdict.paid.push(index);
            // The last one is followed by none that could fail.
            if index.saturating_add(1) < count {
                spent.push(paid);
            }
        }
        Some(verdict)
    }
}

#[cfg(test)]
mod tests;
