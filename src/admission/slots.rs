//! Slots of one request: whom to ask for them, in what order, and what the answers mean.
//!
//! # Order
//!
//! Every request takes its slots in the order of the policy, and holds those that it has while it
//! waits for the next. Whoever holds a limit's slot thus only ever waits for limits that stand
//! later in the policy, so no two requests wait for each other. Neighbours in that order that live
//! in one object are one call, which takes all or none; others are not joined, for that would
//! change the order.
//!
//! # Without the object
//!
//! `on_error` of the strictest rule concerned decides: `allow` runs, `deny` refuses with 503, and
//! `local` keeps the slots in this isolate as well as it can, without a queue.

mod local;

pub use local::LocalSlots;

use super::refusals::{Shaped, UNAVAILABLE_RETRY};
use super::{Memory, Plan, Question, Reply, Verdict};
use crate::http::refusal::Refusal;
use crate::policy::{Concurrency, OnError, Policy, WebSocketSlot};
use crate::time::{Span, Timestamp};
use crate::wire::{Acquire, Acquired, Answer, Call, CallId, Slot};

/// A slot whose request does not report for this long is free again: the backstop for whatever
/// ends a request without a word. What does end with a word frees its slot at once.
pub const LEASE: Span = Span::from_secs(30);

/// How often a request that runs reports: two reports may be lost.
pub const RENEW_EVERY: Span = Span::from_secs(10);

/// A request on its way through its slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taking {
    /// What is still to be taken, the next last.
    groups: Vec<Group>,
    asked: Option<CallId>,
    /// The present group is asked for the second time.
    again: bool,
    /// Slots kept by this isolate, to be given back with [`LocalSlots::release`].
    pub local: Vec<CallId>,
}

/// Uses of one object that follow each other, as indices into [`Plan::slots`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    object: String,
    uses: Vec<usize>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask this object. Where it says that the request waits, that may take so long.
    Ask(Question, Span),
    /// All slots are held.
    Run,
    /// Give back what is held, charges included, and refuse.
    Refuse(Shaped),
}

impl Taking {
    /// Nothing is taken yet.
    #[must_use]
    pub fn new(plan: &Plan) -> Taking {
        let mut groups: Vec<Group> = Vec::new();
        for (index, slot) in plan.slots.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if group.object == slot.object => group.uses.push(index),
                _ => groups.push(Group {
                    object: slot.object.clone(),
                    uses: vec![index],
                }),
            }
        }
        groups.reverse();
        Taking {
            groups,
            asked: None,
            again: false,
            local: Vec::new(),
        }
    }
}

impl Memory {
    /// The next object to ask, if any is left.
    pub fn next_slot(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        taking: &mut Taking,
        now: Timestamp,
    ) -> Step {
        let Some(group) = taking.groups.last() else {
            return Step::Run;
        };
        if !self.breakers.may_call(&group.object, now) {
            return self.without_object(policy, plan, taking, now);
        }
        let id = self.next_id();
        let items: Vec<Slot> = group.slots(plan).cloned().collect();
        let waits = items.iter().filter(|slot| slot.enforce && slot.waiting > 0);
        let longest = waits.map(|slot| slot.max_wait).max().unwrap_or(Span::ZERO);
        let question = Question {
            object: group.object.clone(),
            hint: String::new(),
            call: Call::Acquire(Acquire {
                id,
                items,
                lease: LEASE,
            }),
            covers: Vec::new(),
        };
        taking.asked = Some(id);
        Step::Ask(question, longest)
    }

    /// Takes in the answer to what [`Self::next_slot`] asked. A waiter's is the one that ends its
    /// wait.
    pub fn slot_answered(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        taking: &mut Taking,
        reply: &Reply,
        now: Timestamp,
    ) -> Step {
        let Some(group) = taking.groups.last() else {
            return Step::Run;
        };
        match reply {
            Reply::Answer(Answer::Acquired(Acquired::Granted { .. })) => {
                self.breakers.succeeded(&group.object);
                taking.groups.pop();
                taking.again = false;
                self.next_slot(policy, plan, taking, now)
            }
            Reply::Answer(Answer::Acquired(
                Acquired::Full { item } | Acquired::TimedOut { item },
            )) => {
                self.breakers.succeeded(&group.object);
                Step::Refuse(busy(policy, plan, group, *item))
            }
            // Whoever was released unasked has lost the object that knew of it.
            Reply::Retryable | Reply::Answer(Answer::Acquired(Acquired::Gone)) if !taking.again => {
                taking.again = true;
                self.next_slot(policy, plan, taking, now)
            }
            Reply::Answer(_)
            | Reply::TimedOut
            | Reply::Overloaded
            | Reply::Retryable
            | Reply::Failed => {
                self.breakers.failed(&group.object, now);
                self.without_object(policy, plan, taking, now)
            }
        }
    }

