//! What goes on once something is awaited: the objects, the body, a slot, the origin.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::Exchange;
use crate::admission::body::BodyPlan;
use crate::admission::decide::{Round, longest_wait};
use crate::admission::plan::Plan;
use crate::admission::refusals::Shaped;
use crate::admission::{Begin, Conclusion, Verdict, second};
use crate::edge::js::{self, Context, Way};
use crate::edge::{ask, body, clock, origin, respond, settle, slots, telemetry};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::telemetry::End;
use crate::time::{Span, Timestamp};

/// The first look at what another request has learnt; each further one takes twice as long.
const FIRST_LOOK: Span = Span::from_millis(4);

/// The promise of what `work` gives. Its client may leave meanwhile: what the platform then dropped
/// half-way would stay in Wasm memory for good, so it is told to wait, though not for an answer of the
/// origin that is handed on as a promise.
pub(super) fn to_the_end(
    context: Option<&Context>,
    work: impl Future<Output = JsValue> + 'static,
) -> JsValue {
    let done = future_to_promise(async move { Ok(Array::of1(&work.await).into()) });
    if let Some(context) = context {
        context.wait_until(&done);
    }
    js::only(&done).into()
}

impl Exchange {
    /// Another request is asking what this one would ask.
    pub(super) fn is_asked_about(&self, plan: &Plan, now: Timestamp) -> bool {
        let memory = self.isolate.memory.borrow();
        memory.is_asked_about(plan, now)
    }

    /// Begins once the other one knows, or has taken too long.
    pub(super) fn count_after_another(
        self,
        plan: Rc<Plan>,
        body: BodyPlan,
        since: Timestamp,
    ) -> JsValue {
        let context = self.context.clone();
        to_the_end(Some(&context), async move {
            let mut left = longest_wait(&self.policy);
            let mut pause = FIRST_LOOK;
            while !left.is_zero() && self.is_asked_about(&plan, clock::now()) {
                pause = pause.min(left);
                clock::sleep(pause).await;
                left = left - pause;
                pause = pause + pause;
            }
            if self.facts.is_abandoned() {
                return respond::to_nobody();
            }
            self.count_now(plan, body, since, clock::now())
        })
    }

    /// Asks the one object whose answer decides everything.
    pub(super) fn ask_one(self, plan: Rc<Plan>, body: BodyPlan, mut round: Round) -> JsValue {
        let asked = clock::now();
        let Some(line) = round.questions.first().map(ask::line) else {
            return self.later(plan, body, Begin::Ask(round));
        };
        telemetry::called(&round.questions);
        let (isolate, context) = (Rc::clone(&self.isolate), self.context.clone());
        let timeout = round.patience(&self.policy, asked);
        let go = Closure::once_into_js(move |line: String| -> JsValue {
            let replies = ask::replies(&round.questions, &line);
            match self.conclude(&plan, round, &replies, asked) {
                Conclusion::Verdict(verdict) if verdict.admitted() => {
                    // The origin is asked nothing for a client that has left.
                    if self.facts.is_abandoned() {
                        return respond::to_nobody();
                    }
                    self.pass(&plan, &verdict, clock::now())
                }
                Conclusion::Verdict(verdict) => self.refuse_by(&plan, &verdict, clock::now()),
                Conclusion::Again(next, pause) => {
                    round = next;
                    let context = self.context.clone();
                    to_the_end(Some(&context), async move {
                        clock::sleep(pause).await;
                        self.run(plan, body, Begin::Ask(round)).await
                    })
                }
            }
        });
        let promise = ask::ask_one(&isolate, &line, timeout, &go, &context);
        promise.map_or(JsValue::UNDEFINED, JsValue::from)
    }

    /// Hands the request on and asks behind it: what the answers say holds for the next one.
    pub(super) fn ask_behind(&self, plan: &Plan, round: Round) -> JsValue {
        let now = clock::now();
        let mut memory = self.isolate.memory.borrow_mut();
        let (verdict, questions) = memory.behind(&self.policy, plan, round, now);
        drop(memory);
        self.report(questions);
        if verdict.admitted() {
            self.pass(plan, &verdict, now)
        } else {
            self.refuse_by(plan, &verdict, now)
        }
    }

