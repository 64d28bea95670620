use std::rc::Rc;

use super::*;
use crate::admission::Verdict;
use crate::admission::described::Described;
use crate::admission::plan::{Context, Tier, plan};
use crate::admission::{Plan, refusals};
use crate::http::refusal::{Code, Refusal};
use crate::policy::Mode;
use crate::telemetry::Totals;
use crate::time::Timestamp;
use crate::wire::Outcome as Said;
use crate::wire::names::Namer;

const POLICY: &str = r#"{"rules":[
    {"name":"a","match":{"path":"/a"},"limits":[
        {"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":10,"window":"60s"},
        {"name":"s","key":["cookie:s|ip"],"algorithm":"sliding-window","quota":10,"window":"60s"}],
     "concurrency":[{"name":"tenant","key":["ip"],"running":2}]},
    {"name":"quiet","mode":"shadow","match":{"path":"/a"},"limits":[
        {"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":1,"window":"60s"}]},
    {"name":"bounded","match":{"path":"/b"},"body":{"max_bytes":10}}]}"#;

struct Bench {
    policy: Rc<Policy>,
    sums: Sums,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            policy: Rc::new(crate::policy::parse(POLICY).unwrap()),
            sums: Sums::default(),
        }
    }

    fn plan(&self, path: &str) -> Plan {
        let tiers = |_: usize, _: &str| Tier::Named(String::new());
        let context = Context {
            policy: &self.policy,
            namer: &Namer::new(b"secret"),
            mode: Mode::Enforce,
            tiers: &tiers,
        };
        plan(&context, &Described::new("GET", path).from_ip("192.0.2.1"))
    }

    fn record(&mut self, path: &str, verdict: &Verdict, end: End<'_>) {
        let plan = self.plan(path);
        let network = || (64_500, *b"NL");
        let policy = Rc::clone(&self.policy);
        self.sums.record(&policy, &plan, verdict, end, &network);
    }

    fn metrics(&mut self) -> String {
        let mut totals = Totals::default();
        totals.merge(&self.sums.report(), Timestamp::from_millis(1_000_000));
        totals.metrics()
    }

    /// Exactly these samples of a family are there, in any order.
    #[track_caller]
    fn check(&mut self, family: &str, expected: &[&str]) {
        let metrics = self.metrics();
        let mut found: Vec<_> = metrics
            .lines()
            .filter(|line| line.starts_with(family))
            .collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

fn says(conforms: bool, remaining: u64) -> Option<Said> {
    Some(Said {
        conforms,
        remaining,
        ..Said::default()
    })
}

fn verdict(outcomes: &[Option<Said>], refused: &[usize]) -> Verdict {
    Verdict {
        outcomes: outcomes.to_vec(),
        refused: refused.to_vec(),
        ..Verdict::default()
    }
}

#[test]
fn every_limit_of_a_passed_request_is_counted_and_what_was_left() {
    let mut bench = Bench::new();
    let passed = verdict(&[says(true, 9), says(true, 1), says(false, 0)], &[]);
    bench.record("/a", &passed, End::Passed);
    bench.check(
        "weir_requests_total",
        &[
            r#"weir_requests_total{rule="a",limit="ip",outcome="passed",tier=""} 1"#,
            r#"weir_requests_total{rule="a",limit="s",outcome="passed",tier=""} 1"#,
            r#"weir_requests_total{rule="quiet",limit="ip",outcome="shadow",tier=""} 1"#,
        ],
    );
    bench.record("/a", &passed, End::Passed);
    bench.record("/a", &passed, End::Passed);
    let metrics = bench.metrics();
    for line in [
        r#"weir_remaining_bucket{rule="a",limit="ip",le="5"} 0"#,
        r#"weir_remaining_bucket{rule="a",limit="ip",le="10"} 2"#,
        r#"weir_remaining_bucket{rule="a",limit="ip",le="+Inf"} 2"#,
        r#"weir_remaining_sum{rule="a",limit="ip"} 18"#,
        r#"weir_remaining_count{rule="a",limit="ip"} 2"#,
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
}

#[test]
fn of_a_refused_request_only_what_refused_is_counted() {
    let mut bench = Bench::new();
    let refusal = verdict(&[says(false, 0), says(true, 5), says(true, 1)], &[0]);
    let plan = bench.plan("/a");
    let shaped = refusals::of_verdict(&bench.policy, &plan, &refusal);
    bench.record("/a", &refusal, End::Refused(&shaped));
    let report = bench.sums.report();
    assert!(report.contains("rule\ta\t0 1 0 0\n"), "{report}");
    assert!(report.contains("rule\t*\t0 1 0 0\n"), "{report}");
    assert!(report.contains("network\ta\t64500\tNL\t0 1\n"), "{report}");
    assert!(report.contains("key\ta\tip\trefused\t"), "{report}");
    assert!(!report.contains("\tpassed\t"), "{report}");
    assert_eq!(bench.sums.report(), "");
}

/// From these figures an operator decides whether to enforce: a request that is refused anyway would
/// not be refused for the rule in shadow.
#[test]
fn shadow_is_what_would_be_refused_besides() {
    let mut bench = Bench::new();
    let passed = verdict(&[says(true, 9), says(true, 1), says(false, 0)], &[]);
    bench.record("/a", &passed, End::Passed);
    let refusal = verdict(&[says(false, 0), None, says(false, 0)], &[0]);
    let shaped = refusals::of_verdict(&bench.policy, &bench.plan("/a"), &refusal);
    bench.record("/a", &refusal, End::Refused(&shaped));
    let report = bench.sums.report();
    assert!(report.contains("rule\tquiet\t1 0 1 0\n"), "{report}");
    assert!(report.contains("rule\t*\t1 1 1 0\n"), "{report}");
    assert!(
        report.contains("requests\tquiet\tip\tshadow\t\t2\n"),
        "{report}"
    );
    assert_eq!(report.matches("\tshadow\t").count(), 2, "{report}");
}

#[test]
fn slots_are_known_from_when_they_are_asked_for() {
    let mut bench = Bench::new();
    let plan = bench.plan("/a");
    let policy = Rc::clone(&bench.policy);
    bench.sums.wants_slots(&policy, &plan);
    bench.sums.wants_slots(&policy, &plan);
    let report = bench.sums.report();
    let slot = &plan.slots[0];
    let line = format!("slots\ta\ttenant\t{}\t{}\t1\n", slot.object, slot.slot.key);
    assert_eq!(report, line);
}

#[test]
fn who_gets_no_slot_has_charged_nothing() {
    let mut bench = Bench::new();
    let passed = verdict(&[says(true, 9), says(true, 1), None], &[]);
    let busy = Refusal::busy("a.tenant".to_owned(), 429, Span::from_secs(1));
    let shaped = refusals::Shaped {
        refusal: busy,
        rule: Some(0),
    };
    bench.record("/a", &passed, End::Refused(&shaped));
    bench.check(
        "weir_requests_total",
        &[r#"weir_requests_total{rule="a",limit="tenant",outcome="busy",tier=""} 1"#],
    );
}

/// What `live` names can be asked of its object.
#[test]
fn a_key_is_named_so_that_it_can_be_found() {
    let mut bench = Bench::new();
    let refusal = verdict(&[says(false, 0), None, None], &[0]);
    let plan = bench.plan("/a");
    let shaped = refusals::of_verdict(&bench.policy, &plan, &refusal);
    bench.record("/a", &refusal, End::Refused(&shaped));
    let report = bench.sums.report();
    let line = report.lines().find(|line| line.starts_with("key")).unwrap();
    let parts: Vec<_> = line.split('\t').collect();
    assert_eq!(parts[7], plan.applied[0].object);
    let Some(Call::Peek(charge)) = Call::decode(parts[8]) else {
        panic!("{line}");
    };
    assert_eq!(charge.items[0].key, plan.applied[0].item.key);
    assert_eq!(charge.items[0].quota, plan.applied[0].item.quota);
}

#[test]
fn what_no_counter_decided_is_counted_for_its_rule_or_its_slots() {
    let mut bench = Bench::new();
    let cost = Refusal::too_expensive(9, 1);
    let shaped = |refusal, rule| refusals::Shaped { refusal, rule };
    let nothing = Verdict::default();
    bench.record("/b", &nothing, End::Refused(&shaped(cost, Some(2))));
    bench.record("/b", &nothing, End::Passed);
    bench.record("/nothing", &nothing, End::Passed);
    let busy = Refusal::busy("a.tenant".to_owned(), 429, Span::from_secs(1));
    bench.record("/a", &nothing, End::Refused(&shaped(busy, Some(0))));
    let lost = Refusal::new(Code::OriginMissing);
    bench.record("/nothing", &nothing, End::Refused(&shaped(lost, None)));
    bench.check(
        "weir_requests_total",
        &[
            r#"weir_requests_total{rule="bounded",limit="",outcome="cost",tier=""} 1"#,
            r#"weir_requests_total{rule="bounded",limit="",outcome="passed",tier=""} 1"#,
            r#"weir_requests_total{rule="a",limit="tenant",outcome="busy",tier=""} 1"#,
            r#"weir_requests_total{rule="",limit="",outcome="passed",tier=""} 1"#,
            r#"weir_requests_total{rule="",limit="",outcome="origin",tier=""} 1"#,
        ],
    );
}

#[test]
fn crossing_eighty_percent_is_counted_once_by_key() {
    let mut bench = Bench::new();
    for left in [4, 3, 2, 1, 0] {
        let passed = verdict(&[says(true, left), None, None], &[]);
        bench.record("/a", &passed, End::Passed);
    }
    bench.check(
        "weir_near_limit_total",
        &[r#"weir_near_limit_total{rule="a",limit="ip"} 1"#],
    );
}

#[test]
fn a_counter_that_cannot_be_reached_shows_how_its_limit_fails() {
    let mut bench = Bench::new();
    let open = Verdict {
        outcomes: vec![None, None, None],
        unreached: vec![(0, false)],
        ..Verdict::default()
    };
    bench.record("/a", &open, End::Passed);
    bench.check(
        "weir_requests_total",
        &[r#"weir_requests_total{rule="a",limit="ip",outcome="failed_open",tier=""} 1"#],
    );
}

#[test]
fn a_new_policy_keeps_what_was_counted_under_the_old() {
    let mut bench = Bench::new();
    bench.record("/nothing", &Verdict::default(), End::Passed);
    bench.policy = Rc::new(crate::policy::parse(r#"{"rules":[]}"#).unwrap());
    bench.record("/a", &Verdict::default(), End::Passed);
    bench.check(
        "weir_requests_total",
        &[r#"weir_requests_total{rule="",limit="",outcome="passed",tier=""} 2"#],
    );
}

#[test]
fn many_networks_and_keys_stay_within_bounds() {
    let mut bench = Bench::new();
    let plan = bench.plan("/a");
    let policy = Rc::clone(&bench.policy);
    let refusal = verdict(&[says(false, 0), None, None], &[0]);
    let shaped = refusals::of_verdict(&policy, &plan, &refusal);
    for asn in 0..5_000 {
        let network = || (asn, *b"NL");
        let end = End::Refused(&shaped);
        bench.sums.record(&policy, &plan, &refusal, end, &network);
    }
    let report = bench.sums.report();
    assert!(report.len() < 10_000, "{}", report.len());
    let others = 5_000 - NAMED;
    let line = format!("network\ta\tother\tother\t0 {others}\n");
    assert!(report.contains(&line), "{report}");
    let mut totals = Totals::default();
    totals.merge(&report, Timestamp::from_millis(1_000_000));
    let refused: u64 = totals
        .metrics()
        .lines()
        .filter(|line| line.starts_with("weir_refusals_by_network_total"))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum();
    assert_eq!(refused, 5_000);
}
