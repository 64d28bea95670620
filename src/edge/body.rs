//! The request's body under its bounds: held back, counted, looked into.

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::js::{self, Way};
use super::request::{BodyFacts, RequestFacts};
use super::serve::Exchange;
use crate::admission::Plan;
use crate::admission::body::{self, Asked, BodyPlan, Coding};
use crate::admission::refusals::{self, Shaped};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::RequestView;
use crate::time::Span;

/// How much of a refused upload is read, and for how long, so that its sender can read the answer.
const DROP_BYTES: u64 = 1 << 20;
const DROP_FOR: Span = Span::from_secs(2);

/// All bodies held in one isolate together, in bytes of JavaScript's memory.
const ROOM: u64 = 32 << 20;

/// When it is worth trying again while there is no room to hold a body in.
const ROOM_RETRY: Span = Span::from_secs(1);

/// Reads what the rules need of the body and looks into it. What goes on to the origin is in `way`.
pub async fn take(
    exchange: &Exchange,
    plan: &Plan,
    body: &BodyPlan,
    way: &Way,
) -> Result<(), Shaped> {
    let promise = js::take_body(
        way,
        &exchange.facts.request,
        body.declared.map_or(-1.0, number),
        number(body.held()),
        body.bound.map_or(f64::INFINITY, |(max, _)| number(max)),
        millis(if body.strict {
            body.timeout
        } else {
            Span::ZERO
        }),
        millis(body.timeout_rule.map_or(Span::ZERO, |_| body.timeout)),
        number(ROOM),
        number(DROP_BYTES),
        millis(DROP_FOR),
    );
    // Lets go of the memory also where the client has gone.
    exchange.context.wait_until(&promise);
    let word = JsFuture::from(promise).await.ok();
    let word = word.and_then(|word| word.as_string()).unwrap_or_default();
    if !word.is_empty() {
        return Err(fault(&word, body).unwrap_or_else(broken));
    }
    let bytes = way.bytes();
    let length = bytes.dyn_ref::<Uint8Array>().map(Uint8Array::length);
    let mut facts = BodyFacts {
        known: true,
        bytes: length.map(u64::from).or(body.declared),
        ..BodyFacts::default()
    };
    if length.is_some() && body.looked_into {
        let content = decoded(exchange, body, bytes).await?;
        if let Some(content) = content {
            let cost = inspect(exchange, plan, &content)?;
            facts.cost = cost;
            facts.content = Some(content.into());
        }
    }
    exchange.facts.set_body(facts);
    Ok(())
}

/// Looks into a body for every rule that bounds it; gives its cost.
pub fn inspect(exchange: &Exchange, plan: &Plan, content: &[u8]) -> Result<Option<u64>, Shaped> {
    let facts: &RequestFacts = &exchange.facts;
    let media_type = facts.text("content-type");
    let asked = Asked {
        method: facts.method(),
        query: facts.parts().query,
        media_type: media_type.as_deref(),
    };
    body::inspect(&exchange.policy, plan, exchange.mode(), asked, content).map_err(|shaped| *shaped)
}

/// The body without its content coding; none where that cannot be had and no enforced rule minds.
async fn decoded(
    exchange: &Exchange,
    body: &BodyPlan,
    bytes: JsValue,
) -> Result<Option<Vec<u8>>, Shaped> {
    let coding = match Coding::of(&exchange.facts) {
        Coding::Identity => return Ok(Some(Uint8Array::new(&bytes).to_vec())),
        Coding::Gzip => "gzip",
        Coding::Deflate => "deflate",
        Coding::Unknown => return Ok(None),
    };
    let max = number(body.held());
    let decoded = JsFuture::from(js::inflate(&bytes, coding, max)).await;
    let decoded = decoded.unwrap_or(JsValue::NULL);
    if let Some(decoded) = decoded.dyn_ref::<Uint8Array>() {
        return Ok(Some(decoded.to_vec()));
    }
    let Some(rule) = body.looked_into_by else {
        return Ok(None);
    };
    if decoded.as_string().as_deref() == Some("large") {
        return match fault("large", body) {
            Some(shaped) => Err(shaped),
            None => Ok(None),
        };
    }
    Err(Shaped {
        refusal: Refusal::new(Code::InvalidRequest).detailed(format!(
            "The body is not what its content coding, {coding}, says."
        )),
        rule: Some(rule),
    })
}

/// What a word of way.js means, where it is one about the body.
pub fn fault(word: &str, body: &BodyPlan) -> Option<Shaped> {
    let (max, rule) = body
        .bound
        .map_or((0, None), |(max, rule)| (max, Some(rule)));
    let (refusal, rule) = match word {
        "large" if rule.is_some() => (refusals::body_too_large(max), rule),
        "slow" => (Refusal::new(Code::BodyTimeout), body.timeout_rule.or(rule)),
        "busy" => {
            let mut busy = Refusal::new(Code::Busy);
            busy.retry_after = Some(ROOM_RETRY);
            (busy, rule)
        }
        "broken" => return Some(broken()),
        _ => return None,
    };
    Some(Shaped { refusal, rule })
}

fn broken() -> Shaped {
    Refusal::new(Code::InvalidRequest)
        .detailed("The body broke off.")
        .into()
}

/// Settles once what is left of a refused upload has been read, or given up.
pub fn dropped(exchange: &Exchange) -> js_sys::Promise {
    let promise = js::dropped(
        exchange.way.get(),
        &exchange.facts.request,
        number(DROP_BYTES),
        millis(DROP_FOR),
    );
    exchange.context.wait_until(&promise);
    promise
}

#[expect(clippy::cast_precision_loss, reason = "sizes and times below 2^53")]
fn number(value: u64) -> f64 {
    value as f64
}

/// Milliseconds as JavaScript takes them; 0 stays 0.
pub fn millis(span: Span) -> f64 {
    number(span.as_millis_ceil())
}
