//! Looks callers' tiers up in KV: a request waits for one that this isolate does not know, for a
//! bounded time; a stale one is used while it is looked up behind the response.

use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use super::isolate;
use super::live_policy::fetch;
use super::serve::Exchange;
use super::{clock, js};
use crate::admission::live::Read;
use crate::admission::plan::TierWanted;
use crate::admission::tiers::{MAX_BYTES, kv_key};
use crate::time::Span;

/// How long a request waits for tiers that are not known.
const LONGEST_WAIT: Span = Span::from_millis(100);

/// Looks up what is wanted. Afterwards something is known of each, the default if nothing better.
pub async fn look_up(exchange: &Exchange, wanted: &[TierWanted]) {
    let readings: Array = wanted.iter().map(|one| start(exchange, one)).collect();
    if clock::within(&Promise::all(&readings), LONGEST_WAIT).await {
        return;
    }
    let now = clock::now();
    for one in wanted {
        if let Some(source) = exchange.policy.tiers.get(one.source) {
            let mut memory = exchange.isolate.memory.borrow_mut();
            memory.tiers.gave_up(source, &one.value, now);
        }
    }
}

/// Refreshes what is stale, unless somebody does already.
pub fn refresh(exchange: &Exchange, stale: &[TierWanted]) {
    for one in stale {
        let Some(source) = exchange.policy.tiers.get(one.source) else {
            continue;
        };
        let now = clock::now();
        let mut memory = exchange.isolate.memory.borrow_mut();
        let claimed = memory.tiers.claim(source, &one.value, now);
        drop(memory);
        if claimed {
            // Nobody waits for it here.
            let _ = start(exchange, one);
        }
    }
}

/// An answer that comes after the wait still counts.
fn start(exchange: &Exchange, wanted: &TierWanted) -> Promise {
    let policy = Rc::clone(&exchange.policy);
    let isolate = Rc::clone(&exchange.isolate);
    let wanted = wanted.clone();
    let namespace = policy
        .tiers
        .get(wanted.source)
        .and_then(|source| isolate::binding(&exchange.env, &source.kv));
    let reading = future_to_promise(async move {
        if let Some(source) = policy.tiers.get(wanted.source) {
            let read = match namespace {
                Some(namespace) => fetch(&namespace, &kv_key(&wanted.value), MAX_BYTES).await,
                None => {
                    js::log_error(&format!(
                        "weir: tiers.{}: there is no KV binding {:?}; everybody has the default tier",
                        source.name, source.kv
                    ));
                    Read::Failed
                }
            };
            let mut memory = isolate.memory.borrow_mut();
            memory
                .tiers
                .take_in(source, &wanted.value, &read, clock::now());
        }
        Ok(JsValue::UNDEFINED)
    });
    exchange.context.wait_until(&reading);
    reading
}
