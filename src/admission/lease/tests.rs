use super::*;
use crate::admission::plan::LimitRef;
use crate::ledger::{Ledger, MemoryStore, Reply};
use crate::limit::Algorithm;
use crate::wire::{Answer, Call, Charge};

mod properties;

const WINDOW: Span = Span::from_secs(60);

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

fn applied(key: u8) -> Applied {
    Applied {
        limit: LimitRef::Preflight,
        object: "object".to_owned(),
        hint: String::new(),
        item: Item {
            key: CounterKey([key; 16]),
            spill: CounterKey([key; 16]),
            quota: Quota {
                algorithm: Algorithm::TokenBucket,
                limit: 1_000,
                window: WINDOW,
                burst: 1_000,
            },
            cost: 1,
            value: None,
            enforce: true,
            durable: false,
            block: Vec::new(),
            permits: 0,
            reserve: None,
            taken: None,
        },
        tier: None,
        settle: None,
        shown: true,
    }
}

fn grant(
    leases: &mut Leases,
    applied: &Applied,
    permits: u64,
    sent: Timestamp,
    now: Timestamp,
) -> u64 {
    let outcome = Outcome {
        conforms: true,
        remaining: 500,
        permits,
        lapse: Span::from_secs(3),
        ..Outcome::default()
    };
    let grant = Grant {
        id: CallId(now.as_micros()),
        item: 0,
        sent,
        outcome: &outcome,
    };
    leases.take_up(applied, &grant, now)
}

#[test]
fn the_first_request_of_a_key_asks_for_itself_alone() {
    let mut leases = Leases::default();
    let one = applied(1);
    assert_eq!(leases.want(&one.item, at(0), Span::from_millis(300)), 0);
    grant(&mut leases, &one, 0, at(0), at(5));
    assert_eq!(
        leases.want(&one.item, at(100), Span::from_millis(300)),
        GROWTH
    );
}

#[test]
fn one_call_at_a_time_asks_for_permits() {
    let mut leases = Leases::default();
    let one = applied(1);
    grant(&mut leases, &one, 0, at(0), at(5));
    assert!(leases.want(&one.item, at(10), Span::from_millis(300)) > 0);
    assert_eq!(leases.want(&one.item, at(309), Span::from_millis(300)), 0);
    assert!(
        leases.want(&one.item, at(310), Span::from_millis(300)) > 0,
        "one that never came back is forgotten"
    );
}

#[test]
fn a_key_that_comes_back_asks_for_what_it_spent_before() {
    let mut leases = Leases::default();
    let one = applied(1);
    let patience = Span::from_millis(300);
    grant(&mut leases, &one, 0, at(0), at(5));
    assert_eq!(
        leases.want(&one.item, at(10_000), patience),
        0,
        "one in all"
    );
    grant(&mut leases, &one, 4, at(10_000), at(10_005));
    for _ in 0..4 {
        assert!(leases.pay(&one.item, at(10_010), at(10_010)).is_some());
    }
    for _ in 0..2 * CAPACITY {
        assert_eq!(leases.sweep(at(100_000)), []);
    }
    assert_eq!(leases.want(&one.item, at(100_000), patience), 4);
    assert_eq!(leases.want(&one.item, at(100_001), patience), 0, "asking");
    assert_eq!(
        leases.want(&one.item, at(100_300), patience),
        4,
        "it never came"
    );
    leases.sweep(at(500_000));
    assert!(leases.is_empty(), "after minutes it is a stranger again");
}

#[test]
fn where_plenty_is_left_more_is_asked_for() {
    let mut leases = Leases::default();
    let one = applied(1);
    let outcome = Outcome {
        conforms: true,
        remaining: 1_000_000,
        ..Outcome::default()
    };
    let (id, outcome) = (CallId(1), &outcome);
    for sent_ms in [0, 3_000] {
        let (item, sent) = (0, at(sent_ms));
        let grant = Grant {
            id,
            item,
            sent,
            outcome,
        };
        leases.take_up(&one, &grant, sent);
    }
    // Two in three seconds.
    assert_eq!(
        leases.want(&one.item, at(3_000), Span::from_millis(300)),
        16
    );
}

