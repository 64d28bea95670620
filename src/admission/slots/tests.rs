use super::*;
use crate::admission::plan::SlotUse;
use crate::wire::CounterKey;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// Rules with one concurrency limit each, named by its place.
fn policy(on_error: &[&str]) -> Policy {
    let rule = |(place, on_error): (usize, &&str)| {
        format!(
            r#"{{"name":"r{place}","on_error":"{on_error}","concurrency":[
                {{"name":"c","key":[],"running":1,"waiting":5,"max_wait":"{}s","status":503,"retry_after":"7s"}}]}}"#,
            place + 1
        )
    };
    let rules: Vec<String> = on_error.iter().enumerate().map(rule).collect();
    let text = format!(r#"{{"rules":[{}]}}"#, rules.join(","));
    crate::policy::parse(&text).unwrap()
}

/// Slots of the policy's rules in order, in these objects.
fn plan(policy: &Policy, objects: &[&str]) -> Plan {
    let slots = objects.iter().enumerate().map(|(rule, object)| SlotUse {
        rule,
        concurrency: 0,
        object: (*object).to_owned(),
        slot: Slot {
            key: CounterKey([u8::try_from(rule).unwrap(); 16]),
            running: 1,
            waiting: 5,
            max_wait: policy.rules[rule].concurrency[0].max_wait,
            fair: None,
            enforce: true,
        },
    });
    Plan {
        slots: slots.collect(),
        ..Plan::default()
    }
}

fn granted() -> Reply {
    Reply::Answer(Answer::Acquired(Acquired::Granted { waited: Span::ZERO }))
}

/// Goes through all steps; what was asked is written down as object and number of items.
fn walk(
    memory: &mut Memory,
    policy: &Policy,
    plan: &Plan,
    mut answer: impl FnMut(&str) -> Reply,
) -> (Vec<(String, usize)>, Step) {
    let mut taking = Taking::new(plan);
    let mut asked = Vec::new();
    let mut step = memory.next_slot(policy, plan, &mut taking, NOW);
    while let Step::Ask(question, _) = &step {
        let Call::Acquire(acquire) = &question.call else {
            panic!("{question:?}");
        };
        asked.push((question.object.clone(), acquire.items.len()));
        let reply = answer(&question.object);
        step = memory.slot_answered(policy, plan, &mut taking, &reply, NOW);
    }
    (asked, step)
}

#[track_caller]
fn check_order(objects: &[&str], expected: &[(&str, usize)]) {
    let policy = policy(&vec!["deny"; objects.len()]);
    let plan = plan(&policy, objects);
    let (asked, step) = walk(&mut Memory::new(1), &policy, &plan, |_| granted());
    let asked: Vec<_> = asked.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(asked, expected);
    assert_eq!(step, Step::Run);
}

#[test]
fn slots_are_taken_in_the_policy_order_and_neighbours_together() {
    check_order(&[], &[]);
    check_order(&["a", "b"], &[("a", 1), ("b", 1)]);
    check_order(&["b", "a"], &[("b", 1), ("a", 1)]);
    check_order(&["a", "a", "b"], &[("a", 2), ("b", 1)]);
    // Joining the two would take the third before the second.
    check_order(&["a", "b", "a"], &[("a", 1), ("b", 1), ("a", 1)]);
}

#[test]
fn the_refusal_is_in_the_words_of_the_limit_in_the_way() {
    let policy = policy(&["deny", "deny"]);
    let plan = plan(&policy, &["a", "a"]);
    for answer in [Acquired::Full { item: 1 }, Acquired::TimedOut { item: 1 }] {
        let reply = Reply::Answer(Answer::Acquired(answer));
        let (_, step) = walk(&mut Memory::new(1), &policy, &plan, |_| reply.clone());
        let Step::Refuse(shaped) = step else {
            panic!("{step:?}");
        };
        assert_eq!(shaped.rule, Some(1));
        assert_eq!(shaped.refusal.violated, ["r1.c"]);
        assert_eq!(shaped.refusal.status, 503);
        assert_eq!(shaped.refusal.retry_after, Some(Span::from_secs(7)));
    }
}

#[test]
fn a_wait_may_take_as_long_as_the_longest_of_the_call() {
    let policy = policy(&["deny", "deny"]);
    let mut plan = plan(&policy, &["a", "a"]);
    let longest = |plan: &Plan| {
        let mut taking = Taking::new(plan);
        match Memory::new(1).next_slot(&policy, plan, &mut taking, NOW) {
            Step::Ask(_, longest) => longest,
            step => panic!("{step:?}"),
        }
    };
    assert_eq!(longest(&plan), Span::from_secs(2));
    plan.slots[1].slot.waiting = 0;
    assert_eq!(longest(&plan), Span::from_secs(1));
    plan.slots[0].slot.enforce = false;
    assert_eq!(longest(&plan), Span::ZERO);
}

