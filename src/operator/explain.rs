//! What would happen to a request, and why, without counting it.

use crate::json::{Node, json};

use super::key::counter;
use crate::admission::body::{self, Asked, BodyPlan};
use crate::admission::described::Described;
use crate::admission::guard;
use crate::admission::plan::{Applied, Context, LimitRef, key_in_clear, plan};
use crate::admission::refusals::Shaped;
use crate::admission::{Facts, Plan, Question, Verdict, preflight, refusals};
use crate::http::refusal::Refusal;
use crate::policy::{Action, Mode, OnError, Policy, RequestView};
use crate::wire::{Answer, Call, CallId, Charge, Outcome};

/// A request that is being explained.
pub struct Explanation<'a> {
    policy: &'a Policy,
    mode: Mode,
    request: Described,
    plan: Plan,
    /// What to ask, one per object.
    pub questions: Vec<Question>,
}

impl<'a> Explanation<'a> {
    /// Plans what to ask. Counters are only looked at.
    #[must_use]
    pub fn begin(context: &Context<'a>, mut request: Described) -> Explanation<'a> {
        let policy = context.policy;
        let first = plan(context, &request);
        request.body_cost = inspect(policy, &first, context.mode, &request).unwrap_or(None);
        let plan = plan(context, &request);
        let mut questions: Vec<Question> = Vec::new();
        for (index, applied) in plan.applied.iter().enumerate() {
            let known = questions
                .iter_mut()
                .find(|question| question.object == applied.object);
            match known {
                Some(question) => {
                    if let Call::Peek(charge) = &mut question.call {
                        charge.items.push(applied.item.clone());
                    }
                    question.covers.push(index);
                }
                None => questions.push(Question {
                    object: applied.object.clone(),
                    hint: applied.hint.clone(),
                    call: Call::Peek(Charge {
                        id: CallId(0),
                        provisional: None,
                        items: vec![applied.item.clone()],
                    }),
                    covers: vec![index],
                }),
            }
        }
        Explanation {
            policy,
            mode: context.mode,
            request,
            plan,
            questions,
        }
    }

    /// Puts it in words. `answers` are those to the questions, in their order; None where an object
    /// could not be reached.
    #[must_use]
    pub fn finish(&self, answers: &[Option<Answer>]) -> Node {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.plan.applied.len()];
        for (question, answer) in self.questions.iter().zip(answers) {
            let Some(Answer::Charged(charged)) = answer else {
                continue;
            };
            for (index, outcome) in question.covers.iter().zip(&charged.outcomes) {
                if let Some(place) = outcomes.get_mut(*index) {
                    *place = Some(*outcome);
                }
            }
        }
        let verdict = self.verdict(outcomes);
        let refusal = self.refusal(&verdict);
        let limits = self.plan.applied.iter().zip(&verdict.outcomes);
        json!({
            "would": if refusal.is_some() { "refuse" } else { "pass" },
            "refusal": refusal.map(|refusal| answer(&refusal)),
            "mode": mode(self.mode),
            "preflight": self.plan.preflight,
            "cost": self.request.body_cost,
            "rules": self.plan.rules.iter().filter_map(|rule| self.rule(*rule)).collect::<Vec<_>>(),
            "limits": limits
                .filter_map(|(applied, outcome)| self.limit(applied, *outcome))
                .collect::<Vec<_>>(),
            "concurrency": self.slots(),
        })
    }

    fn verdict(&self, outcomes: Vec<Option<Outcome>>) -> Verdict {
        let mut verdict = Verdict::default();
        for (index, (applied, outcome)) in self.plan.applied.iter().zip(&outcomes).enumerate() {
            if !applied.item.enforce {
                continue;
            }
            match outcome {
                Some(outcome) if !outcome.conforms => verdict.refused.push(index),
                None if self.on_error(applied.limit) == OnError::Deny => {
                    verdict.unavailable.push(index);
                }
                _ => {}
            }
        }
        verdict.outcomes = outcomes;
        verdict
    }

    fn on_error(&self, limit: LimitRef) -> OnError {
        limit
            .rule(self.policy)
            .map_or(OnError::Local, |rule| rule.on_error)
    }

    /// In the order in which a request meets them: guards, counters, body.
    fn refusal(&self, verdict: &Verdict) -> Option<Refusal> {
        let present = self.request.body.is_some();
        let bytes = self.request.body_bytes();
        let body = BodyPlan::new(self.policy, &self.plan, self.mode, present, bytes);
        if let Some(refusal) = preflight::check(&self.plan, self.mode, &body) {
            return Some(refusal);
        }
        let guarded = guard::check(self.policy, &self.plan, self.mode, &self.request, &body);
        if let Some(guarded) = guarded {
            return Some(refusals::of_guard(guarded).refusal);
        }
        if !verdict.admitted() {
            return Some(refusals::of_verdict(self.policy, &self.plan, verdict).refusal);
        }
        let refused = inspect(self.policy, &self.plan, self.mode, &self.request).err()?;
        Some(refused.refusal)
    }

    fn rule(&self, index: usize) -> Option<Node> {
        let rule = self.policy.rules.get(index)?;
        Some(json!({
            "name": rule.name,
            "mode": mode(rule.mode.min(self.mode)),
            "action": if rule.action == Action::Deny { "deny" } else { "limit" },
        }))
    }

    fn limit(&self, applied: &Applied, outcome: Option<Outcome>) -> Option<Node> {
        let limit = applied.limit.of(self.policy)?;
        let mut out = counter(&applied.item, outcome);
        let key = key_in_clear(self.policy, applied.limit, &self.request);
        out.push(("name".to_owned(), limit.policy_name.clone().into()));
        out.push(("key".to_owned(), key.into()));
        if let Some(tier) = &applied.tier {
            out.push(("tier".to_owned(), tier.clone().into()));
        }
        Some(Node::Table(out))
    }

    fn slots(&self) -> Vec<Node> {
        let of = |slot: &crate::admission::plan::SlotUse| {
            let rule = self.policy.rules.get(slot.rule)?;
            let concurrency = rule.concurrency.get(slot.concurrency)?;
            Some(json!({
                "name": concurrency.policy_name,
                "hash": slot.slot.key.to_string(),
                "running": slot.slot.running,
                "waiting": slot.slot.waiting,
                "enforced": slot.slot.enforce,
            }))
        };
        self.plan.slots.iter().filter_map(of).collect()
    }
}

/// Looks into the body as its rules do; gives its cost.
fn inspect(
    policy: &Policy,
    plan: &Plan,
    mode: Mode,
    request: &Described,
) -> Result<Option<u64>, Box<Shaped>> {
    let media_type = RequestView::header(request, "content-type");
    let asked = Asked {
        method: request.method(),
        query: request.query_text(),
        media_type: media_type.as_deref(),
    };
    let content = request.body.as_deref().unwrap_or_default();
    body::inspect(policy, plan, mode, asked, content)
}

fn answer(refusal: &Refusal) -> Node {
    json!({
        "status": refusal.status,
        "error": refusal.code.as_str(),
        "message": refusal.message(),
        "violated-policies": refusal.violated,
    })
}

/// The word for a mode.
#[must_use]
pub fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Off => "off",
        Mode::Shadow => "shadow",
        Mode::Enforce => "enforce",
    }
}

#[cfg(test)]
mod tests;
