use super::*;
use crate::admission::described::Described;
use crate::admission::plan::{Context, Tier, plan};
use crate::policy::{self, Mode};
use crate::wire::Charged;
use crate::wire::names::Namer;

pub(super) fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// The policy of this text, and a request's plan under it.
pub(super) fn planned(text: &str) -> (Policy, Plan) {
    let policy = policy::parse(text).unwrap();
    let context = Context {
        policy: &policy,
        namer: &Namer::new(b"test"),
        mode: Mode::Enforce,
        tiers: &|_, _| Tier::Unknown,
    };
    let request = Described::new("GET", "/").from_ip("192.0.2.1");
    let plan = plan(&context, &request.header("x-api-key", "k"));
    (policy, plan)
}

/// A policy of one limit, a request's plan under it, and its first round, begun at 0 ms.
fn begun(memory: &mut Memory) -> (Policy, Plan, Round) {
    begun_with(memory, "[]")
}

/// The same, with another limit on this key.
pub(super) fn begun_with(memory: &mut Memory, key: &str) -> (Policy, Plan, Round) {
    let mut limits = String::from(
        r#"{"name":"l","key":["ip"],"algorithm":"sliding-window","quota":5,"window":"60s"}"#,
    );
    if key != "[]" {
        limits += &format!(
            r#",{{"name":"m","key":{key},"algorithm":"sliding-window","quota":9,"window":"1h"}}"#
        );
    }
    let (policy, plan) = planned(&format!(
        r#"{{"counter_timeout":"300ms","rules":[{{"name":"r","match":{{"path":"/*"}},"limits":[{limits}]}}]}}"#,
    ));
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

/// An object's refusal of one item for so long.
fn refusal(seconds: u64, provisional: bool) -> Reply {
    Reply::Answer(Answer::Charged(Charged {
        admitted: false,
        outcomes: vec![Outcome {
            retry_after: Span::from_secs(seconds),
            provisional,
            ..Outcome::default()
        }],
        rows: 0,
        faults: 0,
    }))
}

#[test]
fn what_only_provisional_charges_refuse_does_not_say_when_to_come_back() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun_with(&mut memory, r#"["header:x-api-key"]"#);
    assert_eq!(round.questions.len(), 2, "in two objects");
    let replies = [refusal(40, false), refusal(3_000, true)];
    let concluded = memory.conclude(&policy, &plan, round, &replies, at(10));
    let Conclusion::Verdict(verdict) = concluded else {
        panic!("asked again, and to no end: {concluded:?}");
    };
    assert_eq!(verdict.refused, [0]);
    assert_eq!(verdict.retry_after(), Span::from_secs(40));
}

#[test]
fn of_provisional_refusals_alone_the_first_to_end_counts_after_a_second_try() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun_with(&mut memory, r#"["header:x-api-key"]"#);
    let replies = [refusal(40, true), refusal(3_000, true)];
    let concluded = memory.conclude(&policy, &plan, round, &replies, at(10));
    let Conclusion::Again(round, pause) = concluded else {
        panic!("{concluded:?}");
    };
    assert_eq!((round.questions.len(), pause), (2, Span::from_millis(5)));
    let concluded = memory.conclude(&policy, &plan, round, &replies, at(20));
    let Conclusion::Verdict(verdict) = concluded else {
        panic!("{concluded:?}");
    };
    assert_eq!(verdict.refused, [0]);
    assert_eq!(verdict.retry_after(), Span::from_secs(40));
}

/// What an object says of the one limit of [`begun`].
fn said(conforms: bool, remaining: u64, wait: Span) -> Vec<Reply> {
    let outcome = Outcome {
        conforms,
        remaining,
        reset: wait,
        retry_after: if conforms { Span::ZERO } else { wait },
        remember: if conforms { Span::ZERO } else { wait },
        ..Outcome::default()
    };
    vec![Reply::Answer(Answer::Charged(Charged {
        admitted: conforms,
        outcomes: vec![outcome],
        rows: 0,
        faults: 0,
    }))]
}

fn refuse_for_a_second(memory: &mut Memory, policy: &Policy, plan: &Plan, round: Round) {
    let refusal = said(false, 0, Span::from_secs(1));
    memory.conclude(policy, plan, round, &refusal, at(0));
}

fn asked(memory: &mut Memory, policy: &Policy, plan: &Plan, now: Timestamp) -> Round {
    match memory.begin(policy, plan, now) {
        Begin::Ask(round) => round,
        Begin::Decided(verdict) => panic!("{verdict:?}"),
    }
}

#[test]
fn where_a_refusal_ends_one_request_asks_and_the_others_wait_for_it() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun(&mut memory);
    assert!(
        !memory.is_asked_about(&plan, at(0)),
        "a key that was never refused"
    );
    let second = Span::from_secs(1);
    memory.conclude(&policy, &plan, round, &said(false, 0, second), at(0));
    assert!(
        !memory.is_asked_about(&plan, at(999)),
        "refused from memory"
    );
    assert!(!memory.is_asked_about(&plan, at(1000)), "nobody asks yet");
    let round = asked(&mut memory, &policy, &plan, at(1000));
    assert!(memory.is_asked_about(&plan, at(1000)));
    assert!(memory.is_asked_about(&plan, at(1074)));
    assert!(
        !memory.is_asked_about(&plan, at(1075)),
        "a quarter of counter_timeout"
    );

    // It was let through with nothing left: the next asks alone as well.
    memory.conclude(&policy, &plan, round, &said(true, 0, second), at(1005));
    assert!(!memory.is_asked_about(&plan, at(1005)));
    let round = asked(&mut memory, &policy, &plan, at(1005));
    assert!(memory.is_asked_about(&plan, at(1006)));

    // With something left nobody waits.
    memory.conclude(&policy, &plan, round, &said(true, 3, second), at(1007));
    asked(&mut memory, &policy, &plan, at(1008));
    assert!(!memory.is_asked_about(&plan, at(1009)));
}