    pub(super) fn later(self, plan: Rc<Plan>, body: BodyPlan, begin: Begin) -> JsValue {
        let context = self.context.clone();
        // Who waits for a slot leaves the queue with all that the platform drops then.
        let queues = !plan.slots.is_empty() && plan.applied.iter().all(|one| one.settle.is_none());
        let context = (!queues).then_some(&context);
        to_the_end(context, self.run(plan, body, begin))
    }

    async fn run(self, mut plan: Rc<Plan>, body: BodyPlan, begin: Begin) -> JsValue {
        let mut verdict = self.decide(&plan, begin).await;
        if !verdict.admitted() {
            return self.refuse_by(&plan, &verdict, clock::now());
        }
        if body.is_watched() {
            let way = self.way.get_or_init(js::way);
            self.tell(&slots::stay_open(&self, &plan, &verdict, &body));
            if let Err(shaped) = body::take(&self, &plan, &body, way).await {
                self.tell(&second::keep(&plan, &verdict));
                return self.refuse(&plan, &verdict, &shaped);
            }
        }
        if !plan.waiting_for_body.is_empty() {
            let Some(waiting) = Rc::get_mut(&mut plan) else {
                // A plan that waits for a body is never shared, see `Plans::keep`.
                return self.refuse(&plan, &verdict, &Refusal::new(Code::Unavailable).into());
            };
            self.second_round(waiting, &mut verdict).await;
            if !verdict.admitted() {
                return self.refuse_by(&plan, &verdict, clock::now());
            }
        }
        if self.has_left(&verdict) {
            return respond::to_nobody();
        }
        if self.way.get().is_none() && self.is_simple(&plan, &verdict, &body) {
            return self.pass(&plan, &verdict, clock::now());
        }
        let held = match slots::take(&self, &plan, &verdict, &body).await {
            Ok(held) => held,
            // Everything has been given back: nothing is left to settle.
            Err(shaped) => {
                if !self.facts.is_abandoned() {
                    let end = End::Refused(&shaped);
                    telemetry::record(&self, &plan, &verdict, end, clock::now());
                }
                return respond::refusal(&self, &plan, &verdict, &shaped);
            }
        };
        if self.has_left(&verdict) {
            return respond::to_nobody();
        }
        match self.forward(&plan, &verdict, &body).await {
            Ok(response) => held.until_sent(response),
            // The origin is done with the request, so its slots are free before the refusal is read.
            Err(refusal) => refusal,
        }
    }

    /// The client has left, and nothing is owed to its counters: the origin is spared.
    fn has_left(&self, verdict: &Verdict) -> bool {
        !verdict.awaits_response() && self.facts.is_abandoned()
    }

    /// The origin's answer, or as an error the refusal that is sent in its place.
    async fn forward(
        &self,
        plan: &Plan,
        verdict: &Verdict,
        body: &BodyPlan,
    ) -> Result<JsValue, JsValue> {
        let (isolate, facts) = (&self.isolate, &self.facts);
        if plan.deadline.is_some() {
            self.way.get_or_init(js::way);
        }
        let promise = match self.way.get() {
            None => origin::fetch(isolate, facts),
            Some(way) => origin::travel(isolate, facts, way, plan.deadline),
        };
        let fetched = match promise {
            Ok(promise) => JsFuture::from(promise).await,
            Err(refusal) => return Err(self.refuse(plan, verdict, &refusal.into())),
        };
        match fetched {
            Ok(response) => {
                let response = settle::answered(self, verdict, response.unchecked_into());
                telemetry::record(self, plan, verdict, End::Passed, clock::now());
                respond::pass(self, plan, verdict, &response)
            }
            Err(_) if self.has_left(verdict) => Err(respond::to_nobody()),
            Err(_) => Err(self.refuse(plan, verdict, &self.failure(body))),
        }
    }

    /// Why there is no answer of the origin's.
    fn failure(&self, body: &BodyPlan) -> Shaped {
        let word = self.way.get().map(Way::fault).unwrap_or_default();
        match body::fault(&word, body) {
            Some(shaped) => shaped,
            None if word == "deadline" => Refusal::new(Code::DeadlineExceeded).into(),
            None => Refusal::new(Code::OriginUnreachable).into(),
        }
    }
}
