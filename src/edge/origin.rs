//! The way to the origin: which one, at what URL, and with which headers besides the client's.

use std::net::IpAddr;

use js_sys::Promise;
use wasm_bindgen::JsValue;

use super::body::millis;
use super::isolate::Isolate;
use super::js::{self, Way};
use super::request::RequestFacts;
use crate::http::code::Code;
use crate::http::path::{UrlParts, climbs};
use crate::http::refusal::Refusal;
use crate::policy::{Deadline, RequestView};
use crate::time::Span;

/// Where survivors go.
enum Origin {
    /// The service binding `ORIGIN`.
    Service(JsValue),
    /// The URL in `ORIGIN`: the request's target on it, and the headers that say where it came from.
    Url { target: String, set: String },
    /// The zone's own origin.
    Zone,
}

/// Forwards with nothing watched: the promise of the origin's own response, with `fields` (lines of
/// name and value) set where there are any, or of Weir's where the origin gives none.
pub fn pass(
    isolate: &Isolate,
    facts: &RequestFacts,
    fields: Option<&str>,
) -> Result<JsValue, Refusal> {
    let (service, target, set) = find(isolate, facts)?.into_parts();
    let route = target.map(|target| format!("{target}\n{set}"));
    Ok(js::pass(&service, &facts.request, route.as_deref(), fields))
}

/// Forwards as it is, for an answer to which something will be added; broken off when the client leaves.
pub fn fetch(isolate: &Isolate, facts: &RequestFacts) -> Result<Promise, Refusal> {
    let (service, target, set) = find(isolate, facts)?.into_parts();
    let request = &facts.request;
    Ok(js::forward(
        &service,
        request,
        target.as_deref(),
        &set,
        JsValue::UNDEFINED,
        &request.signal(),
    ))
}

/// Forwards with the body that is in `way`, if one is, under a deadline, if there is one.
pub fn travel(
    isolate: &Isolate,
    facts: &RequestFacts,
    way: &Way,
    deadline: Option<Deadline>,
) -> Result<Promise, Refusal> {
    let (service, target, set) = find(isolate, facts)?.into_parts();
    let bound = |pick: fn(Deadline) -> Option<Span>| deadline.and_then(pick).map_or(0.0, millis);
    Ok(js::travel(
        way,
        &service,
        &facts.request,
        target.as_deref(),
        &set,
        bound(|deadline| deadline.headers),
        bound(|deadline| deadline.total),
    ))
}

impl Origin {
    /// The binding, the target and the headers to set, each possibly nothing.
    fn into_parts(self) -> (JsValue, Option<String>, String) {
        match self {
            Origin::Service(service) => (service, None, String::new()),
            Origin::Zone => (JsValue::UNDEFINED, None, String::new()),
            Origin::Url { target, set } => (JsValue::UNDEFINED, Some(target), set),
        }
    }
}

fn find(isolate: &Isolate, facts: &RequestFacts) -> Result<Origin, Refusal> {
    if let Some(base) = &isolate.origin {
        let parts = facts.parts();
        let target = on_base(base.trim_end_matches('/'), &parts, facts);
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
    if let Some(service) = &isolate.origin_service {
        return Ok(Origin::Service(service.clone()));
    }
    if has_no_zone(facts.host()) {
        return Err(Refusal::new(Code::OriginMissing));
    }
    Ok(Origin::Zone)
}

/// The request's target on the URL in `ORIGIN`. Whoever makes a request of that resolves dot segments,
/// so a target that climbs would leave the path that `ORIGIN` has: it is resolved here by itself.
fn on_base(base: &str, parts: &UrlParts<'_>, facts: &RequestFacts) -> String {
    let mut url = base.to_owned();
    let has_path = crate::text::find(base, "://").is_some_and(|end| {
        let rest = base.get(end.saturating_add(3)..);
        rest.is_some_and(|rest| crate::text::has(rest, b'/'))
    });
    if has_path && climbs(parts.path) {
        url.push_str(facts.path());
        if !parts.query.is_empty() {
            url.push('?');
            url.push_str(parts.query);
        }
    } else {
        url.push_str(parts.target);
    }
    url
}

/// A host that no zone's origin can be behind: fetching it would call this Worker again.
fn has_no_zone(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.ends_with(".workers.dev")
        || host == "localhost"
        || host.ends_with(".localhost")
        || bare.parse::<IpAddr>().is_ok()
}
