//! Weir: a rate limiter and admission controller for the CDN edge.
//!
//! # Bird's eye
//!
//! A request meets one synchronous entry ([`edge`], wasm32 only). The entry reads what it must of
//! the request, hands plain strings and a time to [`admission`], and does what the answer says:
//! return a refusal, forward, or ask counter objects first. A counter object is a [`ledger`] with
//! a clock and a store given to it from outside; it knows limits, never rules or requests.
//!
//! # Rooms
//!
//! | room | holds | may use |
//! | --- | --- | --- |
//! | [`time`] | instants and spans in integer microseconds; the only place that converts or rounds | – |
//! | [`policy`] | what the operator wrote: raw document to checked `Policy`; matching | `time` |
//! | [`json`] | a JSON tree with the exact text of its numbers, and its writer | – |
//! | `map` | ordered maps of which the compiler makes one copy | key types of `time` and `wire` |
//! | `text` | searching text for text | nothing |
//! | `memo` | what was computed lately, in bounded memory | nothing |
//! | [`limit`] | how to count: one file per algorithm, pure | `time` |
//! | [`wire`] | Worker to object messages, object and counter names, versioned | `time`, `limit` |
//! | [`ledger`] | the state machine inside one counter object, over a `Store` | `time`, `limit`, `wire` |
//! | [`http`] | names and shapes on the wire: addresses, paths, cookies, fields, problem documents | `time`; of `limit` and `policy` the plain types that say how to answer |
//! | [`body`] | byte bounds, JSON schema and cost, GraphQL, fields for keys | `http` |
//! | [`admission`] | one request against the rules: plan, verdict, denial cache, leases | all above but `ledger` |
//! | [`cli`] | the `weir` command, native only | `policy`, `replay` |
//! | [`operator`] | Weir's own pages: routes, token, explain, unblock | `admission`, `policy`, `wire`, `http` |
//! | [`replay`] | access logs against a policy, with the log's time as the clock | `admission`, `ledger`, `policy`, `http` |
//! | [`telemetry`] | what happened, summed up: in an isolate, over all of them, as metrics | `admission`, `policy`, `wire`, `http` |
//! | `edge` | everything that touches the platform; decides nothing. With the feature `lab` it is `edge/lab.rs` alone: [`replay`] for the browser | all above |
//!
//! # Invariants
//!
//! - Time is an argument. Nothing outside `edge` reads a clock, a random source or the network.
//! - Nothing outside `edge` names `worker`, `js_sys` or `wasm_bindgen`; the compiler enforces it,
//!   since they are dependencies of wasm32 only and everything else builds natively.
//! - No input of a stranger panics; every one of them has a bound.
//! - A refused request has charged nothing anywhere once its refunds have arrived or lapsed.
//! - There is no floating point in any decision.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

pub mod admission;
pub mod body;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
#[cfg(all(target_arch = "wasm32", not(feature = "lab")))]
pub mod edge;
#[cfg(all(target_arch = "wasm32", feature = "lab"))]
#[path = "edge/lab.rs"]
pub mod edge;
pub mod http;
pub mod json;
pub mod ledger;
pub mod limit;
mod map;
mod memo;
pub mod operator;
pub mod policy;
#[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
pub mod replay;
pub mod telemetry;
mod text;
pub mod time;
pub mod wire;
