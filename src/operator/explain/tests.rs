use super::*;
use crate::admission::plan::Tier;
use crate::time::Span;
use crate::wire::Charged;
use crate::wire::names::Namer;
use serde_json::{Value, json};

const POLICY: &str = r#"{"rules":[
    {"name":"a","match":{"path":"/a"},"limits":[
        {"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":5,"window":"60s"},
        {"name":"s","key":["cookie:s|ip"],"algorithm":"token-bucket","quota":1,"window":"1s","burst":3}]},
    {"name":"quiet","mode":"shadow","match":{"path":"/*"},"limits":[
        {"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":1,"window":"60s"}]},
    {"name":"closed","action":"deny","match":{"path":"/closed"}}]}"#;

fn explain(request: Described, conforms: &dyn Fn(u64) -> bool) -> Value {
    let policy = crate::policy::parse(POLICY).unwrap();
    let tiers = |_: usize, _: &str| Tier::Named(String::new());
    let context = Context {
        policy: &policy,
        namer: &Namer::new(b"secret"),
        mode: Mode::Enforce,
        tiers: &tiers,
    };
    let explanation = Explanation::begin(&context, request);
    let answers: Vec<_> = explanation
        .questions
        .iter()
        .map(|question| {
            let Call::Peek(charge) = &question.call else {
                panic!("{question:?}")
            };
            let outcomes = charge.items.iter().map(|item| Outcome {
                conforms: conforms(item.quota.limit),
                remaining: item.quota.limit,
                retry_after: Span::from_millis(1500),
                ..Outcome::default()
            });
            Some(Answer::Charged(Charged {
                admitted: true,
                rows: 0,
                faults: 0,
                outcomes: outcomes.collect(),
            }))
        })
        .collect();
    explanation.finish(&answers).told()
}

fn request(path: &str) -> Described {
    Described::new("GET", path)
        .from_ip("192.0.2.1")
        .header("cookie", "s=abc")
}

#[test]
fn it_says_which_rules_and_limits_hold_and_what_is_left() {
    let told = explain(request("/a"), &|_| true);
    assert_eq!(told["would"], "pass");
    assert_eq!(told["rules"][0]["name"], "a");
    assert_eq!(told["rules"][1]["mode"], "shadow");
    let limit = &told["limits"][1];
    assert_eq!(limit["name"], "a.s");
    assert_eq!(limit["key"], json!(["abc"]));
    assert_eq!(limit["quota"], 3);
    assert_eq!(limit["remaining"], 1);
    assert_eq!(limit["hash"].as_str().unwrap().len(), 22);
}

#[test]
fn a_limit_that_enforces_refuses_and_one_in_shadow_says_so() {
    let told = explain(request("/a"), &|quota| quota != 5);
    assert_eq!(told["would"], "refuse");
    assert_eq!(told["refusal"]["status"], 429);
    assert_eq!(told["refusal"]["violated-policies"], json!(["a.ip"]));
    assert_eq!(told["limits"][0]["retry_after_s"], 2);
    let told = explain(request("/b"), &|_| false);
    assert_eq!(told["would"], "pass");
    assert_eq!(told["limits"][0]["would"], "refuse in shadow");
}

#[test]
fn guards_come_first() {
    let told = explain(request("/closed"), &|_| false);
    assert_eq!(told["refusal"]["error"], "denied");
}
