//! What is accepted, and what it becomes. What is refused: `tests/rejects.rs`.

use super::*;
use crate::limit::Algorithm;

mod documents;
mod matching;
mod rejects;
mod robust;

/// A policy written as an operator writes it, below `[vars.POLICY]`, as wrangler hands it over.
pub fn json(toml: &str) -> String {
    let value: toml::Table = toml.parse().expect("the test's TOML");
    serde_json::to_string(&value).expect("JSON")
}

#[track_caller]
fn accepts(toml: &str) -> Policy {
    match parse(&json(toml)) {
        Ok(policy) => policy,
        Err(faults) => panic!("{}", listed(&faults)),
    }
}

fn listed(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    lines.join("\n")
}

const GUIDES: &str = r#"
headers = ["draft-8", "x-ratelimit"]
ipv6_prefix = 64

[[rules]]
name  = "availability"
match = { path = "/api/usernames/available", method = ["GET"] }
on_error = "allow"
limits = [
  { name = "ip",      key = ["ip"],                algorithm = "sliding-window", quota = 120, window = "60s" },
  { name = "session", key = ["cookie:session|ip"], algorithm = "sliding-window", quota = 30,  window = "60s" },
  { name = "targets", key = ["cookie:session|ip"], distinct = "query:u",         quota = 20,  window = "10m" },
  { name = "breaker", key = [],                    algorithm = "token-bucket",   quota = 500, window = "1s", burst = 1000 },
]

[[rules]]
name  = "submit"
match = { path = "/api/v1/quizzes/:id/submit" }
limits = [{ name = "key", key = ["header:x-api-key|ip"], algorithm = "token-bucket", quota = 1, window = "1s", burst = 10 }]

[[rules]]
name  = "reports"
match = { path = "/reports", method = ["POST"] }
deadline = "2s"
limits = [{ name = "ip", key = ["ip"], algorithm = "token-bucket", quota = 10, window = "1s", burst = 21 }]
concurrency = [
  { name = "tenant", key = ["header:x-tenant|ip"], running = 2, waiting = 5, retry_after = "5s" },
  { name = "global", key = [], running = 20, status = 503, retry_after = "5s" },
]
[rules.body]
max_bytes = "16KiB"
json.cost = { terms = ["/accounts#", "/pageSize"], max = 500 }
[rules.body.json.schema]
type = "object"
required = ["accounts", "pageSize"]
properties.accounts = { type = "array", minItems = 1, maxItems = 10, uniqueItems = true }
properties.pageSize = { type = "integer", minimum = 1, maximum = 100 }
"#;

#[test]
fn the_example_of_the_design_is_accepted() {
    let policy = accepts(GUIDES);
    assert_eq!(policy.headers, [Dialect::Draft8, Dialect::XRateLimit]);
    let [availability, submit, reports] = policy.rules.as_slice() else {
        panic!("three rules");
    };
    assert_eq!(availability.on_error, OnError::Allow);
    let algorithms: Vec<_> = availability.limits.iter().map(|l| l.algorithm).collect();
    assert_eq!(
        algorithms,
        [
            Algorithm::SlidingWindow,
            Algorithm::SlidingWindow,
            Algorithm::Distinct,
            Algorithm::TokenBucket
        ]
    );
    assert_eq!(availability.limits[1].policy_name, "availability.session");
    assert_eq!(
        availability.limits[1].key[0].alternatives,
        [KeySource::Cookie("session".into()), KeySource::Ip]
    );
    assert_eq!(
        availability.limits[3].quota,
        Numbers {
            quota: 500,
            window: Span::from_secs(1),
            burst: 1000
        }
    );
    assert_eq!(submit.limits[0].quota.burst, 10);
    assert_eq!(submit.on_error, OnError::Local);
    assert_eq!(
        reports.deadline,
        Some(Deadline {
            headers: Some(Span::from_secs(2)),
            total: None
        })
    );
    assert_eq!(reports.concurrency[0].max_wait, Span::from_secs(10));
    assert_eq!(reports.concurrency[1].status, 503);
    let body = reports.body.as_ref().expect("a body");
    assert_eq!((body.max_bytes, body.buffer), (Some(16384), 16384));
}

#[test]
fn what_is_left_out_has_the_defaults_of_the_docs() {
    let policy = accepts("rules = [{ name = \"r\" }]");
    assert_eq!(policy.headers, [Dialect::Draft8]);
    assert_eq!(policy.ipv6_prefix, 64);
    assert_eq!(policy.client_ip_header, None);
    assert_eq!(policy.mode, Mode::Enforce);
    assert_eq!(policy.counter_timeout, Span::from_millis(300));
    assert_eq!(policy.policy_cache, Span::from_secs(30));
    assert_eq!(policy.shards, 64);
    assert_eq!(policy.admin_path, "/_weir");
    assert!(!policy.log_key);
    let preflight = &policy.preflight;
    assert_eq!(preflight.policy_name, "preflight");
    assert_eq!(
        preflight.quota,
        Numbers {
            quota: 10,
            window: Span::from_secs(1),
            burst: 100
        }
    );
    assert_eq!(preflight.key[0].alternatives, [KeySource::Ip]);
    let rule = &policy.rules[0];
    assert_eq!(rule.action, Action::Limit);
    assert_eq!(rule.mode, Mode::Enforce);
    assert_eq!(rule.enforce_percent, 100);
    assert_eq!(rule.websocket, WebSocketSlot::Held);
    assert_eq!(rule.request, RequestBounds::default());
}

#[test]
fn the_same_document_in_another_spelling_is_the_same_policy() {
    let one = parse(r#"{"rules":[{"name":"r","mode":"off"}],"ipv6_prefix":56}"#);
    let two = parse(r#" { "ipv6_prefix": 56, "rules": [{"mode":"off", "name":"\u0072"}] } "#);
    let three = parse(r#"{"rules":[{"name":"r","mode":"off"}],"ipv6_prefix":57}"#);
    let [one, two, three] = [one, two, three].map(|p| p.expect("good").fingerprint);
    assert_eq!(one.len(), 16);
    assert_eq!(one, two);
    assert_ne!(one, three);
}
