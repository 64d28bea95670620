//! From a plan to a verdict: memory first, then one call per object, all in parallel.
//!
//! Within one object a charge is all-or-nothing. Where several objects are asked, each charge is
//! provisional: confirmed by silence, taken back by a refund, which is sent to every object that
//! may have charged when another refused.

mod answers;
mod here;
mod outright;
mod permits;
mod recall;
mod verdict;

use super::Memory;
use super::lease::Paid;
use super::plan::Plan;
use super::verdict::{Charge as Standing, Verdict};
use crate::policy::{Policy, Precision};
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Call, Charge, Outcome};
pub(in crate::admission) use here::Here;
pub use outright::is_payable;

/// What one object is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The object's name.
    pub object: String,
    /// Where the object should be made if it is new, or empty.
    pub hint: String,
    /// The message.
    pub call: Call,
    /// The plan's applied limits that it is about, in the order of its items.
    pub covers: Vec<usize>,
}

/// What came back from one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An answer.
    Answer(Answer),
    /// None in time.
    TimedOut,
    /// The platform says that the object is overloaded: never tried again.
    Overloaded,
    /// A failure that the platform says may be gone: tried once more.
    Retryable,
    /// Any other failure.
    Failed,
}

/// Questions on their way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// What is asked, one per object.
    pub questions: Vec<Question>,
    /// When they were sent.
    pub sent: Timestamp,
    outcomes: Vec<Option<Outcome>>,
    failed: Vec<usize>,
    standing: Vec<Standing>,
    /// What permits have paid for.
    paid: Vec<Paid>,
    /// The limits that they paid for, by index.
    paid_for: Vec<usize>,
    /// What this isolate has decided by itself.
    here: Vec<Here>,
    /// Objects that may have charged without an answer.
    doubtful: Vec<Standing>,
    started: Timestamp,
    again: bool,
    /// Something that is asked about has been refused lately.
    refused_before: bool,
}

/// The first stride.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Nothing has to be asked.
    Decided(Verdict),
    /// Objects have to be asked.
    Ask(Round),
}

/// The last stride.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It is decided.
    Verdict(Verdict),
    /// Some questions are asked once more, after this long.
    Again(Round, Span),
}

/// How long a request waits, at most, for another that asks about the same key: a quarter of the
/// time that it may wait for objects itself.
#[must_use]
pub fn longest_wait(policy: &Policy) -> Span {
    Span::from_micros(policy.counter_timeout.as_micros() / 4)
}

/// How long a body may take to arrive, at most: charges made before it are held as long.
const LONGEST_BODY: Span = Span::from_secs(60);

impl Memory {
    /// Decides from memory, or says whom to ask what.
    pub fn begin(&mut self, policy: &Policy, plan: &Plan, now: Timestamp) -> Begin {
        if is_payable(policy, plan)
            && let Some(verdict) = self.pay_outright(plan, now)
        {
            return Begin::Decided(verdict);
        }
        self.begin_since(policy, plan, now, now)
    }

    /// The same for a request that could not be paid for outright, or has waited for another since
    /// `since`: what is left of its patience is less.
    pub fn begin_since(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        since: Timestamp,
        now: Timestamp,
    ) -> Begin {
        let mut round = Round {
            questions: Vec::new(),
            sent: now,
            outcomes: vec![None; plan.applied.len()],
            failed: Vec::new(),
            standing: Vec::new(),
            paid: Vec::new(),
            paid_for: Vec::new(),
            here: Vec::new(),
            doubtful: Vec::new(),
            started: since,
            again: false,
            refused_before: false,
        };
        self.pay(policy, plan, &mut round, now);
        let mut denied = false;
        for (applied, outcome) in plan.applied.iter().zip(&mut round.outcomes) {
            if outcome.is_some() {
                continue;
            }
            *outcome = self.denials.find(&applied.item, now);
            denied |= applied.item.enforce && outcome.is_some();
        }
        if denied || self.decide_here(policy, plan, &mut round, now) {
            self.leases.put_back(&round.paid);
            let here = std::mem::take(&mut round.here);
            self.end_here(plan, &here, false, now);
            let mut verdict = verdict::of(plan, round);
            self.spread(policy, plan, &mut verdict);
            verdict.remembered = denied;
            verdict.reports = self.reports(policy, plan, &here, now);
            return Begin::Decided(verdict);
        }
        self.group(plan, policy, &mut round, now);
        if round.questions.is_empty() {
            return Begin::Decided(self.finish(policy, plan, round, now));
        }
        Begin::Ask(round)
    }

