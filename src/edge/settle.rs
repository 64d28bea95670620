//! Tells objects what reservations came to, behind the response.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::js::{self, Response};
use super::serve::Exchange;
use super::{ask, clock};
use crate::admission::facts::Facts;
use crate::admission::plan::Settle;
use crate::admission::refusals::Shaped;
use crate::admission::settle::{self, Ending, LONGEST_BODY};
use crate::admission::verdict::{Reservation, Verdict};
use crate::http::code::Code;
use crate::policy::Cost;

/// The origin has answered. Gives the response to hand on: the same, or one whose body is counted
/// as it streams by.
pub fn answered(exchange: &Exchange, verdict: &Verdict, response: Response) -> Response {
    if !verdict.awaits_response() {
        return response;
    }
    let reservations = &verdict.reservations;
    settle_here(exchange, verdict, Some(response.status()));
    let headers = response.response_headers();
    // What no Response can be made of is not handed on, nor counted.
    let sent = (200..=599).contains(&response.status());
    let known = Ending {
        status: Some(response.status()),
        header: &|name| headers.get(name),
        request_bytes: exchange.facts.body_bytes(),
        response_bytes: (!sent).then_some(0),
    };
    tell(
        exchange,
        &settle::settle(reservations, |one| !(sent && by_body(one)), &known),
    );
    if !sent || !settle::needs_response_bytes(reservations) {
        return response;
    }
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a pause")]
    let pair = js::counted(&response, LONGEST_BODY.as_millis_ceil() as f64 - 5_000.0);
    let counting: Promise = pair.get(1).unchecked_into();
    settle_later(exchange, reservations.to_vec(), counting);
    pair.get(0).unchecked_into()
}

/// Weir itself answers a request that its counters had admitted.
pub fn refused(exchange: &Exchange, verdict: &Verdict, shaped: &Shaped) {
    if verdict.awaits_response() {
        let refusal = &shaped.refusal;
        // A client that leaves takes the origin's request with it: what came of it is not known.
        let code = if exchange.facts.is_abandoned() {
            Code::DeadlineExceeded
        } else {
            refusal.code
        };
        let known = code != Code::DeadlineExceeded;
        settle_here(exchange, verdict, known.then_some(refusal.status));
        let questions = settle::refused(&verdict.reservations, code, refusal.status);
        tell(exchange, &questions);
    }
}

/// What this isolate has charged itself.
fn settle_here(exchange: &Exchange, verdict: &Verdict, status: Option<u16>) {
    let mut memory = exchange.isolate.memory.borrow_mut();
    memory.settle_here(verdict, status, clock::now());
}

fn settle_later(exchange: &Exchange, reservations: Vec<Reservation>, counting: Promise) {
    let env = exchange.env.clone();
    let context = exchange.context.clone();
    let timeout = exchange.policy.counter_timeout;
    let settling = future_to_promise(async move {
        let bytes = JsFuture::from(counting).await.ok().and_then(|n| n.as_f64());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of bytes"
        )]
        let ending = Ending {
            status: None,
            header: &|_| None,
            request_bytes: None,
            response_bytes: bytes.map(|bytes| bytes as u64),
        };
        let questions = settle::settle(&reservations, by_body, &ending);
        ask::tell(&env, &context, &questions, timeout);
        Ok(JsValue::UNDEFINED)
    });
    // It goes on when the client has left: what was sent by then counts.
    exchange.context.wait_until(&settling);
}

fn by_body(settle: &Settle) -> bool {
    *settle == Settle::Cost(Cost::ResponseBytes)
}

fn tell(exchange: &Exchange, questions: &[crate::admission::Question]) {
    ask::tell(
        &exchange.env,
        &exchange.context,
        questions,
        exchange.policy.counter_timeout,
    );
}
