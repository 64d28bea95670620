//! Refused clients that obey Retry-After shall not return together.

use super::{Memory, Plan, Verdict};
use crate::policy::Policy;
use crate::time::Span;

impl Memory {
    /// Adds to each refusal's wait a share of its limit's `jitter`, another one each time. Never
    /// less than the wait itself: a retry after it still succeeds.
    pub(super) fn spread(&mut self, policy: &Policy, plan: &Plan, verdict: &mut Verdict) {
        for (applied, outcome) in plan.applied.iter().zip(&mut verdict.outcomes) {
            let Some(outcome) = outcome.as_mut().filter(|outcome| !outcome.conforms) else {
                continue;
            };
            let jitter = applied.limit.of(policy).map_or(Span::ZERO, |l| l.jitter);
            if jitter.is_zero() || outcome.retry_after == Span::MAX {
                continue;
            }
            let most = jitter.as_micros().saturating_add(1);
            let share = self.next_id().0.checked_rem(most).unwrap_or(0);
            outcome.retry_after = outcome.retry_after + Span::from_micros(share);
        }
    }
}
