//! Reads the policy in KV (binding `POLICY_KV`): behind responses once this isolate has heard of
//! it, and before the first ones, each for itself, for a bounded time.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::clock;
use super::isolate::{self, Isolate};
use super::js::{self, Context, Env};
use crate::admission::live::{Need, Read, Taken};
use crate::policy::node::MAX_BYTES;
use crate::time::Span;

/// The binding.
pub const BINDING: &str = "POLICY_KV";
/// The key of the policy in force, and of the one before it; `weir push` writes both.
const KEY: &str = "policy";
const PREVIOUS: &str = "policy:previous";

/// How long a request of a cold isolate waits for KV.
const LONGEST_WAIT: Span = Span::from_millis(250);

/// Starts a read where one is due. Gives its promise where this request has to wait for it.
pub fn refresh(isolate: &Rc<Isolate>, env: &Env, context: &Context) -> Option<Promise> {
    if !isolate.live.borrow().has_kv() {
        return None;
    }
    let need = isolate.live.borrow_mut().need(clock::now());
    if need == Need::Nothing {
        return None;
    }
    let namespace = isolate::binding(env, BINDING)?;
    let isolate = Rc::clone(isolate);
    let reading = future_to_promise(async move {
        read(&isolate, &namespace).await;
        Ok(JsValue::UNDEFINED)
    });
    // An answer that comes after the wait still counts.
    context.wait_until(&reading);
    (need == Need::Wait).then_some(reading)
}

/// Waits for a read, for as long as a request may.
pub async fn wait(isolate: &Isolate, reading: &Promise) {
    if !clock::within(reading, LONGEST_WAIT).await {
        isolate.live.borrow_mut().gave_up(clock::now());
    }
}

async fn read(isolate: &Isolate, namespace: &JsValue) {
    let document = fetch(namespace, KEY, MAX_BYTES).await;
    let taken = isolate.live.borrow_mut().take_in(document, clock::now());
    tell(isolate, taken);
    if isolate.live.borrow().wants_previous() {
        let document = fetch(namespace, PREVIOUS, MAX_BYTES).await;
        let now = clock::now();
        let taken = isolate.live.borrow_mut().take_in_previous(&document, now);
        tell(isolate, taken);
    }
}

/// Reads a value of at most `max` bytes.
pub async fn fetch(namespace: &JsValue, key: &str, max: usize) -> Read {
    #[expect(clippy::cast_precision_loss, reason = "bytes of a policy")]
    let reading = js::kv_text(namespace, key, max as f64);
    match JsFuture::from(reading).await {
        Ok(value) if value.is_null() => Read::Absent,
        Ok(value) if value == JsValue::FALSE => Read::TooLarge,
        Ok(value) => value.as_string().map_or(Read::Failed, Read::Text),
        Err(_) => Read::Failed,
    }
}

fn tell(isolate: &Isolate, taken: Taken) {
    let live = isolate.live.borrow();
    match taken {
        Taken::Same => {}
        Taken::Changed => {
            if let Some(in_force) = live.in_force() {
                js::log(&format!(
                    "weir: the policy in force is now {} from {}",
                    in_force.policy.fingerprint,
                    in_force.source.name()
                ));
            }
        }
        Taken::Rejected => isolate::tell_rejected(&live),
    }
}
