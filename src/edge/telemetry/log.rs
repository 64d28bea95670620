//! One line of JSON for a refusal.

use std::cell::Cell;

use crate::json::json;

use crate::admission::plan::key_in_clear;
use crate::admission::refusals::Shaped;
use crate::admission::{Plan, Verdict};
use crate::edge::serve::Exchange;
use crate::edge::{clock, js};
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
    let now = clock::now();
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
    js::log(
        &json!({
            "weir": "refused",
            "rule": rule.map(|rule| &rule.name),
            "limits": shaped.refusal.violated,
            "error": shaped.refusal.code.as_str(),
            "status": shaped.refusal.status,
            "keys": keys,
            "asn": facts.asn().unwrap_or(0),
            "country": facts.country().unwrap_or_default(),
            "ray": facts.text("cf-ray"),
            "more": skipped,
        })
        .to_string(),
    );
}