#[test]
fn exactly_the_permits_are_spent_and_only_until_they_lapse() {
    let mut leases = Leases::default();
    let one = applied(1);
    assert_eq!(grant(&mut leases, &one, 4, at(0), at(200)), 504);
    let mut left = 504;
    for _ in 0..3 {
        let (_, outcome) = leases.pay(&one.item, at(2_999), at(2_999)).unwrap();
        left -= 1;
        assert!(outcome.conforms);
        assert_eq!(outcome.remaining, left, "own permits count as left");
    }
    assert!(
        leases.pay(&one.item, at(3_000), at(3_000)).is_none(),
        "timed from when the call was sent"
    );
    assert!(leases.pay(&one.item, at(2_999), at(2_999)).is_some());
    assert!(
        leases.pay(&one.item, at(2_999), at(2_999)).is_none(),
        "four, no more"
    );
}

#[test]
fn another_quota_is_another_promise() {
    let mut leases = Leases::default();
    let mut one = applied(1);
    grant(&mut leases, &one, 4, at(0), at(5));
    one.item.quota.limit = 2_000;
    assert!(!leases.can_pay(&one.item, at(6)));
    assert!(leases.pay(&one.item, at(6), at(6)).is_none());
}

#[test]
fn what_was_paid_for_nothing_is_put_back_once() {
    let mut leases = Leases::default();
    let one = applied(1);
    grant(&mut leases, &one, 1, at(0), at(5));
    let (paid, _) = leases.pay(&one.item, at(6), at(6)).unwrap();
    assert!(!leases.can_pay(&one.item, at(6)));
    leases.put_back(&[paid.clone(), paid]);
    assert!(leases.pay(&one.item, at(6), at(6)).is_some());
    assert!(leases.pay(&one.item, at(6), at(6)).is_none());
}

#[test]
fn many_unused_permits_go_back_and_cannot_be_spent_any_more() {
    let mut leases = Leases::default();
    let one = applied(1);
    grant(&mut leases, &one, 200, at(0), at(5));
    leases.pay(&one.item, at(6), at(6)).unwrap();
    assert_eq!(leases.sweep(at(100)), [], "still in use");
    let back = leases.sweep(at(2_500));
    assert_eq!(back.len(), 1);
    let Call::Settle { spent, .. } = &back[0].call else {
        panic!("{back:?}");
    };
    assert_eq!(*spent, [(0, 1)]);
    assert!(leases.pay(&one.item, at(2_500), at(2_500)).is_none());
}

#[test]
fn a_few_unused_permits_are_not_worth_a_call() {
    let mut leases = Leases::default();
    let one = applied(1);
    grant(&mut leases, &one, 3, at(0), at(5));
    assert_eq!(leases.sweep(at(2_500)), []);
}

#[test]
fn memory_is_bounded() {
    let mut leases = Leases::default();
    for key in 0..10_000_u128 {
        let mut one = applied(0);
        one.item.key = CounterKey(key.to_be_bytes());
        grant(&mut leases, &one, 0, at(0), at(5));
    }
    assert!(leases.len() <= CAPACITY);
    for _ in 0..CAPACITY {
        leases.sweep(at(60_000));
    }
    assert!(leases.is_empty());
}

#[test]
fn what_an_unanswered_question_was_given_is_given_back() {
    let mut leases = Leases::default();
    let one = applied(1);
    let question = |provisional, permits| Question {
        object: "object".to_owned(),
        hint: String::new(),
        call: Call::Charge(Charge {
            id: CallId(7),
            provisional,
            items: vec![
                one.item.clone(),
                Item {
                    permits,
                    ..one.item.clone()
                },
            ],
        }),
        covers: vec![0, 1],
    };
    leases.disclaim(&question(None, 0));
    leases.disclaim(&question(Some(Span::from_millis(600)), 3));
    assert_eq!(leases.sweep(at(0)), []);
    leases.disclaim(&question(None, 3));
    let back = leases.sweep(at(0));
    let settled = Call::Settle {
        id: CallId(7),
        spent: vec![(1, 0)],
    };
    assert_eq!(
        back.iter().map(|one| &one.call).collect::<Vec<_>>(),
        [&settled]
    );
    assert_eq!(leases.sweep(at(0)), [], "once");
}
