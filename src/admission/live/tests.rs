use super::*;

const GOOD: &str = r#"{"rules":[{"name":"a","limits":[{"name":"ip","key":["ip"],"algorithm":"token-bucket","quota":1,"window":"1s"}]}]}"#;
const OTHER: &str = r#"{"rules":[{"name":"b","limits":[{"name":"ip","key":["ip"],"algorithm":"token-bucket","quota":1,"window":"1s"}]}]}"#;
const BAD: &str = r#"{"rules":[{"name":"a","limit":[]}]}"#;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + ms)
}

fn text(text: &str) -> Read {
    Read::Text(text.to_owned())
}

fn started(variable: &str) -> Live {
    Live::start(Some(variable), true, at(0))
}

#[track_caller]
fn in_force(live: &Live, source: Source, rule: &str) {
    let in_force = live.in_force().expect("some policy");
    assert_eq!(in_force.source, source);
    assert_eq!(in_force.policy.rules[0].name, rule);
}

#[test]
fn without_a_binding_nobody_asks() {
    let mut live = Live::start(Some(GOOD), false, at(0));
    assert_eq!(live.need(at(0)), Need::Nothing);
    assert_eq!(live.need(at(1_000_000)), Need::Nothing);
    in_force(&live, Source::Variable, "a");
}

#[test]
fn cold_requests_all_wait_and_later_ones_read_behind_one_at_a_time() {
    let mut live = started(GOOD);
    assert_eq!(live.need(at(0)), Need::Wait);
    assert_eq!(live.need(at(1)), Need::Wait, "each reads for itself");
    assert_eq!(live.take_in(text(OTHER), at(10)), Taken::Changed);
    in_force(&live, Source::Kv, "b");
    assert_eq!(live.need(at(11)), Need::Nothing);
    assert_eq!(live.need(at(30_009)), Need::Nothing);
    assert_eq!(live.need(at(30_010)), Need::Behind);
    assert_eq!(
        live.need(at(30_011)),
        Need::Nothing,
        "somebody reads already"
    );
    assert_eq!(live.need(at(35_010)), Need::Behind, "and never reported");
    assert_eq!(live.take_in(text(OTHER), at(35_020)), Taken::Same);
    assert_eq!(live.need(at(65_019)), Need::Nothing);
}

#[test]
fn after_the_wait_the_variable_holds_and_a_late_answer_still_counts() {
    let mut live = started(GOOD);
    live.gave_up(at(250));
    assert_eq!(live.need(at(251)), Need::Nothing);
    in_force(&live, Source::Variable, "a");
    assert_eq!(live.take_in(text(OTHER), at(900)), Taken::Changed);
    in_force(&live, Source::Kv, "b");
}

#[test]
fn a_failing_kv_changes_nothing_and_is_asked_again_soon() {
    let mut live = started(GOOD);
    live.take_in(text(OTHER), at(0));
    assert_eq!(live.need(at(30_000)), Need::Behind);
    assert_eq!(live.take_in(Read::Failed, at(30_100)), Taken::Same);
    in_force(&live, Source::Kv, "b");
    assert_eq!(live.need(at(35_099)), Need::Nothing);
    assert_eq!(live.need(at(35_100)), Need::Behind);
}

#[test]
fn a_bad_document_leaves_the_last_good_one_and_is_told_once() {
    let mut live = started(GOOD);
    live.take_in(text(OTHER), at(0));
    assert_eq!(live.take_in(text(BAD), at(1)), Taken::Rejected);
    in_force(&live, Source::Kv, "b");
    assert!(!live.wants_previous());
    let rejected = live.fault().expect("a fault");
    assert_eq!(rejected.source, Source::Kv);
    assert_eq!(rejected.fault.path, "rules[0].limit");
    assert_eq!(live.take_in(text(BAD), at(2)), Taken::Same);
    assert_eq!(live.take_in(text(GOOD), at(3)), Taken::Changed);
    assert_eq!(live.fault(), None);
    in_force(&live, Source::Kv, "a");
}