    fn group(&mut self, plan: &Plan, policy: &Policy, round: &mut Round, now: Timestamp) {
        let waited_for_until = now + longest_wait(policy);
        for (index, applied) in plan.applied.iter().enumerate() {
            if round.outcomes.get(index).is_some_and(Option::is_some) {
                continue;
            }
            let known = self.denials.asks(&applied.item, waited_for_until);
            round.refused_before |= known && applied.item.enforce;
            let known = round
                .questions
                .iter_mut()
                .find(|question| question.object == applied.object);
            if let Some(question) = known {
                if let Call::Charge(charge) = &mut question.call {
                    charge.items.push(applied.item.clone());
                    question.covers.push(index);
                }
            } else if self.breakers.may_call(&applied.object, now) {
                round.questions.push(Question {
                    object: applied.object.clone(),
                    hint: applied.hint.clone(),
                    call: Call::Charge(Charge {
                        id: self.next_id(),
                        provisional: None,
                        items: vec![applied.item.clone()],
                    }),
                    covers: vec![index],
                });
            } else {
                round.failed.push(index);
            }
        }
        self.ask_for_permits(policy, plan, round, now);
        // Another object, the body, or a slot may yet refuse what these take.
        let alone =
            round.questions.len() <= 1 && plan.waiting_for_body.is_empty() && !plan.before_slots;
        if !alone {
            let twice = policy.counter_timeout + policy.counter_timeout;
            let expiry = if plan.waiting_for_body.is_empty() {
                twice
            } else {
                twice + LONGEST_BODY
            };
            for question in &mut round.questions {
                if let Call::Charge(charge) = &mut question.call {
                    charge.provisional = Some(expiry);
                }
            }
        }
    }
}

impl Round {
    /// Nobody waits for the answers: every limit that is asked about says `precision = "optimistic"`, and
    /// what is refused once is refused again, unlike a distinct value, after which others come. When a
    /// refusal is over it takes an answer to know whether the next is due.
    #[must_use]
    pub fn is_behind(&self, policy: &Policy, plan: &Plan) -> bool {
        let mut asked = self.questions.iter().flat_map(|question| &question.covers);
        !self.refused_before
            && asked.all(|index| {
                let applied = plan.applied.get(*index);
                let applied = applied.filter(|applied| applied.item.value.is_none());
                applied
                    .and_then(|applied| applied.limit.of(policy))
                    .is_some_and(|limit| limit.precision == Precision::Optimistic)
            })
    }

    /// How long answers are waited for from now on: the whole decision takes `counter_timeout`, its
    /// second round included.
    #[must_use]
    pub fn patience(&self, policy: &Policy, now: Timestamp) -> Span {
        policy.counter_timeout - now.saturating_since(self.started)
    }

    /// A limit refuses, and not for provisional charges alone.
    fn is_surely_refused(&self, plan: &Plan) -> bool {
        plan.applied
            .iter()
            .zip(&self.outcomes)
            .any(|(applied, outcome)| {
                let sure = outcome.is_some_and(|one| !one.conforms && !one.provisional);
                applied.item.enforce && sure
            })
    }

    fn unanswered(&self, question: &Question) -> bool {
        question
            .covers
            .iter()
            .all(|index| self.outcomes.get(*index).is_some_and(Option::is_none))
    }

    fn give_up(&mut self, question: Question) {
        self.failed.extend(&question.covers);
        self.doubtful.extend(Standing::of(question));
    }
}

impl Standing {
    fn of(question: Question) -> Option<Standing> {
        let Call::Charge(charge) = question.call else {
            return None;
        };
        Some(Standing {
            object: question.object,
            hint: question.hint,
            id: charge.id,
            covers: question.covers,
        })
    }

    /// The message that takes it back.
    #[must_use]
    pub fn refund(&self) -> Question {
        Question {
            object: self.object.clone(),
            hint: self.hint.clone(),
            call: Call::Refund { id: self.id },
            covers: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