/// Without any object: how many of three requests run, and what the others are told.
#[track_caller]
fn check_without_object(on_error: &[&str], reply: &Reply, runs: usize, status: u16) {
    let policy = policy(on_error);
    let plan = plan(&policy, &vec!["a"; on_error.len()]);
    let mut memory = Memory::new(1);
    let mut ran = 0;
    for _ in 0..3 {
        match walk(&mut memory, &policy, &plan, |_| reply.clone()).1 {
            Step::Run => ran += 1,
            Step::Refuse(shaped) => assert_eq!(shaped.refusal.status, status),
            step @ Step::Ask(..) => panic!("{step:?}"),
        }
    }
    assert_eq!(ran, runs, "{on_error:?}");
}

#[test]
fn without_the_object_the_strictest_rule_decides() {
    for reply in [
        Reply::Failed,
        Reply::TimedOut,
        Reply::Overloaded,
        Reply::Retryable,
        Reply::Answer(Answer::Unintelligible),
        Reply::Answer(Answer::Acquired(Acquired::Gone)),
    ] {
        check_without_object(&["allow"], &reply, 3, 0);
        check_without_object(&["deny"], &reply, 0, 503);
        check_without_object(&["local"], &reply, 1, 503);
        check_without_object(&["allow", "local"], &reply, 1, 503);
        check_without_object(&["local", "deny", "allow"], &reply, 0, 503);
    }
}

#[test]
fn a_failure_that_may_be_gone_is_tried_once_more() {
    let policy = policy(&["deny", "deny"]);
    let plan = plan(&policy, &["a", "b"]);
    let mut replies = vec![granted(), Reply::Retryable, granted(), Reply::Retryable];
    let (asked, step) = walk(&mut Memory::new(1), &policy, &plan, |_| {
        replies.pop().unwrap()
    });
    assert_eq!(asked.len(), 4, "each object twice");
    assert_eq!(step, Step::Run);
}

#[test]
fn an_object_that_keeps_failing_is_not_asked() {
    let policy = policy(&["allow"]);
    let plan = plan(&policy, &["a"]);
    let mut memory = Memory::new(1);
    for expected in [1, 1, 1, 0] {
        let (asked, step) = walk(&mut memory, &policy, &plan, |_| Reply::TimedOut);
        assert_eq!((asked.len(), step), (expected, Step::Run));
    }
}

#[test]
fn slots_kept_here_are_given_back() {
    let policy = policy(&["local"]);
    let plan = plan(&policy, &["a"]);
    let mut memory = Memory::new(1);
    let run = |memory: &mut Memory| {
        let mut taking = Taking::new(&plan);
        memory.next_slot(&policy, &plan, &mut taking, NOW);
        let step = memory.slot_answered(&policy, &plan, &mut taking, &Reply::Failed, NOW);
        (step == Step::Run, taking.local)
    };
    let (first, held) = run(&mut memory);
    assert!(first && held.len() == 1);
    assert!(!run(&mut memory).0);
    memory.local_slots.release(held[0]);
    assert!(run(&mut memory).0);
}

#[test]
fn slots_kept_here_lapse() {
    let mut slots = LocalSlots::default();
    let slot = Slot {
        key: CounterKey([0; 16]),
        running: 1,
        waiting: 0,
        max_wait: Span::ZERO,
        fair: None,
        enforce: true,
    };
    let items = std::slice::from_ref(&slot);
    assert_eq!(slots.take(CallId(1), items, NOW), Ok(()));
    let later = NOW + Span::from_secs(120);
    assert_eq!(
        slots.take(CallId(2), items, NOW + Span::from_secs(119)),
        Err(0)
    );
    assert_eq!(slots.take(CallId(2), items, later), Ok(()));
}

#[test]
fn a_websocket_is_held_unless_all_say_otherwise() {
    let mut policy = policy(&["deny", "deny"]);
    let plan = plan(&policy, &["a", "b"]);
    assert!(hold_websocket(&policy, &plan));
    policy.rules[0].websocket = WebSocketSlot::Handshake;
    assert!(hold_websocket(&policy, &plan));
    policy.rules[1].websocket = WebSocketSlot::Handshake;
    assert!(!hold_websocket(&policy, &plan));
}

#[test]
fn a_charge_is_confirmed_where_little_is_left() {
    let policy = crate::policy::parse(
        r#"{"rules":[{"name":"r","limits":[{"name":"l","key":[],"quota":100,"window":"1h","algorithm":"sliding-window"}]}]}"#,
    )
    .unwrap();
    let namer = crate::wire::names::Namer::new(b"secret");
    let context = crate::admission::plan::Context {
        policy: &policy,
        namer: &namer,
        mode: crate::policy::Mode::Enforce,
        tiers: &|_, _| crate::admission::plan::Tier::Unknown,
    };
    let request = crate::admission::described::Described::default();
    let plan = crate::admission::plan::plan(&context, &request);
    let verdict = |remaining| Verdict {
        outcomes: vec![Some(crate::wire::Outcome {
            remaining,
            ..crate::wire::Outcome::default()
        })],
        ..Verdict::default()
    };
    assert_eq!(plan.applied.len(), 1);
    assert!(is_scarce(&plan, &verdict(24)));
    assert!(!is_scarce(&plan, &verdict(25)));
    assert!(!is_scarce(&plan, &Verdict::default()));
}
