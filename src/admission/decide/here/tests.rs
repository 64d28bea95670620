use super::*;
use crate::admission::decide::tests::{at, planned};
use crate::admission::{Begin, Reply};
use crate::time::Span;
use crate::wire::{Answer, Charged, Outcome};

fn asked(memory: &mut Memory, policy: &Policy, plan: &Plan, ms: u64) -> (Round, Timestamp) {
    let now = at(ms);
    match memory.begin(policy, plan, now) {
        Begin::Ask(round) => (round, now),
        Begin::Decided(verdict) => panic!("{verdict:?}"),
    }
}

/// A policy of two limits, whose objects are asked behind answers, and a plan under it.
fn with_blocks() -> (Policy, Plan) {
    let limit = |name, key| {
        format!(
            r#"{{"name":"{name}","key":["{key}"],"algorithm":"sliding-window","quota":5,"window":"60s","block":"60s","precision":"optimistic"}}"#
        )
    };
    let limits = [limit("l", "ip"), limit("m", "header:x-api-key")].join(",");
    planned(&format!(
        r#"{{"rules":[{{"name":"r","match":{{"path":"/*"}},"on_error":"deny","limits":[{limits}]}}]}}"#
    ))
}

#[test]
fn what_is_asked_behind_a_request_is_charged_for_good_or_not_at_all() {
    let (policy, plan) = with_blocks();
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

#[test]
fn whoever_comes_after_a_refusal_waits_for_what_follows_it() {
    let (policy, plan) = with_blocks();
    let mut memory = Memory::new(1);
    let (round, sent) = asked(&mut memory, &policy, &plan, 0);
    let (_, questions) = memory.behind(&policy, &plan, round, sent);
    let second = Span::from_secs(1);
    let refusal = Outcome {
        retry_after: second,
        remember: second,
        ..Outcome::default()
    };
    let refused = Reply::Answer(Answer::Charged(Charged {
        admitted: false,
        outcomes: vec![refusal],
        rows: 0,
        faults: 0,
    }));
    memory.reported(&policy, questions, &[refused, Reply::Failed], (sent, sent));
    let (round, now) = asked(&mut memory, &policy, &plan, 1_000);
    assert!(!round.is_behind(&policy, &plan));
    assert!(memory.is_asked_about(&plan, now));
}
