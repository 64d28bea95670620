//! Where permits stand in a decision: before anything is asked, with what is asked, and after it.
//!
//! An object decides about all limits of a request that it counts, so permits pay for all of them
//! or for none; and only where nothing else can turn the request away later.

use super::{Round, Standing};
use crate::admission::Memory;
use crate::admission::lease::{Grant, leasable};
use crate::admission::plan::Plan;
use crate::admission::tally;
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::wire::{Call, Outcome};

impl Memory {
    /// Pays what this isolate's permits can pay, object by object.
    pub(super) fn pay(&mut self, policy: &Policy, plan: &Plan, round: &mut Round, now: Timestamp) {
        if self.leases.is_empty() || !is_final(plan) {
            return;
        }
        for (index, applied) in plan.applied.iter().enumerate() {
            if round.outcomes.get(index).is_none_or(Option::is_some) {
                continue;
            }
            let covers: Vec<usize> = plan
                .applied
                .iter()
                .enumerate()
                .filter(|(_, other)| {
                    other.object == applied.object && !tally::decides(policy, other)
                })
                .map(|(index, _)| index)
                .collect();
            // An object's first limit speaks for all of them.
            if covers.first() == Some(&index) {
                self.pay_for(policy, plan, round, &covers, now);
            }
        }
    }

    /// Pays for these limits, all or none.
    pub(super) fn pay_for(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        round: &mut Round,
        covers: &[usize],
        now: Timestamp,
    ) -> bool {
        let applied = |index: &usize| plan.applied.get(*index);
        // Where another object has to be asked, the request is let through only when that has
        // answered, and the permit must not have lapsed by then.
        let until = if covers.len() < plan.applied.len() {
            now + policy.counter_timeout
        } else {
            now
        };
        let payable = is_final(plan)
            && covers.iter().filter_map(applied).all(|applied| {
                leasable(policy, applied) && self.leases.can_pay(&applied.item, until)
            });
        if !payable {
            return false;
        }
        let mut paid = Vec::with_capacity(covers.len());
        for index in covers {
            let Some(applied) = applied(index) else {
                continue;
            };
            // The same counter twice in one request: the second may not be payable any more.
            let Some((one, outcome)) = self.leases.pay(&applied.item, now, until) else {
                self.leases.put_back(&paid);
                for index in covers {
                    if let Some(place) = round.outcomes.get_mut(*index) {
                        *place = None;
                    }
                }
                return false;
            };
            paid.push(one);
            if let Some(place) = round.outcomes.get_mut(*index) {
                *place = Some(outcome);
            }
        }
        round.paid.append(&mut paid);
        round.paid_for.extend(covers);
        true
    }

    /// Has the questions ask for permits, where every limit that an object is asked about has some
    /// use for them.
    pub(super) fn ask_for_permits(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        round: &mut Round,
        now: Timestamp,
    ) {
        if !is_final(plan) {
            return;
        }
        for question in &mut round.questions {
            let mut covered = question
                .covers
                .iter()
                .filter_map(|index| plan.applied.get(*index));
            if !covered.all(|applied| leasable(policy, applied)) {
                continue;
            }
            let Call::Charge(charge) = &mut question.call else {
                continue;
            };
            for item in &mut charge.items {
                item.permits = self.leases.want(item, now, policy.counter_timeout);
            }
        }
    }

    /// Takes up the leases that admitted charges brought, and adds them to what is left.
    pub(super) fn take_up(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        standing: &[Standing],
        outcomes: &mut [Option<Outcome>],
        (sent, now): (Timestamp, Timestamp),
    ) {
        if !is_final(plan) {
            return;
        }
        for charge in standing {
            for (item, index) in (0_u32..).zip(&charge.covers) {
                let outcome = outcomes.get_mut(*index).and_then(Option::as_mut);
                let (Some(applied), Some(outcome)) = (plan.applied.get(*index), outcome) else {
                    continue;
                };
                if !outcome.conforms || !leasable(policy, applied) {
                    continue;
                }
                let grant = Grant {
                    id: charge.id,
                    item,
                    sent,
                    outcome,
                };
                outcome.remaining = self.leases.take_up(applied, &grant, now);
            }
        }
    }
}

/// Nothing but these limits decides about the request: neither its body nor a slot. What is asked
/// once the body is there has no slots of its own, but may stand before some.
pub(super) fn is_final(plan: &Plan) -> bool {
    plan.waiting_for_body.is_empty() && plan.slots.is_empty() && !plan.before_slots
}
