//! What the answers of objects mean: who is asked once more, and who is given up.

use super::{Conclusion, Question, Reply, Round, Standing};
use crate::admission::Memory;
use crate::admission::plan::Plan;
use crate::policy::Policy;
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Call};

/// The pause before a refusal that only provisional charges caused is tried once more.
const PROVISIONAL_PAUSE: Span = Span::from_millis(5);

impl Memory {
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
        if round.is_surely_refused(plan) {
            // Nothing changes that: only what may have charged is worth asking again.
            retry.retain(|question| round.unanswered(question));
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
                self.leases.disclaim(&question);
                round.give_up(question);
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
                        self.denials.admitted(&applied.item, outcome);
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
                    round.standing.extend(Standing::of(question));
                } else if only_provisional {
                    retry.push(question);
                }
            }
            Reply::Retryable => retry.push(question),
            Reply::Answer(_) | Reply::TimedOut | Reply::Overloaded | Reply::Failed => {
                self.breakers.failed(&question.object, now);
                self.leases.disclaim(&question);
                round.give_up(question);
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
}
