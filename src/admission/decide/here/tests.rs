use super::*;
use crate::admission::Begin;
use crate::admission::described::Described;
use crate::admission::plan::{Context, Tier, plan};
use crate::policy::{self, Mode};
use crate::wire::names::Namer;

fn asked(memory: &mut Memory, policy: &Policy, plan: &Plan, ms: u64) -> (Round, Timestamp) {
    let now = Timestamp::from_millis(1_700_000_000_000 + ms);
    match memory.begin(policy, plan, now) {
        Begin::Ask(round) => (round, now),
        Begin::Decided(verdict) => panic!("{verdict:?}"),
    }
}

#[test]
fn what_is_asked_behind_a_request_is_charged_for_good_or_not_at_all() {
    let limit = |name, key| {
        format!(
            r#"{{"name":"{name}","key":["{key}"],"algorithm":"sliding-window","quota":5,"window":"60s","block":"60s","precision":"optimistic"}}"#
        )
    };
    let limits = [limit("l", "ip"), limit("m", "header:x-api-key")].join(",");
    let policy = policy::parse(&format!(
        r#"{{"rules":[{{"name":"r","match":{{"path":"/*"}},"on_error":"deny","limits":[{limits}]}}]}}"#
    ))
    .unwrap();
    let context = Context {
        policy: &policy,
        namer: &Namer::new(b"test"),
        mode: Mode::Enforce,
        tiers: &|_, _| Tier::Unknown,
    };
    let request = Described::new("GET", "/").from_ip("192.0.2.1");
    let plan = plan(&context, &request.header("x-api-key", "k"));
    let mut memory = Memory::new(1);
    let (round, now) = asked(&mut memory, &policy, &plan, 0);
    assert!(round.is_behind(&policy, &plan));
    let (verdict, questions) = memory.behind(&policy, &plan, round, now);
    assert!(verdict.admitted());
    let provisional = questions.iter().map(|question| match &question.call {
        Call::Charge(charge) => charge.provisional,
        other => panic!("{other:?}"),
    });
    assert_eq!(provisional.collect::<Vec<_>>(), [None, None]);

    for _ in 0..3 {
        memory.breakers.failed(&questions[0].object, now);
    }
    let (round, now) = asked(&mut memory, &policy, &plan, 2);
    let (verdict, questions) = memory.behind(&policy, &plan, round, now);
    assert!(!verdict.admitted(), "one object is left alone");
    assert_eq!(questions, [], "so the other charges nothing");
}
