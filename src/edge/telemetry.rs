//! Carries an isolate's sums to the object that adds up all of them, behind responses.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Promise;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::js::{self, Env, ObjectState, Request};
use super::serve::Exchange;
use super::{clock, isolate};
use crate::admission::plan::key_in_clear;
use crate::admission::{Plan, Question, Verdict};
use crate::policy::{Policy, RequestView};
use crate::telemetry::{End, Source, Sums, Totals};
use crate::time::{Span, Timestamp};

/// The binding of the object; without it each isolate shows its own sums.
const BINDING: &str = "TELEMETRY";
/// From the first request that is not reported yet to its report.
const INTERVAL: Span = Span::from_secs(3);
/// A report that is later than this was lost with the request that carried it.
const LOST_AFTER: Span = Span::from_secs(5);
/// Refusals that an isolate logs in one second.
const LOGGED: u32 = 10;

thread_local! {
    static SUMS: RefCell<Sums> = RefCell::default();
    static OWN: RefCell<Totals> = RefCell::default();
    static PENDING: Cell<Timestamp> = const { Cell::new(Timestamp::ZERO) };
    static LOG: Cell<(Timestamp, u32)> = const { Cell::new((Timestamp::ZERO, 0)) };
}

/// Counts how a request ended.
pub fn record(exchange: &Exchange, plan: &Plan, verdict: &Verdict, end: End<'_>) {
    let facts = &exchange.facts;
    let network = || {
        let country = facts.country().unwrap_or_default();
        let country: String = country
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(2)
            .collect();
        (facts.asn().unwrap_or(0), country)
    };
    SUMS.with_borrow_mut(|sums| sums.record(&exchange.policy, plan, verdict, end, &network));
    let now = clock::now();
    if let End::Refused(_) = end {
        log(exchange, plan, verdict, end, network(), now);
    }
    if now >= PENDING.get() {
        PENDING.set(now + INTERVAL + LOST_AFTER);
        let env = exchange.env.clone();
        exchange.context.wait_until(&future_to_promise(async move {
            clock::sleep(INTERVAL).await;
            PENDING.set(Timestamp::ZERO);
            flush(&env).await;
            Ok(JsValue::UNDEFINED)
        }));
    }
}

/// Counts how long deciding took.
pub fn decided(source: Source, took: Span) {
    SUMS.with_borrow_mut(|sums| sums.decided(source, took));
}

/// Counts calls to objects.
pub fn called(questions: &[Question]) {
    SUMS.with_borrow_mut(|sums| {
        questions
            .iter()
            .for_each(|question| sums.called(&question.call))
    });
}

/// Counts rows that an object wrote.
pub fn wrote(rows: u32) {
    SUMS.with_borrow_mut(|sums| sums.wrote(rows));
}

/// One line for one refusal; above a rate, one that says how many it stands for. Keys are hashes
/// unless the policy says `log_key`.
fn log(
    exchange: &Exchange,
    plan: &Plan,
    verdict: &Verdict,
    end: End<'_>,
    (asn, country): (u32, String),
    now: Timestamp,
) {
    let End::Refused(shaped) = end else { return };
    let (since, count) = LOG.get();
    let is_new = now.saturating_since(since) >= Span::from_secs(1);
    let skipped = if is_new {
        count.saturating_sub(LOGGED)
    } else {
        0
    };
    LOG.set(if is_new {
        (now, 1)
    } else {
        (since, count.saturating_add(1))
    });
    if !is_new && count >= LOGGED {
        return;
    }
    let policy: &Policy = &exchange.policy;
    let refusing = verdict
        .refused
        .iter()
        .filter_map(|index| plan.applied.get(*index));
    let keys: Vec<_> = refusing
        .map(|applied| {
            if policy.log_key {
                json!(key_in_clear(policy, applied.limit, &exchange.facts))
            } else {
                json!(applied.item.key.to_string())
            }
        })
        .collect();
    let rule = shaped.rule.and_then(|rule| policy.rules.get(rule));
    js::log(
        &json!({
            "weir": "refused",
            "rule": rule.map(|rule| &rule.name),
            "limits": shaped.refusal.violated,
            "error": shaped.refusal.code.as_str(),
            "status": shaped.refusal.status,
            "keys": keys,
            "asn": asn,
            "country": country,
            "ray": exchange.facts.text("cf-ray"),
            "more": skipped,
        })
        .to_string(),
    );
}

/// Reports what this isolate has counted.
pub async fn flush(env: &Env) {
    let report = SUMS.with_borrow_mut(Sums::report);
    if report.is_empty() {
        return;
    }
    match ask(env, "report", &report) {
        None => OWN.with_borrow_mut(|own| own.merge(&report, clock::now())),
        Some(sent) => {
            if JsFuture::from(sent).await.is_err() {
                SUMS.with_borrow_mut(|sums| sums.keep(&report));
            }
        }
    }
}

/// What the object tells under one of its names; without it, or where it fails, this isolate's own.
pub async fn read(env: &Env, what: &str) -> String {
    if let Some(answer) = ask(env, what, "") {
        let told = JsFuture::from(answer).await.ok();
        if let Some(text) = told.and_then(|text| text.as_string()) {
            return text;
        }
    }
    OWN.with_borrow_mut(|own| tell(own, what))
}

fn ask(env: &Env, what: &str, report: &str) -> Option<Promise> {
    let namespace = isolate::binding(env, BINDING)?;
    Some(js::telemetry(&namespace, what, report))
}

fn tell(totals: &mut Totals, what: &str) -> String {
    let now = clock::now();
    match what {
        "metrics" => totals.metrics(),
        "live" => totals.live(now).to_string(),
        "failing" => totals.failing(now).to_string(),
        "slots" => totals.slots(),
        _ => String::new(),
    }
}

/// The Durable Object class of the binding `TELEMETRY`: the sums of all isolates, in memory only.
/// Counters that start anew after a restart are what Prometheus expects of a process.
#[wasm_bindgen]
pub struct Telemetry {
    totals: Rc<RefCell<Totals>>,
}

#[wasm_bindgen]
impl Telemetry {
    /// Called by the platform when the object comes into memory.
    #[wasm_bindgen(constructor)]
    pub fn new(_state: ObjectState, _env: JsValue) -> Telemetry {
        Telemetry {
            totals: Rc::default(),
        }
    }

    /// Called by the platform with each report, and each question.
    pub fn fetch(&self, request: Request) -> JsValue {
        let url = request.url();
        let what = url.rsplit('/').next().unwrap_or_default();
        if what != "report" {
            let told = tell(&mut self.totals.borrow_mut(), what);
            return js::respond(200, "", JsValue::from_str(&told));
        }
        let totals = Rc::clone(&self.totals);
        let report = request.text();
        future_to_promise(async move {
            let report = JsFuture::from(report)
                .await?
                .as_string()
                .unwrap_or_default();
            totals.borrow_mut().merge(&report, clock::now());
            Ok(js::respond(200, "", JsValue::NULL))
        })
        .into()
    }
}