    fn without_object(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        taking: &mut Taking,
        now: Timestamp,
    ) -> Step {
        let Some(group) = taking.groups.pop() else {
            return Step::Run;
        };
        taking.again = false;
        let enforced = || group.uses.iter().filter_map(|index| plan.slots.get(*index));
        let strictest = enforced()
            .filter(|used| used.slot.enforce)
            .filter_map(|used| Some((policy.rules.get(used.rule)?.on_error, used.rule)))
            .max_by_key(|(on_error, _)| *on_error);
        match strictest {
            Some((OnError::Deny, rule)) => Step::Refuse(Shaped {
                refusal: Refusal::unavailable(UNAVAILABLE_RETRY),
                rule: Some(rule),
            }),
            Some((OnError::Local, _)) => {
                let id = self.next_id();
                let items: Vec<Slot> = group.slots(plan).cloned().collect();
                match self.local_slots.take(id, &items, now) {
                    Ok(()) => {
                        taking.local.push(id);
                        self.next_slot(policy, plan, taking, now)
                    }
                    Err(item) => Step::Refuse(busy(policy, plan, &group, item)),
                }
            }
            Some((OnError::Allow, _)) | None => self.next_slot(policy, plan, taking, now),
        }
    }
}

impl Group {
    fn slots<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = &'a Slot> {
        let used = |index: &usize| plan.slots.get(*index);
        self.uses.iter().filter_map(used).map(|used| &used.slot)
    }
}

/// The refusal by one item of a group, in the shape of its rule.
fn busy(policy: &Policy, plan: &Plan, group: &Group, item: u32) -> Shaped {
    let place = usize::try_from(item).unwrap_or(usize::MAX);
    let used = group.uses.get(place).or(group.uses.first());
    let used = used.and_then(|index| plan.slots.get(*index));
    let found = used.and_then(|used| Some((used.rule, concurrency(policy, used)?)));
    let Some((rule, limit)) = found else {
        return Refusal::unavailable(UNAVAILABLE_RETRY).into();
    };
    Shaped {
        refusal: Refusal::busy(limit.policy_name.clone(), limit.status, limit.retry_after),
        rule: Some(rule),
    }
}

fn concurrency<'a>(policy: &'a Policy, used: &super::plan::SlotUse) -> Option<&'a Concurrency> {
    policy
        .rules
        .get(used.rule)?
        .concurrency
        .get(used.concurrency)
}

/// Whether a WebSocket holds the slots of this plan until it closes.
#[must_use]
pub fn hold_websocket(policy: &Policy, plan: &Plan) -> bool {
    let holds = |rule: usize| {
        let rule = policy.rules.get(rule);
        rule.is_some_and(|rule| rule.websocket == WebSocketSlot::Held)
    };
    plan.slots.iter().any(|used| holds(used.rule))
}

/// Whether a charge is worth a call that ends its being provisional, rather than leaving that to
/// silence. While it may still be taken back, refusals that it causes are not remembered, and a
/// flood asks the object each time; while plenty is left, nobody is refused.
#[must_use]
pub fn is_scarce(plan: &Plan, verdict: &Verdict) -> bool {
    let scarce = |(applied, outcome): (&super::plan::Applied, &Option<crate::wire::Outcome>)| {
        let quota = &applied.item.quota;
        let full = quota.limit.min(quota.burst);
        outcome.is_some_and(|outcome| outcome.remaining < full / 4)
    };
    plan.applied.iter().zip(&verdict.outcomes).any(scarce)
}

/// The calls that keep a slot and give it back, for a call that took one.
#[must_use]
pub fn upkeep(question: &Question) -> Option<(Call, Call)> {
    match &question.call {
        Call::Acquire(Acquire { id, .. }) => {
            Some((Call::Renew { id: *id }, Call::Release { id: *id }))
        }
        _ => None,
    }
}

impl Verdict {
    /// Takes back every charge that still can be: the request came to nothing before the origin.
    #[must_use]
    pub fn take_back(&self) -> Vec<Question> {
        self.charges.iter().map(|charge| charge.refund()).collect()
    }

    /// Keeps every charge, or leaves so much time for it to be taken back.
    #[must_use]
    pub fn confirm(&self, after: Span) -> Vec<Question> {
        let confirm = |charge: &super::verdict::Charge| Question {
            object: charge.object.clone(),
            hint: charge.hint.clone(),
            call: Call::Confirm {
                id: charge.id,
                after,
            },
            covers: Vec::new(),
        };
        self.charges.iter().map(confirm).collect()
    }
}

#[cfg(test)]
mod tests;
