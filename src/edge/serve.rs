//! One request from start to finish.
//!
//! [`begin`] runs synchronously: where the verdict needs nothing that has to be awaited, the
//! refusal or the promise of `fetch(request)` itself is handed back and no Rust future is made.
//! Everything else goes on in [`Exchange::run`].

mod alike;
mod awaited;

use std::cell::OnceCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use self::alike::Known;
pub use self::alike::Plans;
use self::awaited::to_the_end;
use super::isolate::{self, Isolate};
use super::js::{self, Context, Env, Request, Way};
use super::origin::{self, Added};
use super::request::{BodyFacts, Head, RequestFacts};
use super::{again, ask, body, clock, live_policy, pages, respond, settle, telemetry, tiers};
use crate::admission::body::BodyPlan;
use crate::admission::decide::is_payable;
use crate::admission::guard;
use crate::admission::plan::Plan;
use crate::admission::preflight;
use crate::admission::refusals::{self, Shaped};
use crate::admission::{Begin, Question, Verdict};
use crate::policy::{Mode, Policy};
use crate::telemetry::{End, Source};
use crate::time::{Span, Timestamp};

/// One request and all that it needs on its way.
pub struct Exchange {
    /// The bindings.
    pub env: Env,
    /// Keeps work alive behind the response.
    pub context: Context,
    /// What the isolate knows.
    pub isolate: Rc<Isolate>,
    /// The policy that holds for this request, to its end.
    pub policy: Rc<Policy>,
    /// The request.
    pub facts: RequestFacts,
    /// Its way to the origin, where that is more than handing the request on.
    pub way: OnceCell<Way>,
}

/// Answers a request, at once where it can.
pub fn begin(request: Request, env: Env, context: Context) -> JsValue {
    let isolate = isolate::of(&env);
    match live_policy::refresh(&isolate, &env, &context) {
        None => with_policy(request, env, context, isolate),
        Some(reading) => to_the_end(Some(&context.clone()), async move {
            live_policy::wait(&isolate, &reading).await;
            if js::has_left(&request) {
                return respond::to_nobody();
            }
            with_policy(request, env, context, isolate)
        }),
    }
}

fn with_policy(request: Request, env: Env, context: Context, isolate: Rc<Isolate>) -> JsValue {
    let policy = isolate.policy();
    let named = policy
        .as_deref()
        .and_then(|policy| policy.client_ip_header.as_deref());
    let number = js::number_of(&request, named);
    let known = policy
        .as_ref()
        .and_then(|policy| isolate.plans.borrow().find(policy, number));
    let head = match &known {
        Some(known) => Rc::clone(&known.head),
        None => Rc::new(Head::new(js::latest_head())),
    };
    let facts = RequestFacts::new(request, head);
    if known.is_none()
        && let Some(page) = pages::answer(&isolate, policy.as_ref(), &env, &facts)
    {
        return page;
    }
    let Some(policy) = policy else {
        return origin::pass(&isolate, &facts, &Added::Nothing)
            .unwrap_or_else(|refusal| respond::bare(&facts, &refusal));
    };
    let exchange = Exchange {
        env,
        context,
        isolate,
        policy,
        facts,
        way: OnceCell::new(),
    };
    match known {
        Some(known) => exchange.go_on_as_before(&known),
        None => exchange.begin(),
    }
}

impl Exchange {
    fn begin(self) -> JsValue {
        let mode = self.mode();
        self.look_at_body();
        let plan = self.plan(mode, false);
        if plan.tiers_wanted.is_empty() {
            return self.go_on(mode, plan);
        }
        // What this isolate refuses anyway needs no look-up.
        let now = clock::now();
        let recalled = self
            .isolate
            .memory
            .borrow_mut()
            .recall(&self.policy, &plan, now);
        if let Some(verdict) = recalled {
            return self.refuse_by(&plan, &verdict, now);
        }
        let context = self.context.clone();
        self.facts.look_further();
        to_the_end(Some(&context), async move {
            tiers::look_up(&self, &plan.tiers_wanted).await;
            if self.facts.is_abandoned() {
                return respond::to_nobody();
            }
            let plan = self.plan(mode, true);
            self.go_on(mode, plan)
        })
    }

    fn go_on(self, mode: Mode, mut plan: Plan) -> JsValue {
        let declared = self.facts.body_facts();
        let present = !declared.known;
        let body = BodyPlan::new(&self.policy, &plan, mode, present, declared.bytes);
        if let Some(refusal) = preflight::check(&plan, mode, &body) {
            return self.refuse(&plan, &Verdict::default(), &refusal.into());
        }
        if let Some(guarded) = guard::check(&self.policy, &plan, mode, &self.facts, &body) {
            return self.refuse(&plan, &Verdict::default(), &refusals::of_guard(guarded));
        }
        if !present && body.inspected {
            match body::inspect(&self, &plan, &[]) {
                Ok(None) => {}
                Ok(cost) => {
                    // What it costs by what its URL asks.
                    let facts = self.facts.body_facts();
                    self.facts.set_body(BodyFacts { cost, ..facts });
                    plan = self.plan(mode, true);
                }
                Err(shaped) => return self.refuse(&plan, &Verdict::default(), &shaped),
            }
        }
        let plan = Rc::new(plan);
        if !present
            && !body.inspected
            && let Some(head) = self.facts.head_alone()
        {
            let is_payable = is_payable(&self.policy, &plan)
                && self.is_simple(&plan, &Verdict::default(), &body);
            let known = Known::new(Rc::clone(head), Rc::clone(&plan), is_payable);
            self.isolate.plans.borrow_mut().keep(&self.policy, known);
        }
        self.count(plan, body, clock::now())
    }

