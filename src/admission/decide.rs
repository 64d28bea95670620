//! From a plan to a verdict: memory first, then one call per object, all in parallel.
//!
//! Within one object a charge is all-or-nothing. Where several objects are asked, each charge is
//! provisional: confirmed by silence, taken back by a refund, which is sent to every object that
//! may have charged when another refused.

mod permits;

use super::Memory;
use super::lease::Paid;
use super::plan::{Applied, Plan, Settle};
use super::verdict::{Charge as Standing, Reservation, Verdict};
use crate::policy::{OnError, Policy};
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Call, Charge, Outcome};

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
    /// Objects that may have charged without an answer.
    doubtful: Vec<Standing>,
    started: Timestamp,
    again: bool,
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

/// The pause before a refusal that only provisional charges caused is tried once more.
const PROVISIONAL_PAUSE: Span = Span::from_millis(5);

impl Memory {
    /// Decides from memory, or says whom to ask what.
    pub fn begin(&mut self, policy: &Policy, plan: &Plan, now: Timestamp) -> Begin {
        let mut round = Round {
            questions: Vec::new(),
            sent: now,
            outcomes: vec![None; plan.applied.len()],
            failed: Vec::new(),
            standing: Vec::new(),
            paid: Vec::new(),
            doubtful: Vec::new(),
            started: now,
            again: false,
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
        if denied {
            self.leases.put_back(&round.paid);
            let mut verdict = verdict_of(plan, round);
            self.spread(policy, plan, &mut verdict);
            verdict.remembered = true;
            return Begin::Decided(verdict);
        }
        self.group(plan, policy, &mut round, now);
        if round.questions.is_empty() {
            return Begin::Decided(self.finish(policy, plan, round, now));
        }
        Begin::Ask(round)
    }

    /// The refusal of a plan that is not complete yet, where this isolate remembers one: then what
    /// is missing need not be looked up.
    pub fn recall(&mut self, policy: &Policy, plan: &Plan, now: Timestamp) -> Option<Verdict> {
        let known = plan
            .applied
            .iter()
            .any(|applied| applied.item.enforce && self.denials.find(&applied.item, now).is_some());
        match known.then(|| self.begin(policy, plan, now)) {
            Some(Begin::Decided(verdict)) => Some(verdict),
            _ => None,
        }
    }

    fn group(&mut self, plan: &Plan, policy: &Policy, round: &mut Round, now: Timestamp) {
        for (index, applied) in plan.applied.iter().enumerate() {
            if round.outcomes.get(index).is_some_and(Option::is_some) {
                continue;
            }
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

    /// Takes in the replies, one per question of `round` and in its order.
    pub fn conclude(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        mut round: Round,
        replies: &[Reply],
        now: Timestamp,
    ) -> Conclusion {
        let questions = std::mem::take(&mut round.questions);
        let mut retry = Vec::new();
        for (question, reply) in questions.into_iter().zip(replies) {
            self.take_in(policy, plan, &mut round, (question, reply), &mut retry, now);
        }
        let in_time = round.patience(policy, now) > PROVISIONAL_PAUSE;
        if !retry.is_empty() && !round.again && in_time {
            let pause = self.prepare_retry(&mut round, &mut retry);
            round.questions = retry;
            round.again = true;
            round.sent = now + pause;
            return Conclusion::Again(round, pause);
        }
        for question in retry {
            let unanswered = round.unanswered(&question);
            if unanswered {
                self.breakers.failed(&question.object, now);
                round.give_up(&question);
            }
        }
        Conclusion::Verdict(self.finish(policy, plan, round, now))
    }

    fn take_in(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        round: &mut Round,
        (question, reply): (Question, &Reply),
        retry: &mut Vec<Question>,
        now: Timestamp,
    ) {
        match reply {
            Reply::Answer(Answer::Charged(charged))
                if charged.outcomes.len() == question.covers.len() =>
            {
                self.breakers.succeeded(&question.object);
                if !charged.admitted && self.pay_for(policy, plan, round, &question.covers, now) {
                    return;
                }
                let mut only_provisional = !charged.admitted;
                for (index, outcome) in question.covers.iter().zip(&charged.outcomes) {
                    let Some(applied) = plan.applied.get(*index) else {
                        continue;
                    };
                    if outcome.conforms {
                        self.denials.forget(&applied.item.key);
                    } else {
                        self.denials
                            .remember(&applied.item, outcome, round.sent, now);
                        only_provisional &= outcome.provisional || !applied.item.enforce;
                    }
                    if let Some(place) = round.outcomes.get_mut(*index) {
                        *place = Some(*outcome);
                    }
                }
                if charged.admitted {
                    round.standing.extend(Standing::of(&question));
                } else if only_provisional {
                    retry.push(question);
                }
            }
            Reply::Retryable => retry.push(question),
            Reply::Answer(_) | Reply::TimedOut | Reply::Overloaded | Reply::Failed => {
                self.breakers.failed(&question.object, now);
                round.give_up(&question);
            }
        }
    }

    /// A call that failed keeps its id, so that it is not charged twice if it arrived after all; a
    /// refusal is asked anew, under a new id.
    fn prepare_retry(&mut self, round: &mut Round, retry: &mut [Question]) -> Span {
        let mut pause = Span::ZERO;
        for question in retry {
            if round.unanswered(question) {
                continue;
            }
            pause = PROVISIONAL_PAUSE;
            for index in &question.covers {
                if let Some(place) = round.outcomes.get_mut(*index) {
                    *place = None;
                }
            }
            let id = self.next_id();
            if let Call::Charge(charge) = &mut question.call {
                charge.id = id;
            }
        }
        pause
    }

    /// Applies `on_error` where no counter answered, and settles who is refunded.
    fn finish(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        mut round: Round,
        now: Timestamp,
    ) -> Verdict {
        let mut unavailable = Vec::new();
        let mut unreached = Vec::new();
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
                    let outcome = self.local.charge(&applied.item, now);
                    if let Some(place) = round.outcomes.get_mut(index) {
                        *place = Some(outcome);
                    }
                }
                OnError::Deny if applied.item.enforce => unavailable.push(index),
                OnError::Deny => unreached.push((index, false)),
            }
        }
        let standing = std::mem::take(&mut round.standing);
        let doubtful = std::mem::take(&mut round.doubtful);
        let paid = std::mem::take(&mut round.paid);
        // The earliest that any of the charges was sent, so that no lease is used too long.
        let sent = round.started;
        let mut verdict = verdict_of(plan, round);
        self.spread(policy, plan, &mut verdict);
        verdict.unavailable = unavailable;
        verdict.unreached = unreached;
        if verdict.admitted() {
            verdict.leased = !paid.is_empty();
            self.take_up(policy, plan, &standing, &mut verdict.outcomes, (sent, now));
            verdict.reservations = reservations(plan, &standing);
            verdict.charges = standing;
        } else {
            self.leases.put_back(&paid);
            verdict.refunds = standing
                .iter()
                .chain(&doubtful)
                .map(Standing::refund)
                .collect();
        }
        verdict
    }
}

/// How long a body may take to arrive, at most: charges made before it are held as long.
const LONGEST_BODY: Span = Span::from_secs(60);

impl Round {
    /// How long answers are waited for from now on: the whole decision takes `counter_timeout`, its
    /// second round included.
    #[must_use]
    pub fn patience(&self, policy: &Policy, now: Timestamp) -> Span {
        policy.counter_timeout - now.saturating_since(self.started)
    }

    fn unanswered(&self, question: &Question) -> bool {
        question
            .covers
            .iter()
            .all(|index| self.outcomes.get(*index).is_some_and(Option::is_none))
    }

    fn give_up(&mut self, question: &Question) {
        self.failed.extend(&question.covers);
        self.doubtful.extend(Standing::of(question));
    }
}

impl Standing {
    fn of(question: &Question) -> Option<Standing> {
        let Call::Charge(charge) = &question.call else {
            return None;
        };
        Some(Standing {
            object: question.object.clone(),
            hint: question.hint.clone(),
            id: charge.id,
            covers: question.covers.clone(),
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

fn verdict_of(plan: &Plan, round: Round) -> Verdict {
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

#[cfg(test)]
mod tests;
