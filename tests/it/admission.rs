//! From a policy and a described request to what is asked and told.

use weir::admission::described::Described;
use weir::admission::live::{Live, Read};
use weir::admission::plan::{Context, Plan, Settle, Tier, plan};
use weir::admission::{Begin, Conclusion, Memory, Reply, quotas};
use weir::policy::{self, Mode, Policy};
use weir::time::{Span, Timestamp};
use weir::wire::names::Namer;
use weir::wire::{Answer, Charged, Outcome};

const NOW: Timestamp = Timestamp::from_micros(1_000_000_000_000);

fn policy(rules: &str) -> Policy {
    policy::parse(&format!(r#"{{"rules":[{rules}]}}"#)).unwrap()
}

fn limit(name: &str, key: &str, more: &str) -> String {
    format!(
        r#"{{"name":"{name}","key":[{key}],"algorithm":"sliding-window","quota":5,"window":"60s"{more}}}"#
    )
}

fn rule(name: &str, limits: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","match":{{"path":"/{name}"}},"limits":[{limits}]{more}}}"#)
}

fn ask(path: &str) -> Described {
    Described::new("GET", &format!("https://weir.test{path}")).from_ip("192.0.2.1")
}

fn planned(policy: &Policy, mode: Mode, tier: Tier, request: &Described) -> Plan {
    let namer = Namer::new(b"secret");
    let context = Context {
        policy,
        namer: &namer,
        mode,
        tiers: &|_, _| tier.clone(),
    };
    plan(&context, request)
}

fn enforced(policy: &Policy, request: &Described) -> Plan {
    planned(policy, Mode::Enforce, Tier::Unknown, request)
}

#[test]
fn counters_survive_edits_of_the_policy() {
    let before = policy(&rule("a", &limit("ip", r#""ip""#, ""), ""));
    let edits = [
        // another rule in front, another limit in front
        format!(
            "{},{}",
            rule("new", &limit("ip", r#""ip""#, ""), ""),
            rule("a", &limit("ip", r#""ip""#, ""), "")
        ),
        rule(
            "a",
            &format!("{},{}", limit("all", "", ""), limit("ip", r#""ip""#, "")),
            "",
        ),
        // another quota, window and algorithm
        rule("a", &limit("ip", r#""ip""#, "").replace(":5", ":50"), ""),
        rule("a", &limit("ip", r#""ip""#, "").replace("60s", "10s"), ""),
        rule(
            "a",
            &limit("ip", r#""ip""#, "").replace("sliding-window", "token-bucket"),
            "",
        ),
        // everything around it
        rule(
            "a",
            &limit("ip", r#""ip""#, r#","block":["1m"],"jitter":"5s","cost":2"#),
            r#","on_error":"deny","cors":"*","respond":{"status":503}"#,
        ),
    ];
    let first = &enforced(&before, &ask("/a")).applied[0];
    for edit in edits {
        let after = policy(&edit);
        let plan = enforced(&after, &ask("/a"));
        let same = plan.applied.last().unwrap();
        assert_eq!(same.item.key, first.item.key, "{edit}");
        assert_eq!(same.object, first.object, "{edit}");
    }
    let renamed = policy(&rule("a", &limit("address", r#""ip""#, ""), ""));
    let renamed = &enforced(&renamed, &ask("/a")).applied[0];
    assert_ne!(renamed.item.key, first.item.key);
    assert_eq!(renamed.object, first.object);
}

#[test]
fn the_careful_mode_wins() {
    let shadow = policy(&rule(
        "a",
        &limit("ip", r#""ip""#, ""),
        r#","mode":"shadow""#,
    ));
    let plain = policy(&rule("a", &limit("ip", r#""ip""#, ""), ""));
    let enforces = |policy: &Policy, mode| {
        let plan = planned(policy, mode, Tier::Unknown, &ask("/a"));
        plan.applied.first().map(|applied| applied.item.enforce)
    };
    assert_eq!(enforces(&plain, Mode::Enforce), Some(true));
    assert_eq!(enforces(&plain, Mode::Shadow), Some(false));
    assert_eq!(enforces(&plain, Mode::Off), None);
    assert_eq!(enforces(&shadow, Mode::Enforce), Some(false));
}

#[test]
fn preflights_are_charged_to_their_own_limit_only_and_denied_all_the_same() {
    let policy = policy(&format!(
        "{},{}",
        rule("a", &limit("ip", r#""ip""#, ""), ""),
        r#"{"name":"no","match":{"path":"/a"},"action":"deny"}"#
    ));
    let options = Described::new("OPTIONS", "https://weir.test/a").from_ip("192.0.2.1");
    let preflight = options
        .clone()
        .header("Origin", "https://app.example")
        .header("Access-Control-Request-Method", "PUT");
    let plan = enforced(&policy, &preflight);
    let names: Vec<_> = plan.applied.iter().map(|a| a.limit.of(&policy)).collect();
    assert_eq!(names.len(), 1);
    assert_eq!(names[0].unwrap().policy_name, policy.preflight.policy_name);
    assert_eq!(plan.denied, Some(1));
    assert_eq!(enforced(&policy, &options).applied.len(), 1);
    assert!(!enforced(&policy, &options).preflight);
}

#[test]
fn a_tier_is_wanted_then_used() {
    let text = r#"{"tiers":{"plan":{"key":"header:x-key","kv":"T","cache":"60s","default":"free"}},
        "rules":[{"name":"a","limits":[{"name":"k","key":["header:x-key|ip"],"algorithm":"token-bucket",
        "window":"60s","tier":"plan","quotas":{"free":{"quota":60,"burst":10},"pro":{"quota":600,"burst":50}}}]}]}"#;
    let policy = policy::parse(text).unwrap();
    let keyed = ask("/").header("X-Key", "k");
    let plan = enforced(&policy, &keyed);
    assert!(plan.applied.is_empty());
    assert_eq!(plan.tiers_wanted[0].value, "k");
    let burst = |tier: &str| {
        let tier = Tier::Named(tier.to_owned());
        let plan = planned(&policy, Mode::Enforce, tier, &keyed);
        plan.applied[0].item.quota.burst
    };
    assert_eq!([burst("pro"), burst("free")], [50, 10]);
    assert_eq!([burst("platinum"), burst("")], [10, 10]);
    let own = Tier::read(r#"{"quota":7,"burst":3}"#);
    let plan = planned(&policy, Mode::Enforce, own, &keyed);
    assert_eq!(plan.applied[0].item.quota.burst, 3);
    // Without a key there is nothing to look up.
    let plan = enforced(&policy, &ask("/"));
    assert!(plan.tiers_wanted.is_empty());
    assert_eq!(plan.applied[0].item.quota.burst, 10);
}

#[test]
fn what_the_response_decides_is_reserved() {
    let policy = policy(&rule(
        "a",
        &[
            limit("count", r#""ip""#, r#","count":{"status":[401]}"#),
            limit("header", r#""ip""#, r#","cost":"response:x-cost""#),
            limit(
                "reserve",
                r#""ip""#,
                r#","cost":{"reserve":3,"settle":"response-bytes"}"#,
            ),
            limit("plain", r#""ip""#, r#","cost":2"#),
        ]
        .join(","),
        "",
    ));
    let plan = enforced(&policy, &ask("/a"));
    let found: Vec<_> = plan
        .applied
        .iter()
        .map(|applied| {
            let settles = applied.settle.is_some();
            assert_eq!(applied.item.reserve.is_some(), settles);
            (applied.item.cost, settles)
        })
        .collect();
    assert_eq!(found, [(1, true), (0, true), (3, true), (2, false)]);
    assert!(matches!(plan.applied[0].settle, Some(Settle::Count(_))));
}

/// What the objects say to a plan of one object: each limit refuses for `wait`.
fn refused(policy: &Policy, plan: &Plan, memory: &mut Memory, wait: Span) -> Vec<Outcome> {
    let Begin::Ask(round) = memory.begin(policy, plan, NOW) else {
        panic!("asks")
    };
    let outcome = Outcome {
        remaining: 1,
        retry_after: wait,
        ..Outcome::default()
    };
    let answer = Reply::Answer(Answer::Charged(Charged {
        admitted: false,
        outcomes: vec![outcome; plan.applied.len()],
        rows: 0,
        faults: 0,
    }));
    match memory.conclude(policy, plan, round, &[answer], NOW) {
        Conclusion::Verdict(verdict) => verdict.outcomes.into_iter().flatten().collect(),
        Conclusion::Again(..) => panic!("decided"),
    }
}

#[test]
fn jitter_only_adds_and_never_the_same() {
    let with = policy(&rule(
        "a",
        &limit("ip", r#""ip""#, r#","jitter":"10s""#),
        "",
    ));
    let plan = enforced(&with, &ask("/a"));
    let mut memory = Memory::new(1);
    let wait = Span::from_secs(2);
    let mut waits: Vec<Span> = (0..100)
        .map(|_| refused(&with, &plan, &mut memory, wait)[0].retry_after)
        .collect();
    assert!(
        waits
            .iter()
            .all(|w| *w >= wait && *w <= Span::from_secs(12))
    );
    waits.sort();
    waits.dedup();
    assert!(waits.len() > 90);
    let without = policy(&rule("a", &limit("ip", r#""ip""#, ""), ""));
    let plan = enforced(&without, &ask("/a"));
    let outcome = refused(&without, &plan, &mut memory, wait)[0];
    assert_eq!(outcome.retry_after, wait);
}

#[test]
fn an_announced_shadow_rule_shows_nothing_left_to_whom_it_would_refuse() {
    let policy = policy(&rule(
        "a",
        &limit("ip", r#""ip""#, ""),
        r#","mode":"shadow","announce":true"#,
    ));
    let plan = enforced(&policy, &ask("/a"));
    let mut memory = Memory::new(1);
    let Begin::Ask(round) = memory.begin(&policy, &plan, NOW) else {
        panic!("asks")
    };
    let outcome = Outcome {
        remaining: 1,
        retry_after: Span::from_secs(9),
        ..Outcome::default()
    };
    let answer = Reply::Answer(Answer::Charged(Charged {
        admitted: true,
        outcomes: vec![outcome],
        rows: 0,
        faults: 0,
    }));
    let Conclusion::Verdict(verdict) = memory.conclude(&policy, &plan, round, &[answer], NOW)
    else {
        panic!("decided")
    };
    assert!(verdict.admitted());
    let views = quotas::views(&policy, &plan, &verdict);
    assert_eq!((views[0].remaining, views[0].refuses), (0, false));
}

#[test]
fn a_continent_has_its_own_counter_and_place() {
    let policy = policy(&rule(
        "a",
        &limit("ip", r#""ip""#, r#","scope":"region""#),
        "",
    ));
    let on = |continent: &str| {
        let mut request = ask("/a");
        request.continent = Some(continent.to_owned());
        enforced(&policy, &request).applied.remove(0)
    };
    let (europe, africa, nowhere) = (on("EU"), on("AF"), on("T1"));
    assert_eq!(
        [&europe.hint, &africa.hint, &nowhere.hint],
        ["weur", "afr", ""]
    );
    assert_ne!(europe.object, africa.object);
    assert_ne!(europe.item.key, africa.item.key);
}

#[test]
fn the_policy_of_the_isolate_is_the_one_from_kv() {
    let text = format!(r#"{{"rules":[{}]}}"#, rule("a", "", ""));
    let mut live = Live::start(Some(&text), true, NOW);
    live.take_in(Read::Text(text.replace("\"a\"", "\"b\"")), NOW);
    assert_eq!(live.in_force().unwrap().policy.rules[0].name, "b");
}
