//! The way to the origin: which one, at what URL, and with which headers besides the client's.

use std::net::IpAddr;

use js_sys::Promise;
use wasm_bindgen::JsValue;

use super::body::millis;
use super::isolate::Isolate;
use super::js::{self, Shape, Way};
use super::request::RequestFacts;
use crate::http::code::Code;
use crate::http::fields::{self, QuotaView};
use crate::http::path::{UrlParts, climbs};
use crate::http::refusal::Refusal;
use crate::policy::{Deadline, RequestView};
use crate::time::Span;

/// For JavaScript: there is none.
const NO_BINDING: &JsValue = &JsValue::UNDEFINED;

/// Where survivors go.
enum Origin<'a> {
    /// The service binding `ORIGIN`.
    Service(&'a JsValue),
    /// The URL in `ORIGIN`: the request's target on it, and the headers that say where it came from.
    Url { target: String, set: String },
    /// The zone's own origin.
    Zone,
}

/// What is set on the answer.
pub enum Added<'a> {
    /// Nothing.
    Nothing,
    /// See [`respond::added`](super::respond::added).
    Lines(String),
    /// See [`fields::shape`](crate::http::fields::shape).
    Shaped(&'a Shape, Vec<f64>),
}

impl<'a> Added<'a> {
    /// A shape and its numbers.
    pub fn shaped(shape: &'a Shape, views: &[QuotaView<'_>]) -> Added<'a> {
        let mut numbers = Vec::with_capacity(9);
        #[expect(
            clippy::cast_precision_loss,
            reason = "below 10^15, as all numbers of structured fields"
        )]
        fields::open_numbers(views, |number| numbers.push(number as f64));
        Added::Shaped(shape, numbers)
    }
}

/// Forwards with nothing watched: the promise of the origin's own response, with fields set where
/// there are any, or of Weir's where the origin gives none.
pub fn pass(
    isolate: &Isolate,
    facts: &RequestFacts,
    added: &Added<'_>,
) -> Result<JsValue, Refusal> {
    let route = route(isolate, facts)?;
    Ok(send(isolate, facts, route.as_deref(), added))
}

/// The way to the origin where it is not that of the request itself: lines of the target, and of names
/// and values to set. It depends on the request's URL and its client's address alone.
pub fn route(isolate: &Isolate, facts: &RequestFacts) -> Result<Option<String>, Refusal> {
    let (_, target, set) = find(isolate, facts)?.into_parts();
    Ok(target.map(|mut route| {
        route.push('\n');
        route.push_str(&set);
        route
    }))
}

/// The same as [`pass`], with a [`route`] that is known.
pub fn send(
    isolate: &Isolate,
    facts: &RequestFacts,
    route: Option<&str>,
    added: &Added<'_>,
) -> JsValue {
    let service = isolate.origin_service.as_ref().unwrap_or(NO_BINDING);
    let request = &facts.request;
    match added {
        Added::Nothing => js::pass(service, request, route, None),
        Added::Lines(lines) => js::pass(service, request, route, Some(lines)),
        Added::Shaped(shape, numbers) => js::pass_shaped(service, request, route, shape, numbers),
    }
}

/// Forwards as it is, for an answer to which something will be added; broken off when the client leaves.
pub fn fetch(isolate: &Isolate, facts: &RequestFacts) -> Result<Promise, Refusal> {
    let (service, target, set) = find(isolate, facts)?.into_parts();
    let request = &facts.request;
    Ok(js::forward(
        service,
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
        service,
        &facts.request,
        target.as_deref(),
        &set,
        bound(|deadline| deadline.headers),
        bound(|deadline| deadline.total),
    ))
}

impl<'a> Origin<'a> {
    /// The binding, the target and the headers to set, each possibly nothing.
    fn into_parts(self) -> (&'a JsValue, Option<String>, String) {
        match self {
            Origin::Service(service) => (service, None, String::new()),
            Origin::Zone => (NO_BINDING, None, String::new()),
            Origin::Url { target, set } => (NO_BINDING, Some(target), set),
        }
    }
}

fn find<'a>(isolate: &'a Isolate, facts: &RequestFacts) -> Result<Origin<'a>, Refusal> {
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
        return Ok(Origin::Service(service));
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
