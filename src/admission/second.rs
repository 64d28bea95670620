//! The second round: what the limits say that had to wait for the body.

use super::decide::Question;
use super::plan::Plan;
use super::verdict::{Charge, Verdict};
use crate::wire::Call;

/// Joins the second round to the first: from here on they are one plan with one verdict. Where the
/// second refuses, what the first took goes back.
pub fn join(plan: &mut Plan, verdict: &mut Verdict, second: Plan, after: Verdict) {
    let offset = plan.applied.len();
    let shift = |index: usize| index.saturating_add(offset);
    let refused = !after.admitted();
    plan.applied.extend(second.applied);
    plan.waiting_for_body.clear();
    verdict.outcomes.resize(offset, None);
    verdict.outcomes.extend(after.outcomes);
    verdict.refused.extend(after.refused.into_iter().map(shift));
    verdict
        .unavailable
        .extend(after.unavailable.into_iter().map(shift));
    verdict.unreached.extend(
        after
            .unreached
            .into_iter()
            .map(|(index, local)| (shift(index), local)),
    );
    verdict.kept_here.extend(after.kept_here);
    verdict.refunds.extend(after.refunds);
    verdict.reservations.extend(after.reservations);
    verdict
        .charges
        .extend(after.charges.into_iter().map(|charge| Charge {
            covers: charge.covers.into_iter().map(shift).collect(),
            ..charge
        }));
    verdict.paid.extend(after.paid.into_iter().map(shift));
    verdict.remembered |= after.remembered;
    if refused {
        verdict
            .refunds
            .extend(verdict.charges.drain(..).map(|charge| charge.refund()));
        verdict.reservations.clear();
    }
}

/// What keeps the charges that were provisional only until the body was known: without it they
/// would count as such until they lapse, and refusals meanwhile would be for nobody to remember.
/// Reservations are left alone: the response settles them.
#[must_use]
pub fn keep(plan: &Plan, verdict: &Verdict) -> Vec<Question> {
    let settle = |charge: &Charge| {
        let items = charge.covers.iter().enumerate();
        let spent: Vec<(u32, u64)> = items
            .filter_map(|(item, index)| {
                let applied = plan.applied.get(*index)?;
                let item = u32::try_from(item).ok()?;
                applied
                    .settle
                    .is_none()
                    .then_some((item, applied.item.cost))
            })
            .collect();
        (!spent.is_empty()).then(|| Question {
            object: charge.object.clone(),
            hint: charge.hint.clone(),
            call: Call::Settle {
                id: charge.id,
                spent,
            },
            covers: Vec::new(),
        })
    };
    verdict.charges.iter().filter_map(settle).collect()
}

#[cfg(test)]
mod tests;
