//! Carries an isolate's sums to the objects that add up all of them, behind responses.

mod log;
pub mod object;

use std::cell::{Cell, RefCell};

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::js::{self, Env};
use super::request::RequestFacts;
use super::serve::Exchange;
use super::{clock, isolate};
use crate::admission::{Plan, Question, Verdict};
use crate::http::refusal::Refusal;
use crate::memo::Memo;
use crate::telemetry::{End, Events, Network, Source, Sums, Totals};
use crate::time::{Span, Timestamp};

/// The binding of the objects; without it each isolate shows its own sums.
const BINDING: &str = "TELEMETRY";
/// The binding of an Analytics Engine dataset.
const EVENTS: &str = "EVENTS";
/// Objects among which isolates are spread. Their sums are added up when they are read.
const SHARDS: u32 = 4;
/// From the first request that is not reported yet to its report.
const INTERVAL: Span = Span::from_secs(3);
/// A report that is later than this was lost with the request that carried it.
const LOST_AFTER: Span = Span::from_secs(5);
/// How long an object may take to answer.
const PATIENCE: Span = Span::from_secs(5);

/// Addresses whose network is remembered.
const NETWORKS_KNOWN: usize = 1_024;

thread_local! {
    static SUMS: RefCell<Sums> = RefCell::default();
    static OWN: RefCell<Totals> = RefCell::default();
    static WAITING: RefCell<Events> = RefCell::default();
    static PENDING: Cell<Timestamp> = const { Cell::new(Timestamp::ZERO) };
    static SEEN: Cell<Option<bool>> = const { Cell::new(None) };
    static SHARD: Cell<Option<u32>> = const { Cell::new(None) };
    static NETWORKS: RefCell<Memo<Network>> = const { RefCell::new(Memo::new(NETWORKS_KNOWN)) };
}

/// Counts how a request ended, at `now`.
pub fn record(exchange: &Exchange, plan: &Plan, verdict: &Verdict, end: End<'_>, now: Timestamp) {
    if let End::Refused(shaped) = end {
        log::refused(exchange, plan, verdict, shaped);
    }
    if !is_seen(&exchange.env) {
        return;
    }
    let network = || network_of(&exchange.facts);
    SUMS.with_borrow_mut(|sums| sums.record(&exchange.policy, plan, verdict, end, &network));
    report_soon(exchange, now);
}

/// Notes which slots a request asks for, so that they are shown while it waits and runs.
pub fn wants_slots(exchange: &Exchange, plan: &Plan) {
    if is_seen(&exchange.env) {
        SUMS.with_borrow_mut(|sums| sums.wants_slots(&exchange.policy, plan));
        report_soon(exchange, clock::now());
    }
}

fn report_soon(exchange: &Exchange, now: Timestamp) {
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

/// Without a token Weir's own pages do not exist, so there is nobody to count for.
fn is_seen(env: &Env) -> bool {
    SEEN.get().unwrap_or_else(|| {
        let seen =
            isolate::text(env, "ADMIN_TOKEN").is_some() || isolate::binding(env, EVENTS).is_some();
        SEEN.set(Some(seen));
        seen
    })
}

/// The network of a client, looked up once for an address: the platform makes an object for each
/// request that asks.
fn network_of(facts: &RequestFacts) -> Network {
    let Some(address) = facts.client_ip() else {
        return facts.network();
    };
    *facts.head.network.get_or_init(|| {
        let key = address.as_bytes();
        if let Some(known) = NETWORKS.with_borrow(|networks| networks.get(key)) {
            return known;
        }
        let network = facts.network();
        NETWORKS.with_borrow_mut(|networks| networks.put(key, network));
        network
    })
}

/// Counts an origin that gave nothing that can be handed on, to a request counted as passed.
pub fn origin_failed(facts: &RequestFacts, refusal: &Refusal) {
    log::failed(facts, refusal);
    SUMS.with_borrow_mut(Sums::origin_failed);
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
            .for_each(|question| sums.called(&question.call));
    });
}

/// Counts questions that are asked once more.
pub fn retried(questions: &[Question], provisional: bool) {
    SUMS.with_borrow_mut(|sums| sums.retried(questions.len(), provisional));
}

/// Counts rows that an object wrote, and the times that its storage failed.
pub fn wrote(rows: u32, faults: u32) {
    SUMS.with_borrow_mut(|sums| sums.wrote(rows, faults));
}

/// Reports what this isolate has counted. False where that did not arrive, and is kept.
async fn flush(env: &Env) -> bool {
    let report = SUMS.with_borrow_mut(Sums::report);
    let arrived = report.is_empty() || send(env, &report).await;
    if !arrived {
        SUMS.with_borrow_mut(|sums| sums.keep(&report));
    }
    if let Some(dataset) = isolate::binding(env, EVENTS) {
        let points = WAITING.with_borrow_mut(|waiting| {
            if arrived {
                let lost = waiting.add(&report);
                SUMS.with_borrow_mut(|sums| sums.lose(lost));
            }
            waiting.take()
        });
        js::write_events(&dataset, &points);
    }
    arrived
}

async fn send(env: &Env, report: &str) -> bool {
    match isolate::binding(env, BINDING) {
        None => {
            OWN.with_borrow_mut(|own| own.merge(report, clock::now()));
            true
        }
        Some(namespace) => answer(js::report(&namespace, shard(), report))
            .await
            .is_some(),
    }
}

/// This isolate's object.
fn shard() -> u32 {
    SHARD.get().unwrap_or_else(|| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number"
        )]
        let shard = (js::random() * f64::from(SHARDS)) as u32;
        SHARD.set(Some(shard));
        shard
    })
}

/// The sums of all isolates, this one's to the present moment; None where an object cannot be
/// reached: what the others tell would look as if counters had gone back.
pub async fn gather(env: &Env) -> Option<Totals> {
    if !flush(env).await {
        return None;
    }
    let Some(namespace) = isolate::binding(env, BINDING) else {
        return Some(OWN.with_borrow(Totals::clone));
    };
    let lines = answer(js::gather(&namespace, SHARDS)).await?;
    let mut totals = Totals::default();
    totals.merge(&lines, clock::now());
    Some(totals)
}

/// What an object answers, in time.
async fn answer(asked: Promise) -> Option<String> {
    if clock::within(&asked, PATIENCE).await {
        JsFuture::from(asked).await.ok()?.as_string()
    } else {
        None
    }
}
