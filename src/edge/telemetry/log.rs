//! One line of JSON for a refusal.

use std::cell::Cell;

use crate::json::{Node, json};

use crate::admission::plan::key_in_clear;
use crate::admission::refusals::Shaped;
use crate::admission::{Plan, Verdict};
use crate::edge::request::RequestFacts;
use crate::edge::serve::Exchange;
use crate::edge::{clock, js};
use crate::http::refusal::Refusal;
use crate::policy::{Policy, RequestView};
use crate::time::{Span, Timestamp};

/// Refusals that an isolate logs in one second.
const LOGGED: u32 = 10;

thread_local! {
    static LOG: Cell<(Timestamp, u32)> = const { Cell::new((Timestamp::ZERO, 0)) };
}

/// Writes it; above a rate, one that says how many it stands for. Keys are hashes unless the policy
/// says `log_key`.
pub fn refused(exchange: &Exchange, plan: &Plan, verdict: &Verdict, shaped: &Shaped) {
    let Some(more) = more() else { return };
    let policy: &Policy = &exchange.policy;
    let facts = &exchange.facts;
    let refusing = verdict
        .refused
        .iter()
        .filter_map(|index| plan.applied.get(*index));
    let keys: Vec<_> = refusing
        .map(|applied| {
            if policy.log_key {
                json!(key_in_clear(policy, applied.limit, facts))
            } else {
                json!(applied.item.key.to_string())
            }
        })
        .collect();
    let rule = shaped.rule.and_then(|rule| policy.rules.get(rule));
    let rule = rule.map(|rule| rule.name.as_str());
    write(facts, rule, keys, &shaped.refusal, more);
}

/// The same of a request that was let through and that the origin gave no answer to.
pub fn failed(facts: &RequestFacts, refusal: &Refusal) {
    if let Some(more) = more() {
        write(facts, None, Vec::new(), refusal, more);
    }
}

fn write(facts: &RequestFacts, rule: Option<&str>, keys: Vec<Node>, refusal: &Refusal, more: u32) {
    js::log(
        &json!({
            "weir": "refused",
            "rule": rule,
            "limits": refusal.violated,
            "error": refusal.code.as_str(),
            "status": refusal.status,
            "keys": keys,
            "asn": facts.asn().unwrap_or(0),
            "country": facts.country().unwrap_or_default(),
            "ray": facts.text("cf-ray"),
            "more": more,
        })
        .to_string(),
    );
}

/// How many a line stands for besides its own; None where none is to be written now.
fn more() -> Option<u32> {
    let now = clock::now();
    let (since, count) = LOG.get();
    if now.saturating_since(since) >= Span::from_secs(1) {
        LOG.set((now, 1));
        return Some(count.saturating_sub(LOGGED));
    }
    LOG.set((since, count.saturating_add(1)));
    (count < LOGGED).then_some(0)
}
