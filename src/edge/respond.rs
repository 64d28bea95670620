//! Answers as the platform wants them: refusals, and the origin's answers with quota fields added.

use js_sys::Promise;
use wasm_bindgen::JsValue;

use super::body;
use super::clock;
use super::js::{self, Headers, Response};
use super::request::RequestFacts;
use super::serve::Exchange;
use super::telemetry;
use crate::admission::refusals::Shaped;
use crate::admission::{Plan, Verdict, quotas};
use crate::http::answer::{Asked, Rendered, Shape, render};
use crate::http::code::Code;
use crate::http::cors;
use crate::http::fields::{self, Field};
use crate::http::refusal::Refusal;
use crate::policy::{Cors, RequestView};

/// A refusal where no policy is in force.
pub fn bare(facts: &RequestFacts, refusal: &Refusal) -> JsValue {
    failure(facts, refusal, None)
}

/// A refusal in the shape that its rule gives it. An upload that is still coming is read a little
/// further, so that its sender gets to read the answer.
pub fn refusal(exchange: &Exchange, plan: &Plan, verdict: &Verdict, shaped: &Shaped) -> JsValue {
    kept(exchange, plan, verdict, shaped, js::NOT_KEPT)
}

/// A refusal that can be had again by its id, see [`js::again`].
pub fn kept(
    exchange: &Exchange,
    plan: &Plan,
    verdict: &Verdict,
    shaped: &Shaped,
    id: f64,
) -> JsValue {
    let dropped = exchange.facts.has_body().then(|| body::dropped(exchange));
    let policy = &exchange.policy;
    let rule = shaped.rule.and_then(|rule| policy.rules.get(rule));
    let shape = Shape {
        respond: rule.and_then(|rule| rule.respond.as_ref()),
        cors: rule.and_then(|rule| rule.cors.as_ref()),
        dialects: &policy.headers,
    };
    let views = quotas::views(policy, plan, verdict);
    with_asked(&exchange.facts, shape.cors.is_some(), |asked| {
        let rendered = render(&shaped.refusal, asked, shape, &views);
        match &dropped {
            None => send(&rendered, id, &exchange.facts),
            Some(dropped) => send_behind(&rendered, dropped),
        }
    })
}

/// What is answered to a client that has left.
pub fn to_nobody() -> JsValue {
    js::respond(204, "", JsValue::NULL)
}

/// Where the origin gave nothing that can be handed on, to a request that nobody watches. `added` is
/// what [`added`] gave.
pub fn failure(facts: &RequestFacts, refusal: &Refusal, added: Option<&str>) -> JsValue {
    with_asked(facts, false, |asked| {
        let mut rendered = render(refusal, asked, Shape::default(), &[]);
        let (_, fields) = split(added.unwrap_or_default());
        let own = pairs(fields).map(|(name, value)| (name.to_owned(), value.to_owned()));
        rendered.headers.extend(own);
        send(&rendered, js::NOT_KEPT, facts)
    })
}

/// The quota fields of a passed answer, before the origin's own are looked at, as lines: the latest
/// `t` in seconds, then names and values in turn. None where nothing is to be said.
pub fn added(exchange: &Exchange, plan: &Plan, verdict: &Verdict) -> Option<String> {
    let views = quotas::views(&exchange.policy, plan, verdict);
    let ours = fields::fields(&exchange.policy.headers, &views);
    let latest_s = fields::latest_s(&views).filter(|_| !ours.is_empty())?;
    Some(format!("{latest_s}\n{}", lines(&ours)))
}

/// What is set on an answer of the origin that has fields of the same kind: `added` is what [`added`]
/// gave, `theirs` the origin's fields as lines, and so is what comes back.
pub fn merged(added: &str, theirs: &str) -> String {
    let (latest_s, ours) = split(added);
    let ours: Vec<_> = pairs(ours)
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    let origin = |name: &str| {
        let mut named = pairs(theirs).filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.to_owned())
    };
    let set = fields::merge(&ours, latest_s.parse().ok(), &origin, clock::now());
    format!("{latest_s}\n{}", lines(&set))
}

