use super::*;

fn at(second: u64) -> Timestamp {
    Timestamp::from_millis(second * 1000)
}

#[test]
fn reports_add_up() {
    let mut totals = Totals::default();
    for _ in 0..2 {
        totals.merge(
            "c\tweir_requests_total\trule=\"a\",limit=\"b\",outcome=\"passed\",tier=\"\"\t3\nr\ta\t3 1 0 0\n",
            at(1000),
        );
    }
    assert!(totals.metrics().contains("tier=\"\"} 6\n"));
    let live = totals.live(at(1000));
    assert_eq!(live["rules"][0]["rule"], "a");
    assert_eq!(live["rules"][0]["minute"], json!([6, 2, 0, 0]));
    assert_eq!(live["rules"][0]["fine"][179], json!([6, 2, 0, 0]));
}

#[test]
fn who_is_refused_most_comes_first_and_what_is_past_is_gone() {
    let mut totals = Totals::default();
    totals.merge("n\ta\t64500\tNL\t50 0\nn\ta\t64501\tDE\t2 9\n", at(1000));
    totals.merge("k\tr\ta.ip\tAAAA\t64501\tDE\t9\n", at(1000));
    let live = totals.live(at(1001));
    assert_eq!(live["networks"][0]["asn"], "64501");
    assert_eq!(live["networks"][0]["refused"], 9);
    assert_eq!(live["networks"][1]["passed"], 50);
    assert_eq!(live["keys"][0]["key"], "AAAA");
    assert_eq!(totals.live(at(1100))["networks"], json!([]));
}

#[test]
fn failing_limits_are_named_while_they_fail() {
    let mut totals = Totals::default();
    totals.merge("k\to\ta.ip\tAAAA\t0\t\t4\n", at(1000));
    let expected = json!([{ "limit": "a.ip", "how": "open", "requests": 4 }]);
    assert_eq!(totals.failing(at(1010)), expected);
    assert_eq!(totals.failing(at(1040)), json!([]));
}

#[test]
fn nonsense_is_counted_and_nothing_more() {
    let mut totals = Totals::default();
    totals.merge(
        "x\nc\tweir_requests_total\tno number\nc\ta\tb\t-1\nr\ta\t1 x\n\n",
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
            &format!("n\ta\t{number}\tNL\t0 1\nk\tr\ta.ip\t{number}\t1\tNL\t1\n"),
            at(1000),
        );
    }
    totals.merge("n\ta\t9999\tNL\t0 500\n", at(1000));
    let live = totals.live(at(1000));
    assert_eq!(live["networks"].as_array().unwrap().len(), SHOWN);
    assert_eq!(live["networks"][0]["asn"], "9999");
    let metrics = totals.metrics();
    assert!(metrics.lines().count() < MAX_NETWORKS + 10);
    assert!(metrics.contains("asn=\"other\""));
}

#[test]
fn slots_survive_the_way_through_text() {
    let mut totals = Totals::default();
    totals.merge(
        "s\treports\ttenant\tobject\tkey\ns\treports\ttenant\tobject\tkey\n",
        at(1),
    );
    let seen = Totals::read_slots(&totals.slots());
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].name, "tenant");
}
