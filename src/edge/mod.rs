//! The only code that knows the platform: entry point, counter objects, origin, streams. It does
//! what the pure part says and decides nothing.
//!
//! Exactly one function and two classes leave the crate: `fetch`, the Worker's handler, and the
//! Durable Objects [`counter::Counter`] and [`telemetry::object::Telemetry`]. entry.js hands the
//! platform these three and nothing else: whatever a Worker exports beside them, Workers that are
//! bound to it may call.

mod again;
mod ask;
mod body;
mod clock;
pub mod counter;
mod decide;
mod isolate;
mod js;
mod live_policy;
mod origin;
mod pages;
mod request;
mod reset;
mod respond;
mod serve;
mod settle;
mod slots;
mod storage;
pub mod telemetry;
mod tiers;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The Worker's handler: a `Response`, or the promise of one.
#[wasm_bindgen]
pub fn fetch(request: js::Request, env: js::Env, context: js::Context) -> JsValue {
    serve::begin(request, env, context)
}
