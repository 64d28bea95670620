//! The way to the origin: which one, at what URL, and with which headers besides the client's.

use std::net::IpAddr;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};

use super::isolate::{self, Isolate};
use super::js::{self, Env};
use super::request::RequestFacts;
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::RequestView;

/// Where survivors go.
enum Origin {
    /// The service binding `ORIGIN`.
    Service(JsValue),
    /// The URL in `ORIGIN`: the request's target on it, and the headers that say where it came from.
    Url { target: String, set: String },
    /// The zone's own origin.
    Zone,
}

/// Forwards with nothing added and nothing watched: the promise of the origin's own response.
pub fn untouched(isolate: &Isolate, env: &Env, facts: &RequestFacts) -> Result<JsValue, Refusal> {
    Ok(match find(isolate, env, facts)? {
        Origin::Service(service) => js::pass(&service, &facts.request),
        Origin::Zone => js::pass(&JsValue::UNDEFINED, &facts.request),
        Origin::Url { target, set } => js::forward(
            &JsValue::UNDEFINED,
            &facts.request,
            Some(&target),
            &set,
            JsValue::UNDEFINED,
            &JsValue::UNDEFINED,
        )
        .unchecked_into(),
    })
}

/// Forwards, with the body that was read instead of the client's stream where one is given, and a
/// signal that aborts the origin's request.
pub fn fetch(
    isolate: &Isolate,
    env: &Env,
    facts: &RequestFacts,
    body: JsValue,
    signal: &JsValue,
) -> Result<Promise, Refusal> {
    let nothing = JsValue::UNDEFINED;
    Ok(match find(isolate, env, facts)? {
        Origin::Service(service) => js::forward(&service, &facts.request, None, "", body, signal),
        Origin::Zone => js::forward(&nothing, &facts.request, None, "", body, signal),
        Origin::Url { target, set } => {
            js::forward(&nothing, &facts.request, Some(&target), &set, body, signal)
        }
    })
}

fn find(isolate: &Isolate, env: &Env, facts: &RequestFacts) -> Result<Origin, Refusal> {
    if let Some(base) = &isolate.origin {
        let parts = facts.parts();
        let target = format!("{}{}", base.trim_end_matches('/'), parts.target);
        let mut set = format!(
            "x-forwarded-host\n{}\nx-forwarded-proto\n{}",
            parts.authority, parts.scheme
        );
        if let Some(ip) = facts.client_ip() {
            set.push_str("\nx-forwarded-for\n");
            set.push_str(ip.trim());
        }
        return Ok(Origin::Url { target, set });
    }
    if let Some(service) = isolate::binding(env, "ORIGIN") {
        return Ok(Origin::Service(service));
    }
    if has_no_zone(facts.host()) {
        return Err(Refusal::new(Code::OriginMissing));
    }
    Ok(Origin::Zone)
}

/// A host that no zone's origin can be behind: fetching it would call this Worker again.
fn has_no_zone(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.ends_with(".workers.dev")
        || host == "localhost"
        || host.ends_with(".localhost")
        || bare.parse::<IpAddr>().is_ok()
}