/// The first line, and the rest.
fn split(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Lines in twos.
fn pairs(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut lines = lines.split('\n');
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}

/// The origin's answer, unchanged but for what is added.
///
/// # Errors
/// The refusal that is sent instead of an answer that no client may get.
pub fn pass(
    exchange: &Exchange,
    plan: &Plan,
    verdict: &Verdict,
    response: &Response,
) -> Result<JsValue, JsValue> {
    let is_socket = || response.status() == 101 && response.web_socket().is_object();
    if !(200..=599).contains(&response.status()) && !is_socket() {
        let refusal = Refusal::new(Code::OriginInvalid);
        telemetry::origin_failed(&exchange.facts, &refusal);
        return Err(self::refusal(exchange, plan, verdict, &refusal.into()));
    }
    let views = quotas::views(&exchange.policy, plan, verdict);
    let ours = fields::fields(&exchange.policy.headers, &views);
    if ours.is_empty() {
        return Ok(response.into());
    }
    let headers = response.response_headers();
    let latest_s = fields::latest_s(&views);
    let mut merged = fields::merge(&ours, latest_s, &|name| headers.get(name), clock::now());
    merged.extend(exposure(exchange, plan, &headers, &merged));
    Ok(js::with_fields(response, &lines(&merged)).unwrap_or_else(|_| response.into()))
}

/// What lets scripts of other origins read the fields that are added, where a rule's `cors` says so
/// and the origin itself lets them read the answer.
fn exposure(exchange: &Exchange, plan: &Plan, headers: &Headers, added: &[Field]) -> Option<Field> {
    let rules = plan.rules.iter();
    let mut listed = rules.filter_map(|rule| exchange.policy.rules.get(*rule)?.cors.as_ref());
    let first = listed.next()?;
    let origin = exchange.facts.text("origin")?;
    let names: Vec<&str> = added.iter().map(|(name, _)| *name).collect();
    let allowed = headers.get("access-control-allow-origin");
    let exposed = headers.get("access-control-expose-headers");
    let extended = |rule: &Cors| {
        let (allowed, exposed) = (allowed.as_deref(), exposed.as_deref());
        cors::extended_exposure(rule, Some(&origin), allowed, exposed, &names)
    };
    let value = std::iter::once(first).chain(listed).find_map(extended)?;
    Some(("Access-Control-Expose-Headers", value))
}

fn send(rendered: &Rendered, id: f64, facts: &RequestFacts) -> JsValue {
    let mut text = lines(&rendered.headers);
    if let Some(body) = &rendered.body {
        text.push('\0');
        text.push_str(body);
    }
    js::refusal(rendered.status, &text, id, &facts.request)
}

/// Its end waits until what is still coming has been dropped.
fn send_behind(rendered: &Rendered, dropped: &Promise) -> JsValue {
    let body = rendered.body.as_deref();
    let body = body.map_or(JsValue::NULL, JsValue::from_str);
    js::refuse(rendered.status, &lines(&rendered.headers), body, dropped)
}

/// Names and values in turn, a line each: neither can hold a line break.
fn lines<N: AsRef<str>>(fields: &[(N, String)]) -> String {
    let mut out = String::new();
    for (name, value) in fields {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(name.as_ref());
        out.push('\n');
        out.push_str(value);
    }
    out
}

fn with_asked<T>(facts: &RequestFacts, cors: bool, answer: impl FnOnce(Asked<'_>) -> T) -> T {
    let accept = js::accept(&facts.request);
    let origin = cors.then(|| facts.text("origin")).flatten();
    answer(Asked {
        method: facts.method(),
        accept: accept.as_deref(),
        origin: origin.as_deref(),
    })
}