    /// What the counters say, from memory where it says.
    fn count(self, plan: Rc<Plan>, body: BodyPlan, now: Timestamp) -> JsValue {
        if self.is_asked_about(&plan, now) {
            return self.count_after_another(plan, body, now);
        }
        self.count_now(plan, body, now, now)
    }

    /// The same for a request that has waited for another since `since`.
    fn count_now(
        self,
        plan: Rc<Plan>,
        body: BodyPlan,
        since: Timestamp,
        now: Timestamp,
    ) -> JsValue {
        let mut begin =
            self.isolate
                .memory
                .borrow_mut()
                .begin_since(&self.policy, &plan, since, now);
        if let Begin::Decided(verdict) = &mut begin
            && !plan.applied.is_empty()
        {
            self.report(std::mem::take(&mut verdict.reports));
            let source = if !verdict.paid.is_empty() {
                Source::Lease
            } else {
                Source::Local
            };
            telemetry::decided(source, Span::ZERO);
        }
        match begin {
            Begin::Decided(verdict) if !verdict.admitted() => self.refuse_by(&plan, &verdict, now),
            Begin::Decided(verdict) if self.is_simple(&plan, &verdict, &body) => {
                self.pass(&plan, &verdict, now)
            }
            Begin::Ask(round) if self.asks_only(&plan, &body) => {
                if round.is_behind(&self.policy, &plan) {
                    self.ask_behind(&plan, round)
                } else if round.questions.len() == 1 && self.isolate.counters.is_some() {
                    self.ask_one(plan, body, round)
                } else {
                    self.later(plan, body, Begin::Ask(round))
                }
            }
            begin => self.later(plan, body, begin),
        }
    }

    /// Hands the request on; nothing of ours waits for the answer.
    fn pass(&self, plan: &Plan, verdict: &Verdict, now: Timestamp) -> JsValue {
        let added = respond::added(self, plan, verdict);
        let added = added.map_or(Added::Nothing, Added::Lines);
        match origin::pass(&self.isolate, &self.facts, &added) {
            Ok(response) => {
                telemetry::record(self, plan, verdict, End::Passed, now);
                response
            }
            Err(refusal) => self.refuse(plan, verdict, &refusal.into()),
        }
    }

    /// `WEIR_MODE` has the last word over the policy's own mode.
    pub fn mode(&self) -> Mode {
        self.isolate.mode.unwrap_or(self.policy.mode)
    }

    /// What the headers say of the body.
    fn look_at_body(&self) {
        let has_body = self.facts.has_body();
        let declared = if has_body {
            self.facts
                .text("content-length")
                .and_then(|length| crate::body::content_length(&length))
        } else {
            Some(0)
        };
        self.facts.set_body(BodyFacts {
            known: declared == Some(0),
            bytes: declared,
            ..BodyFacts::default()
        });
    }

    fn refuse_by(&self, plan: &Plan, verdict: &Verdict, now: Timestamp) -> JsValue {
        self.tell(&verdict.refunds);
        if verdict.remembered && !self.facts.has_body() {
            return again::refuse(self, plan, verdict, now);
        }
        let shaped = refusals::of_verdict(&self.policy, plan, verdict);
        self.refuse(plan, verdict, &shaped)
    }

    /// Answers with a refusal.
    pub fn refuse(&self, plan: &Plan, verdict: &Verdict, shaped: &Shaped) -> JsValue {
        telemetry::record(self, plan, verdict, End::Refused(shaped), clock::now());
        settle::refused(self, verdict, shaped);
        respond::refusal(self, plan, verdict, shaped)
    }

    /// Tells objects what nobody waits for.
    pub fn tell(&self, questions: &[Question]) {
        ask::tell(
            &self.env,
            &self.context,
            questions,
            self.policy.counter_timeout,
        );
    }

    /// What objects answer is all that is left to be waited for before the origin.
    fn asks_only(&self, plan: &Plan, body: &BodyPlan) -> bool {
        plan.applied.iter().all(|applied| applied.settle.is_none())
            && self.is_simple(plan, &Verdict::default(), body)
    }

    /// Nothing is left to do before the origin, nor after it but to add fields.
    fn is_simple(&self, plan: &Plan, verdict: &Verdict, body: &BodyPlan) -> bool {
        let has_cors = |rule: &usize| {
            let rule = self.policy.rules.get(*rule);
            rule.is_some_and(|rule| rule.cors.is_some())
        };
        !body.is_watched()
            && plan.waiting_for_body.is_empty()
            && plan.slots.is_empty()
            && plan.deadline.is_none()
            && !verdict.awaits_response()
            && !plan.rules.iter().any(has_cors)
    }
}