#[test]
fn nobody_waits_where_the_object_is_left_alone() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun(&mut memory);
    let second = Span::from_secs(1);
    memory.conclude(&policy, &plan, round, &said(false, 0, second), at(0));
    for ms in 1000..1003 {
        let round = asked(&mut memory, &policy, &plan, at(ms));
        memory.conclude(&policy, &plan, round, &[Reply::Failed], at(ms));
    }
    assert!(!memory.is_asked_about(&plan, at(1003)));
    assert!(matches!(
        memory.begin(&policy, &plan, at(1003)),
        Begin::Decided(_)
    ));
    assert!(
        !memory.is_asked_about(&plan, at(1004)),
        "straight to on_error"
    );
    asked(&mut memory, &policy, &plan, at(2100));
    assert!(
        !memory.is_asked_about(&plan, at(2101)),
        "a probe is nobody's hope"
    );
}

#[test]
fn nobody_waits_for_a_request_that_is_cheaper_or_in_shadow() {
    let mut memory = Memory::new(1);
    let (_, _, round) = begun(&mut memory);
    let (policy, plan) = planned(
        r#"{"rules":[{"name":"r","mode":"shadow","match":{"path":"/*"},"limits":[{"name":"l","key":["ip"],"algorithm":"sliding-window","quota":5,"window":"60s"}]}]}"#,
    );
    refuse_for_a_second(&mut memory, &policy, &plan, round);
    asked(&mut memory, &policy, &plan, at(1000));
    assert!(!memory.is_asked_about(&plan, at(1001)), "shadow");

    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun(&mut memory);
    refuse_for_a_second(&mut memory, &policy, &plan, round);
    asked(&mut memory, &policy, &plan, at(1000));
    let mut cheaper = plan;
    cheaper.applied[0].item.cost = 0;
    assert!(
        !memory.is_asked_about(&cheaper, at(1001)),
        "it would not be refused for this"
    );
}

// `on_error` lets the request through, and its body or a slot may refuse it yet.
#[test]
fn what_may_have_been_charged_without_an_answer_is_given_back_with_the_rest() {
    let mut memory = Memory::new(1);
    let (policy, plan, round) = begun_with(&mut memory, r#"["header:x-api-key"]"#);
    let asked: Vec<_> = round.questions.iter().map(charge_id).collect();
    let mut replies = said(true, 4, Span::ZERO);
    replies.push(Reply::TimedOut);
    let concluded = memory.conclude(&policy, &plan, round, &replies, at(300));
    let Conclusion::Verdict(verdict) = concluded else {
        panic!("{concluded:?}");
    };
    assert!(verdict.admitted());
    let refunds = verdict.take_back();
    let refunded: Vec<_> = refunds.iter().map(|question| &question.call).collect();
    let expected: Vec<_> = asked.iter().map(|id| Call::Refund { id: *id }).collect();
    assert_eq!(refunded, expected.iter().collect::<Vec<_>>());
}

fn charge_id(question: &Question) -> crate::wire::CallId {
    match &question.call {
        Call::Charge(charge) => charge.id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_has_waited_for_another_has_less_patience_left() {
    let mut memory = Memory::new(1);
    let (policy, plan, _) = begun(&mut memory);
    match memory.begin_since(&policy, &plan, at(100), at(175)) {
        Begin::Ask(round) => assert_eq!(round.patience(&policy, at(175)), Span::from_millis(225)),
        Begin::Decided(verdict) => panic!("{verdict:?}"),
    }
}
