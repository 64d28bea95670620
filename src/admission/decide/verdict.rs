//! The verdict, once everything is known that will be.

use super::{Round, Standing};
use crate::admission::Memory;
use crate::admission::plan::{Applied, Plan, Settle};
use crate::admission::verdict::{Reservation, Verdict};
use crate::policy::{OnError, Policy};
use crate::time::Timestamp;
use crate::wire::Outcome;

impl Memory {
    /// Applies `on_error` where no counter answered, and settles who is refunded.
    pub(super) fn finish(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        mut round: Round,
        now: Timestamp,
    ) -> Verdict {
        let mut unavailable = Vec::new();
        let mut unreached = Vec::new();
        let mut kept_here = Vec::new();
        for index in std::mem::take(&mut round.failed) {
            let Some(applied) = plan.applied.get(index) else {
                continue;
            };
            let on_error = applied
                .limit
                .rule(policy)
                .map_or(OnError::Local, |rule| rule.on_error);
            match on_error {
                OnError::Allow => unreached.push((index, false)),
                OnError::Local => {
                    unreached.push((index, true));
                    let (outcome, kept) = self.local.charge(&applied.item, now);
                    kept_here.extend(kept.map(|mut kept| {
                        kept.settle.clone_from(&applied.settle);
                        kept
                    }));
                    if let Some(place) = round.outcomes.get_mut(index) {
                        *place = Some(outcome);
                    }
                }
                OnError::Deny if applied.item.enforce => unavailable.push(index),
                OnError::Deny => unreached.push((index, false)),
            }
        }
        let mut standing = std::mem::take(&mut round.standing);
        let doubtful = std::mem::take(&mut round.doubtful);
        let paid = std::mem::take(&mut round.paid);
        let paid_for = std::mem::take(&mut round.paid_for);
        // The earliest that any of the charges was sent, so that no lease is used too long.
        let sent = round.started;
        let here = std::mem::take(&mut round.here);
        let mut verdict = of(plan, round);
        self.spread(policy, plan, &mut verdict);
        verdict.unavailable = unavailable;
        verdict.unreached = unreached;
        verdict.kept_here = kept_here;
        if verdict.admitted() {
            verdict.paid = paid_for;
            self.take_up(policy, plan, &standing, &mut verdict.outcomes, (sent, now));
            // What was charged without an answer is settled like the rest, and given back with it where
            // the body or a slot refuses in the end.
            standing.extend(doubtful);
            verdict.reservations = reservations(plan, &standing);
            verdict.charges = standing;
        } else {
            self.leases.put_back(&paid);
            self.forgive(&verdict, now);
            verdict.kept_here.clear();
            standing.extend(doubtful);
            verdict.refunds = standing.iter().map(Standing::refund).collect();
        }
        self.end_here(plan, &here, verdict.admitted(), now);
        verdict.reports = self.reports(policy, plan, &here, now);
        verdict
    }
}

/// The verdict as the outcomes have it.
pub(super) fn of(plan: &Plan, mut round: Round) -> Verdict {
    excuse_provisional(plan, &mut round.outcomes);
    let refused = plan
        .applied
        .iter()
        .zip(&round.outcomes)
        .enumerate()
        .filter(|(_, (applied, outcome))| {
            applied.item.enforce && outcome.is_some_and(|outcome| !outcome.conforms)
        })
        .map(|(index, _)| index)
        .collect();
    Verdict {
        outcomes: round.outcomes,
        refused,
        ..Verdict::default()
    }
}

/// What only provisional charges refuse is refused no more by the time that anything else readmits:
/// most of those charges belong to requests that are refused themselves. So it counts only where
/// nothing else refuses, and then what ends first.
fn excuse_provisional(plan: &Plan, outcomes: &mut [Option<Outcome>]) {
    if !outcomes.iter().flatten().any(|outcome| outcome.provisional) {
        return;
    }
    let refusing = || {
        let spoken = plan
            .applied
            .iter()
            .zip(outcomes.iter().copied())
            .enumerate();
        spoken.filter_map(|(index, (applied, outcome))| {
            let outcome = outcome.filter(|outcome| applied.item.enforce && !outcome.conforms)?;
            Some((index, outcome))
        })
    };
    let sure = refusing().any(|(_, outcome)| !outcome.provisional);
    let first = refusing().min_by_key(|(_, outcome)| outcome.retry_after);
    let first = first.filter(|_| !sure).map(|(index, _)| index);
    for (index, (applied, outcome)) in plan.applied.iter().zip(outcomes).enumerate() {
        if let Some(outcome) = outcome
            && applied.item.enforce
            && outcome.provisional
            && first != Some(index)
        {
            outcome.conforms = true;
        }
    }
}

fn reservations(plan: &Plan, standing: &[Standing]) -> Vec<Reservation> {
    let mut out = Vec::new();
    for charge in standing {
        for (item, index) in charge.covers.iter().enumerate() {
            let Some(Applied {
                settle: Some(settle),
                item: charged,
                ..
            }) = plan.applied.get(*index)
            else {
                continue;
            };
            out.push(Reservation {
                object: charge.object.clone(),
                hint: charge.hint.clone(),
                id: charge.id,
                item: u32::try_from(item).unwrap_or(u32::MAX),
                held: charged.cost,
                settle: Settle::clone(settle),
            });
        }
    }
    out
}
