//! One request from start to finish.
//!
//! [`begin`] runs synchronously: where the verdict needs nothing that has to be awaited, the
//! refusal or the promise of `fetch(request)` itself is handed back and no Rust future is made.
//! Everything else goes on in [`Exchange::run`].

use std::cell::OnceCell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::isolate::{self, Isolate};
use super::js::{self, Context, Env, Request, Way};
use super::request::{BodyFacts, RequestFacts};
use super::{
    ask, body, clock, live_policy, origin, pages, respond, settle, slots, telemetry, tiers,
};
use crate::admission::body::BodyPlan;
use crate::admission::plan::Plan;
use crate::admission::preflight;
use crate::admission::refusals::{self, Shaped};
use crate::admission::{Begin, Question, Verdict};
use crate::admission::{guard, second};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::{Mode, Policy};
use crate::telemetry::{End, Source};
use crate::time::Span;

/// Where the platform itself writes the client's address.
const CLIENT_IP_HEADER: &str = "cf-connecting-ip";

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
        Some(reading) => future_to_promise(async move {
            live_policy::wait(&isolate, &reading).await;
            Ok(with_policy(request, env, context, isolate))
        })
        .into(),
    }
}

fn with_policy(request: Request, env: Env, context: Context, isolate: Rc<Isolate>) -> JsValue {
    let policy = isolate.policy();
    let named = policy
        .as_deref()
        .map(|policy| policy.client_ip_header.as_str());
    let facts = RequestFacts::read(request, named.filter(|name| *name != CLIENT_IP_HEADER));
    if let Some(page) = pages::answer(&isolate, policy.as_ref(), &env, &facts) {
        return page;
    }
    let Some(policy) = policy else {
        return origin::pass(&isolate, &facts, None)
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
    exchange.begin()
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
        let recalled = self
            .isolate
            .memory
            .borrow_mut()
            .recall(&self.policy, &plan, clock::now());
        if let Some(verdict) = recalled {
            return self.refuse_by(&plan, &verdict);
        }
        future_to_promise(async move {
            tiers::look_up(&self, &plan.tiers_wanted).await;
            let plan = self.plan(mode, true);
            Ok(self.go_on(mode, plan))
        })
        .into()
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
                    self.set_cost(cost);
                    plan = self.plan(mode, true);
                }
                Err(shaped) => return self.refuse(&plan, &Verdict::default(), &shaped),
            }
        }
        let now = clock::now();
        let begin = self
            .isolate
            .memory
            .borrow_mut()
            .begin(&self.policy, &plan, now);
        if let Begin::Decided(verdict) = &begin
            && !plan.applied.is_empty()
        {
            let source = if !verdict.paid.is_empty() {
                Source::Lease
            } else {
                Source::Local
            };
            telemetry::decided(source, Span::ZERO);
        }
        match begin {
            Begin::Decided(verdict) if !verdict.admitted() => self.refuse_by(&plan, &verdict),
            Begin::Decided(verdict) if self.is_simple(&plan, &verdict, &body) => {
                self.pass(&plan, &verdict)
            }
            begin => self.later(plan, body, begin),
        }
    }

    /// Hands the request on; nothing of ours waits for the answer.
    fn pass(&self, plan: &Plan, verdict: &Verdict) -> JsValue {
        let added = respond::added(self, plan, verdict);
        match origin::pass(&self.isolate, &self.facts, added.as_deref()) {
            Ok(response) => {
                telemetry::record(self, plan, verdict, End::Passed);
                response
            }
            Err(refusal) => self.refuse(plan, verdict, &refusal.into()),
        }
    }

    /// `WEIR_MODE` has the last word over the policy's own mode.
    pub fn mode(&self) -> Mode {
        self.isolate.mode.unwrap_or(self.policy.mode)
    }

    /// What a request without a body costs by what its URL asks.
    fn set_cost(&self, cost: Option<u64>) {
        let facts = self.facts.body_facts();
        self.facts.set_body(BodyFacts { cost, ..facts });
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

    fn later(self, plan: Plan, body: BodyPlan, begin: Begin) -> JsValue {
        let settles = plan.applied.iter().any(|applied| applied.settle.is_some());
        let context = settles.then(|| self.context.clone());
        let answer = future_to_promise(async move { Ok(self.run(plan, body, begin).await) });
        if let Some(context) = context {
            // What was reserved is settled even when the client does not wait for the answer.
            context.wait_until(&answer);
        }
        answer.into()
    }

    async fn run(self, mut plan: Plan, body: BodyPlan, begin: Begin) -> JsValue {
        let mut verdict = self.decide(&plan, begin).await;
        if !verdict.admitted() {
            return self.refuse_by(&plan, &verdict);
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
            self.second_round(&mut plan, &mut verdict).await;
            if !verdict.admitted() {
                return self.refuse_by(&plan, &verdict);
            }
        }
        if self.way.get().is_none() && self.is_simple(&plan, &verdict, &body) {
            return self.pass(&plan, &verdict);
        }
        let held = match slots::take(&self, &plan, &verdict, &body).await {
            Ok(held) => held,
            // Everything has been given back: nothing is left to settle.
            Err(shaped) => {
                if !self.facts.is_abandoned() {
                    telemetry::record(&self, &plan, &verdict, End::Refused(&shaped));
                }
                return respond::refusal(&self, &plan, &verdict, &shaped);
            }
        };
        match self.forward(&plan, &verdict, &body).await {
            Ok(response) => held.until_sent(response),
            // The origin is done with the request, so its slots are free before the refusal is read.
            Err(refusal) => refusal,
        }
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
                let reservations = &verdict.reservations;
                let response = settle::answered(self, reservations, response.unchecked_into());
                telemetry::record(self, plan, verdict, End::Passed);
                respond::pass(self, plan, verdict, &response)
            }
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

    fn refuse_by(&self, plan: &Plan, verdict: &Verdict) -> JsValue {
        self.tell(&verdict.refunds);
        let shaped = refusals::of_verdict(&self.policy, plan, verdict);
        self.refuse(plan, verdict, &shaped)
    }

    /// Answers with a refusal.
    pub fn refuse(&self, plan: &Plan, verdict: &Verdict, shaped: &Shaped) -> JsValue {
        telemetry::record(self, plan, verdict, End::Refused(shaped));
        settle::refused(self, &verdict.reservations, shaped);
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
            && verdict.reservations.is_empty()
            && !plan.rules.iter().any(has_cors)
    }
}
