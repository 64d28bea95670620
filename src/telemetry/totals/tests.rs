use serde_json::json;

use super::*;

fn at(second: u64) -> Timestamp {
    Timestamp::from_millis(second * 1000)
}

#[test]
fn reports_add_up() {
    let mut totals = Totals::default();
    for _ in 0..2 {
        totals.merge("requests\ta\tb\tpassed\t\t3\nrule\ta\t3 1 0 0\n", at(1000));
    }
    assert!(totals.metrics().contains("tier=\"\"} 6\n"));
    let live = totals.live(at(1000)).told();
    assert_eq!(live["rules"][0]["rule"], "a");
    assert_eq!(live["rules"][0]["minute"], json!([6, 2, 0, 0]));
    assert_eq!(live["rules"][0]["fine"][179], json!([6, 2, 0, 0]));
}

#[test]
fn who_is_refused_most_comes_first_and_what_is_past_is_gone() {
    let mut totals = Totals::default();
    totals.merge(
        "network\ta\t64500\tNL\t50 0\nnetwork\ta\t64501\tDE\t2 9\n",
        at(1000),
    );
    totals.merge(
        "key\ta\tip\trefused\tAAAA\t64501\tDE\tobject\task\t9\n",
        at(1000),
    );
    let live = totals.live(at(1001)).told();
    assert_eq!(live["networks"][0]["asn"], "64501");
    assert_eq!(live["networks"][0]["refused"], 9);
    assert_eq!(live["networks"][1]["passed"], 50);
    assert_eq!(live["keys"][0]["key"], "AAAA");
    assert_eq!(totals.live(at(1100)).told()["networks"], json!([]));
}

#[test]
fn failing_limits_are_named_while_they_fail() {
    let mut totals = Totals::default();
    totals.merge("key\ta\tip\tfailed_open\tAAAA\t0\t\tobject\t4\n", at(1000));
    let expected = json!([{ "limit": "a.ip", "how": "open", "requests": 4 }]);
    assert_eq!(totals.failing(at(1010)).told(), expected);
    assert_eq!(totals.failing(at(1040)).told(), json!([]));
}

#[test]
fn nonsense_is_counted_and_nothing_more() {
    let mut totals = Totals::default();
    totals.merge(
        "x\nc\tweir_requests_total\tno number\nc\ta\tb\t-1\nrule\ta\t1 x\n\n",
        at(1),
    );
    assert_eq!(
        totals.metrics().lines().last(),
        Some("weir_telemetry_lost_total 5")
    );
}

#[test]
fn a_flood_of_names_stays_within_bounds() {
    let mut totals = Totals::default();
    for number in 0..2_000 {
        totals.merge(
            &format!(
                "network\ta\t{number}\tNL\t0 1\nkey\ta\tip\trefused\t{number}\t1\tNL\tobject\task\t1\n"
            ),
            at(1000),
        );
    }
    totals.merge("network\ta\t9999\tNL\t0 500\n", at(1000));
    let live = totals.live(at(1000)).told();
    assert_eq!(live["networks"].as_array().unwrap().len(), live::SHOWN);
    assert_eq!(live["networks"][0]["asn"], "9999");
    let metrics = totals.metrics();
    assert!(metrics.lines().count() < MAX_NETWORKS + 10);
    assert!(metrics.contains("asn=\"other\""));
}

/// Two objects' sums, told to a third: each counted once.
#[test]
fn sums_of_several_objects_add_up() {
    let report = "requests\ta\tip\tpassed\tgold {plan}\t3\nc\tweir_rows_written_total\t\t2\n\
        c\tweir_remaining\trule=\"a\",limit=\"ip\"\t1 0 2 0 0 0 0 0 9\nrule\ta\t3 1 0 0\n\
        network\ta\t64500\tNL\t0 1\nkey\ta\tip\trefused\tAAAA\t64500\tNL\tobject\task\t1\n\
        slots\ta\ttenant\tobject\tkey\t1\n";
    let mut objects = [Totals::default(), Totals::default()];
    objects[0].merge(report, at(1000));
    objects[1].merge(report, at(1004));
    objects[1].merge(report, at(1011));
    let mut sum = Totals::default();
    for object in &objects {
        sum.merge(&object.write(), at(1012));
    }
    let mut expected = Totals::default();
    for second in [1000, 1004, 1011] {
        expected.merge(report, at(second));
    }
    assert_eq!(sum.live(at(1012)), expected.live(at(1012)));
    assert_eq!(sum.metrics(), expected.metrics());
    assert_eq!(sum.slots(), expected.slots());
    assert!(sum.metrics().contains("tier=\"gold {plan}\"} 9\n"));
    assert!(!sum.metrics().contains("weir_telemetry_lost_total"));
}

/// What is in storage stays readable.
#[test]
fn the_stored_form_is_unchanged() {
    let mut totals = Totals::default();
    let report = "requests\ta\tip\trefused\t\t3\nrule\ta\t0 3 0 0\nnetwork\ta\t1\tNL\t0 3\n\
        key\ta\tip\trefused\tAAAA\t1\tNL\tobject\task\t3\nslots\ta\ttenant\tobject\tkey\t1\n";
    totals.merge(report, at(1000));
    let stored = "c\tweir_refusals_by_network_total\trule=\"a\",asn=\"1\",country=\"NL\"\t3\n\
        c\tweir_requests_total\trule=\"a\",limit=\"ip\",outcome=\"refused\",tier=\"\"\t3\n\
        fine\ta\t200 0 0 3 0 0\ncoarse\ta\t8 0 0 3 0 0\nnetworks\ta\t1\tNL\t200 0 0 3 0 0\n\
        keys\ta\tip\trefused\tAAAA\t1\tNL\tobject\task\t200 0 3 0 0 0\nslots\ta\ttenant\tobject\tkey\t1\n";
    assert_eq!(totals.write(), stored);
    let mut read = Totals::default();
    read.merge(stored, at(1000));
    assert_eq!(read.write(), stored);
}

#[test]
fn what_the_policy_can_make_occur_is_there_at_zero() {
    let policy = r#"{"rules":[{"name":"a","limits":[
        {"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":1,"window":"60s"}]}]}"#;
    let mut totals = Totals::default();
    totals.merge("requests\ta\tip\trefused\t\t3\n", at(1));
    totals.expect(&crate::policy::parse(policy).unwrap());
    let metrics = totals.metrics();
    for line in [
        r#"weir_requests_total{rule="a",limit="ip",outcome="refused",tier=""} 3"#,
        r#"weir_requests_total{rule="a",limit="ip",outcome="failed_open",tier=""} 0"#,
        r#"weir_object_retries_total{reason="failed"} 0"#,
        "weir_telemetry_lost_total 0",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line} in {metrics}"
        );
    }
}

/// Under a flood of one key by many, the few that come near their limit are shown all the same.
#[test]
fn each_kind_of_key_has_its_own_places() {
    let mut totals = Totals::default();
    for number in 0..100 {
        totals.merge(
            &format!("key\ta\tip\trefused\t{number}\t1\tNL\to\task\t50\n"),
            at(1000),
        );
    }
    totals.merge("key\ta\tip\tnear\tZZZZ\t1\tNL\to\task\t1\n", at(1000));
    let live = totals.live(at(1000)).told();
    let shown = live["keys"].as_array().unwrap();
    assert_eq!(shown.len(), 26);
    assert_eq!(shown[25]["key"], "ZZZZ");
}
