//! What an operator does: explain a request, look at a counter, unblock a key.

use crate::json::{Node, json};

use super::{Asking, PATIENCE, answered};
use crate::admission::Question;
use crate::admission::plan::{Context as Planning, Tier};
use crate::edge::{ask, clock};
use crate::http::refusal::Refusal;
use crate::operator::explain::Explanation;
use crate::operator::unblock::lifting;
use crate::operator::{key, request};
use crate::time::Span;
use crate::wire::{Answer, Call};

impl Asking {
    pub(super) async fn explain(&self) -> Result<Node, Refusal> {
        let text = self.text().await?;
        if let Some(seen) = key::read(&text)? {
            let replies = ask::ask(&self.env, &[seen.look()], PATIENCE).await;
            let answer = replies.into_iter().next().and_then(answered);
            return Ok(seen.document(answer.as_ref()));
        }
        let policy = self.policy()?;
        let described = request::described(&text)?;
        // What this isolate knows of tiers; nothing is looked up for an explanation.
        let tiers = |source: usize, value: &str| {
            let memory = self.isolate.memory.borrow();
            let known = policy.tiers.get(source);
            match known.map(|known| memory.tiers.find(known, value, clock::now()).0) {
                None | Some(Tier::Unknown) => Tier::Named(String::new()),
                Some(tier) => tier,
            }
        };
        let context = Planning {
            policy,
            namer: &self.isolate.namer,
            mode: self.isolate.mode.unwrap_or(policy.mode),
            tiers: &tiers,
        };
        let explanation = Explanation::begin(&context, described);
        let replies = ask::ask(&self.env, &explanation.questions, PATIENCE).await;
        let answers: Vec<_> = replies.into_iter().map(answered).collect();
        Ok(explanation.finish(&answers))
    }

    pub(super) async fn unblock(&self) -> Result<Node, Refusal> {
        let text = self.text().await?;
        if let Some(seen) = key::read(&text)? {
            let counters = self.forget(&[seen.lift()]).await?;
            return Ok(json!({ "counters": counters }));
        }
        let lift = request::lift(&text)?;
        let lifting = lifting(self.policy()?, &self.isolate.namer, &lift)?;
        let counters = self.forget(&lifting.questions).await?;
        Ok(json!({
            "rule": lift.rule, "limit": lift.limit, "key": lift.key, "counters": counters,
        }))
    }

    /// Forgets counters here and in their objects; gives how many held something.
    async fn forget(&self, questions: &[Question]) -> Result<u32, Refusal> {
        {
            let mut memory = self.isolate.memory.borrow_mut();
            for question in questions {
                if let Call::Forget { keys } = &question.call {
                    for key in keys {
                        memory.denials.forget(key);
                        memory.local.forget(key);
                        memory.tallies.forget(key);
                    }
                }
            }
        }
        let mut counters = 0_u32;
        for reply in ask::ask(&self.env, questions, PATIENCE).await {
            match answered(reply) {
                Some(Answer::Forgotten(number)) => counters = counters.saturating_add(number),
                _ => {
                    return Err(Refusal::unavailable(Span::from_secs(1))
                        .detailed("A counter could not be reached; please try again."));
                }
            }
        }
        Ok(counters)
    }
}
