//! Limits that this isolate decides about by itself (`precision = "optimistic"`), within a decision.

use super::permits::is_final;
use super::{Question, Round};
use crate::admission::Memory;
use crate::admission::plan::Plan;
use crate::admission::tally;
use crate::admission::verdict::Verdict;
use crate::limit::Loan;
use crate::policy::Policy;
use crate::time::Timestamp;
use crate::wire::Call;

/// One limit that was decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::admission) struct Here {
    /// Which of the plan's.
    pub index: usize,
    /// What was counted, where it lets pass.
    pub loan: Option<Loan>,
}

impl Memory {
    /// Decides about what no counter has to be asked for. True where one of these limits refuses.
    pub(super) fn decide_here(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        round: &mut Round,
        now: Timestamp,
    ) -> bool {
        let mut refused = false;
        for (index, (applied, place)) in plan.applied.iter().zip(&mut round.outcomes).enumerate() {
            if place.is_some() || !tally::decides(policy, applied) || !is_final(plan) {
                continue;
            }
            if let Some((outcome, loan)) = self.tallies.decide(&applied.item, now) {
                refused |= applied.item.enforce && !outcome.conforms;
                *place = Some(outcome);
                round.here.push(Here { index, loan });
            }
        }
        refused
    }

    /// The request is let through now and its questions are asked behind it: the verdict without their
    /// answers, and the questions. Their replies go to [`Memory::reported`].
    pub fn behind(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        mut round: Round,
        now: Timestamp,
    ) -> (Verdict, Vec<Question>) {
        let mut questions = std::mem::take(&mut round.questions);
        for question in &mut questions {
            if let Call::Charge(charge) = &mut question.call {
                // Nobody takes it back, and a refusal that could end with it would not be remembered.
                charge.provisional = None;
            }
        }
        let mut verdict = self.finish(policy, plan, round, now);
        if !verdict.admitted() {
            questions.clear();
        }
        questions.append(&mut verdict.reports);
        (verdict, questions)
    }

    /// The request is let through, or refused elsewhere.
    pub(super) fn end_here(&mut self, plan: &Plan, here: &[Here], admitted: bool, now: Timestamp) {
        for one in here {
            let (Some(loan), Some(applied)) = (one.loan, plan.applied.get(one.index)) else {
                continue;
            };
            if admitted {
                self.tallies.keep(&applied.item.key, &loan, now);
            } else {
                self.tallies.put_back(&applied.item.key, &loan, now);
            }
        }
    }
}

#[cfg(test)]
mod tests;
