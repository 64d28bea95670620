//! Takes the slots of a request and gives them back when its response has been sent.
//!
//! See slots.js for how a slot is held: by an open stream from the object, so that the end of the
//! request gives it back, whatever ends it.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::ask::{self, Lines};
use super::js::{Context, Host, Request};
use super::serve::Exchange;
use super::{clock, telemetry};
use crate::admission::body::BodyPlan;
use crate::admission::refusals::Shaped;
use crate::admission::slots::{self, RENEW_EVERY, Step, Taking};
use crate::admission::{Plan, Question, Reply, Verdict};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::time::Span;
use crate::wire::{Acquired, Answer, WAITING};

#[wasm_bindgen(module = "/src/edge/slots.js")]
extern "C" {
    type Slots;
    #[wasm_bindgen(constructor)]
    fn new(
        namespace: &JsValue,
        request: &Request,
        context: &Context,
        timeout_ms: f64,
        names: &str,
        hints: &str,
        messages: &str,
    ) -> Slots;
    #[wasm_bindgen(method, getter)]
    fn over(this: &Slots) -> bool;
    #[wasm_bindgen(method)]
    fn take(
        this: &Slots,
        name: &str,
        hint: &str,
        message: &str,
        renew: &str,
        release: &str,
    ) -> Promise;
    #[wasm_bindgen(method)]
    fn turn(this: &Slots, within_ms: f64) -> Promise;
    #[wasm_bindgen(method)]
    fn drop(this: &Slots, doubtful: bool);
    #[wasm_bindgen(method)]
    fn run(this: &Slots, every_ms: f64, after: &JsValue);
    #[wasm_bindgen(method)]
    fn end(this: &Slots);
    #[wasm_bindgen(method, js_name = untilSent, catch)]
    fn until_sent(this: &Slots, response: &JsValue, hold_socket: bool) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = openAnswer)]
    pub fn open_answer(
        request: &Request,
        id: u64,
        host: &Host,
        text: &str,
        later: &JsValue,
    ) -> JsValue;
}

/// The slots of a request. Dropped, they are given back.
pub struct Held {
    slots: Option<Slots>,
    hold_socket: bool,
}

/// What lets charges be taken back after the body has been read, should no slot be had then.
pub fn stay_open(
    exchange: &Exchange,
    plan: &Plan,
    verdict: &Verdict,
    body: &BodyPlan,
) -> Vec<Question> {
    if !plan.before_slots {
        return Vec::new();
    }
    let timeout = exchange.policy.counter_timeout;
    verdict.confirm(body.timeout + timeout + timeout)
}

/// Takes every slot of the plan, in order, waiting where that is allowed. Where one is refused,
/// those before it and all charges have been given back.
pub async fn take(
    exchange: &Exchange,
    plan: &Plan,
    verdict: &Verdict,
    body: &BodyPlan,
) -> Result<Held, Shaped> {
    if plan.slots.is_empty() {
        return Ok(Held {
            slots: None,
            hold_socket: false,
        });
    }
    telemetry::wants_slots(exchange, plan);
    let policy = &exchange.policy;
    let timeout = policy.counter_timeout;
    let refunds = Lines::of(&verdict.take_back());
    let namespace = exchange
        .isolate
        .counters
        .clone()
        .unwrap_or(JsValue::UNDEFINED);
    let slots = Slots::new(
        &namespace,
        &exchange.facts.request,
        &exchange.context,
        millis(timeout),
        &refunds.objects,
        &refunds.hints,
        &refunds.messages,
    );
    let held = Held {
        slots: Some(slots),
        hold_socket: slots::hold_websocket(policy, plan),
    };
    let Some(slots) = &held.slots else {
        return Ok(held);
    };
    let memory = &exchange.isolate.memory;
    let mut taking = Taking::new(plan);
    let mut waited = body.is_watched();
    let mut step = memory
        .borrow_mut()
        .next_slot(policy, plan, &mut taking, clock::now());
    loop {
        match step {
            Step::Run => break,
            Step::Refuse(shaped) => {
                exchange.tell(&verdict.take_back());
                release_local(exchange, verdict, &taking);
                return Err(shaped);
            }
            Step::Ask(question, longest) => {
                telemetry::called(std::slice::from_ref(&question));
                let mut line = ask_for(slots, &question).await;
                if line == WAITING && !slots.over() {
                    waited = true;
                    exchange.tell(&verdict.confirm(longest + timeout + timeout));
                    line = text(slots.turn(millis(longest + timeout))).await;
                }
                if slots.over() {
                    release_local(exchange, verdict, &taking);
                    return Err(Refusal::new(Code::Busy).into());
                }
                let reply = ask::reply(&line);
                match &reply {
                    Reply::Answer(Answer::Acquired(Acquired::Granted { .. })) => {}
                    Reply::Answer(_) => slots.drop(false),
                    _ => slots.drop(true),
                }
                step = memory.borrow_mut().slot_answered(
                    policy,
                    plan,
                    &mut taking,
                    &reply,
                    clock::now(),
                );
            }
        }
    }
    if plan.before_slots && (waited || slots::is_scarce(plan, verdict)) {
        exchange.tell(&verdict.confirm(Span::ZERO));
    }
    slots.run(millis(RENEW_EVERY), &after(exchange, &taking));
    Ok(held)
}

async fn ask_for(slots: &Slots, question: &Question) -> String {
    let Some((renew, release)) = slots::upkeep(question) else {
        return String::new();
    };
    text(slots.take(
        &question.object,
        &question.hint,
        &question.call.encode(),
        &renew.encode(),
        &release.encode(),
    ))
    .await
}

async fn text(promise: Promise) -> String {
    let line = JsFuture::from(promise).await.ok();
    line.and_then(|line| line.as_string()).unwrap_or_default()
}

/// Gives back what this isolate keeps itself for the request.
fn release_local(exchange: &Exchange, verdict: &Verdict, taking: &Taking) {
    let mut memory = exchange.isolate.memory.borrow_mut();
    for id in &taking.local {
        memory.local_slots.release(*id);
    }
    memory.forgive(verdict, clock::now());
}

/// What is to be called when the slots are given back.
fn after(exchange: &Exchange, taking: &Taking) -> JsValue {
    if taking.local.is_empty() {
        return JsValue::UNDEFINED;
    }
    let isolate = exchange.isolate.clone();
    let ids = taking.local.clone();
    Closure::once_into_js(move || {
        let mut memory = isolate.memory.borrow_mut();
        for id in ids {
            memory.local_slots.release(id);
        }
    })
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a pause")]
fn millis(span: Span) -> f64 {
    span.as_millis_ceil() as f64
}

impl Held {
    /// The response, such that the slots are given back once it has been sent.
    pub fn until_sent(mut self, response: JsValue) -> JsValue {
        let Some(slots) = self.slots.take() else {
            return response;
        };
        slots
            .until_sent(&response, self.hold_socket)
            .unwrap_or(response)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(slots) = &self.slots {
            slots.end();
        }
    }
}
