//! The request's body under its bound.

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::js;
use super::serve::Exchange;
use crate::admission::guard::BodyPlan;
use crate::admission::refusals::{self, Shaped};
use crate::http::code::Code;
use crate::http::refusal::Refusal;

/// How much of a refused upload is read, and for how long, so that its sender can read the answer.
const DRAIN_BYTES: f64 = 262_144.0;
const DRAIN_MS: f64 = 2_000.0;

/// Reads what the rules need of the body. Gives what to forward instead of the client's stream, or
/// undefined where the stream itself goes on.
pub async fn take(exchange: &Exchange, plan: &BodyPlan) -> Result<JsValue, Shaped> {
    if !plan.is_watched() {
        return Ok(JsValue::UNDEFINED);
    }
    let (max, rule) = plan.bound.unwrap_or((u64::MAX, 0));
    #[expect(
        clippy::cast_precision_loss,
        reason = "bytes and milliseconds below 2^53"
    )]
    let promise = js::read_body(
        &exchange.facts.request,
        max as f64,
        plan.timeout.as_millis_ceil() as f64,
        DRAIN_BYTES,
        DRAIN_MS,
    );
    let content = JsFuture::from(promise).await.unwrap_or(JsValue::NULL);
    if content.is_instance_of::<Uint8Array>() {
        return Ok(content);
    }
    let refusal = match content.as_string().as_deref() {
        Some("large") => refusals::body_too_large(max),
        Some("slow") => Refusal::new(Code::BodyTimeout),
        _ => Refusal::new(Code::InvalidRequest).detailed("The body broke off."),
    };
    Err(Shaped {
        refusal,
        rule: Some(rule),
    })
}

/// Reads on behind a refusal.
pub fn drain(exchange: &Exchange) {
    let promise = js::drain(&exchange.facts.request, DRAIN_BYTES, DRAIN_MS);
    exchange.context.wait_until(&promise);
}
