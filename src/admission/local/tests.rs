use super::*;
use crate::limit::Algorithm;
use crate::policy::CountWhen;

fn item(limit: u64) -> Item {
    Item {
        key: CounterKey([1; 16]),
        spill: CounterKey([2; 16]),
        quota: Quota {
            algorithm: Algorithm::SlidingWindow,
            limit,
            window: Span::from_secs(60),
            burst: limit,
        },
        cost: 1,
        value: None,
        enforce: true,
        durable: false,
        block: vec![],
        permits: 0,
        reserve: None,
        taken: None,
    }
}

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// Charges once, for a limit that counts answers of status 401.
fn charged(memory: &mut Memory) -> Verdict {
    let (outcome, kept) = memory.local.charge(&item(1), at(0));
    assert!(outcome.conforms);
    let settle = Settle::Count(CountWhen { status: vec![401] });
    Verdict {
        kept_here: kept
            .into_iter()
            .map(|kept| Kept {
                settle: Some(settle.clone()),
                ..kept
            })
            .collect(),
        ..Verdict::default()
    }
}

#[test]
fn what_the_answer_does_not_count_is_given_back() {
    for (status, left) in [(Some(401), false), (Some(200), true), (None, false)] {
        let mut memory = Memory::new(1);
        let verdict = charged(&mut memory);
        assert!(verdict.awaits_response());
        memory.settle_here(&verdict, status, at(100));
        let (outcome, _) = memory.local.charge(&item(1), at(101));
        assert_eq!(outcome.conforms, left, "{status:?}");
    }
}

#[test]
fn a_request_that_comes_to_nothing_costs_nothing() {
    let mut memory = Memory::new(1);
    let verdict = charged(&mut memory);
    assert!(!memory.local.charge(&item(1), at(1)).0.conforms);
    memory.forgive(&verdict, at(2));
    assert!(memory.local.charge(&item(1), at(3)).0.conforms);
}