#[test]
fn the_same_text_after_a_bad_one_is_in_force_again() {
    let mut live = started(GOOD);
    live.take_in(text(OTHER), at(0));
    live.take_in(text(BAD), at(1));
    live.take_in(text(OTHER), at(2));
    assert_eq!(live.fault(), None);
    in_force(&live, Source::Kv, "b");
}

#[test]
fn a_cold_isolate_goes_to_the_previous_one_then_to_the_variable() {
    let mut live = started(GOOD);
    live.take_in(text(BAD), at(0));
    assert!(live.wants_previous());
    assert_eq!(live.take_in_previous(&Read::Failed, at(1)), Taken::Same);
    in_force(&live, Source::Variable, "a");
    assert_eq!(live.take_in_previous(&text("{"), at(2)), Taken::Same);
    in_force(&live, Source::Variable, "a");
    assert_eq!(live.take_in_previous(&text(OTHER), at(3)), Taken::Changed);
    in_force(&live, Source::Previous, "b");
    assert!(
        live.fault().is_some(),
        "the newer one is still to be mended"
    );
    assert!(!live.wants_previous());
    live.take_in(text(GOOD), at(4));
    in_force(&live, Source::Kv, "a");
}

#[test]
fn where_kv_had_none_the_variable_is_the_last_good_one() {
    let mut live = started(GOOD);
    assert_eq!(live.take_in(Read::Absent, at(0)), Taken::Same);
    live.take_in(text(BAD), at(1));
    assert!(!live.wants_previous());
    in_force(&live, Source::Variable, "a");
}

#[test]
fn a_policy_that_is_taken_out_of_kv_gives_way_to_the_variable() {
    let mut live = started(GOOD);
    live.take_in(text(OTHER), at(0));
    assert_eq!(live.take_in(Read::Absent, at(1)), Taken::Changed);
    in_force(&live, Source::Variable, "a");
    assert_eq!(live.take_in(text(OTHER), at(2)), Taken::Changed);
    in_force(&live, Source::Kv, "b");
}

#[test]
fn with_nothing_that_loads_there_is_none_and_it_is_said_why() {
    let mut live = Live::start(None, true, at(0));
    assert!(live.in_force().is_none());
    assert_eq!(live.fault().expect("a fault").fault.path, "POLICY");
    live.take_in(Read::TooLarge, at(0));
    assert!(live.in_force().is_none());
    let rejected = live.fault().expect("a fault");
    assert_eq!(rejected.fault.found, "more than 1048576 bytes");
    live.take_in(text(GOOD), at(1));
    in_force(&live, Source::Kv, "a");
    live.take_in(Read::Absent, at(2));
    in_force(&live, Source::Kv, "a");
}

#[track_caller]
fn check_rejected(document: &str) {
    let mut live = started(GOOD);
    live.take_in(text(OTHER), at(0));
    assert_eq!(live.take_in(text(document), at(1)), Taken::Rejected);
    in_force(&live, Source::Kv, "b");
    let rejected = live.fault().expect("a fault");
    assert!(!rejected.fault.path.is_empty() && !rejected.fault.found.is_empty());
}

#[test]
fn whatever_is_wrong_with_a_document_it_does_not_get_into_force() {
    check_rejected("");
    check_rejected(&GOOD[..GOOD.len() - 2]);
    check_rejected(&format!(
        r#"{{"rules":[{}]}}"#,
        vec![r#"{"name":"a"}"#; 10_000].join(",")
    ));
    check_rejected(&" ".repeat(5 << 20));
    check_rejected(&GOOD.replace(r#"["ip"]"#, r#"["header:bad name"]"#));
    check_rejected(&GOOD.replace(r#""name":"a""#, r#""name":"a","match":{"path":"[("}"#));
}
