use super::*;
use crate::admission::described::Described;
use crate::admission::plan::{Context, Tier, plan};
use crate::policy::{self, Mode};
use crate::wire::names::Namer;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// A policy of one limit, a request's plan under it, and its first round, begun at 0 ms.
fn begun(memory: &mut Memory) -> (Policy, Plan, Round) {
    let policy = policy::parse(
        r#"{"counter_timeout":"300ms","rules":[{"name":"r","match":{"path":"/*"},"limits":[
            {"name":"l","key":["ip"],"algorithm":"sliding-window","quota":5,"window":"60s"}]}]}"#,
    )
    .unwrap();
    let context = Context {
        policy: &policy,
        namer: &Namer::new(b"test"),
        mode: Mode::Enforce,
        tiers: &|_, _| Tier::Unknown,
    };
    let plan = plan(&context, &Described::new("GET", "/").from_ip("192.0.2.1"));
    match memory.begin(&policy, &plan, at(0)) {
        Begin::Ask(round) => (policy, plan, round),
        Begin::Decided(verdict) => panic!("{verdict:?}"),
    }
}

#[test]
fn a_second_round_has_what_the_first_has_left_of_the_time() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun(&mut memory);
    assert_eq!(round.patience(&policy, at(0)), Span::from_millis(300));
    let id = round.questions[0].call.clone();
    let again = memory.conclude(&policy, &plan, round, &[Reply::Retryable], at(200));
    let Conclusion::Again(round, pause) = again else {
        panic!("{again:?}");
    };
    assert!(pause.is_zero());
    assert_eq!(round.patience(&policy, at(200)), Span::from_millis(100));
    assert_eq!(round.questions[0].call, id, "asked again under its id");
}

#[test]
fn no_second_round_begins_when_the_time_is_over() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun(&mut memory);
    let concluded = memory.conclude(&policy, &plan, round, &[Reply::Retryable], at(296));
    let Conclusion::Verdict(verdict) = concluded else {
        panic!("{concluded:?}");
    };
    assert_eq!(verdict.unreached, [(0, true)]);
}
