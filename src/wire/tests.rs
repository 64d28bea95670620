//! The form of messages is frozen here, and what a later form may add is shown to be harmless.

use super::*;
use crate::limit::Algorithm;

mod properties;

fn key(byte: u8) -> CounterKey {
    CounterKey([byte; 16])
}

fn plain_item() -> Item {
    Item {
        key: key(1),
        spill: key(1),
        quota: Quota {
            algorithm: Algorithm::SlidingWindow,
            limit: 120,
            window: Span::from_secs(60),
            burst: 120,
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

fn full_item() -> Item {
    Item {
        key: key(2),
        spill: key(3),
        quota: Quota {
            algorithm: Algorithm::Distinct,
            limit: 20,
            window: Span::from_secs(600),
            burst: 21,
        },
        cost: 5,
        value: Some(u64::MAX),
        enforce: false,
        durable: true,
        block: vec![Span::from_secs(60), Span::from_secs(600)],
        permits: 7,
        reserve: Some(Span::from_secs(30)),
        taken: None,
    }
}

fn charge(provisional: Option<Span>, items: Vec<Item>) -> Charge {
    Charge {
        id: CallId(1_000),
        provisional,
        items,
    }
}

#[track_caller]
fn check_call(call: Call, text: &str) {
    assert_eq!(call.encode(), text);
    assert_eq!(Call::decode(text), Some(call));
}

#[test]
fn calls_unchanged() {
    check_call(
        Call::Charge(charge(None, vec![plain_item()])),
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0",
    );
    check_call(
        Call::Charge(charge(
            Some(Span::from_millis(600)),
            vec![plain_item(), full_item()],
        )),
        "1c.v8.i9u0~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0\
         ~AgICAgICAgICAgICAgICAg.5.k.hs6hg0.l.5.3.7.AwMDAwMDAwMDAwMDAwMDAw.fvvvvvvvvvvvv.sjgs0\
         .1p71o0-hs6hg0",
    );
    let taken = Item {
        enforce: false,
        taken: Some(Span::from_secs(1)),
        ..plain_item()
    };
    check_call(
        Call::Charge(charge(None, vec![taken])),
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0...1......ugi0",
    );
    check_call(Call::Peek(charge(None, vec![])), "1p.v8");
    check_call(Call::Refund { id: CallId(0) }, "1r.0");
    check_call(
        Call::Confirm {
            id: CallId(33),
            after: Span::from_millis(600),
        },
        "1k.11.i9u0",
    );
    check_call(
        Call::Confirm {
            id: CallId(33),
            after: Span::ZERO,
        },
        "1k.11",
    );
    check_call(
        Call::Settle {
            id: CallId(33),
            spent: vec![(0, 0), (1, 4)],
        },
        "1t.11~~1.4",
    );
    check_call(
        Call::Forget { keys: vec![key(0)] },
        "1f~AAAAAAAAAAAAAAAAAAAAAA",
    );
    check_call(Call::Renew { id: CallId(1) }, "1n.1");
    check_call(Call::Release { id: CallId(1) }, "1l.1");
    check_call(Call::Stats, "1s");
    let slot = Slot {
        key: key(4),
        running: 2,
        waiting: 5,
        max_wait: Span::from_secs(10),
        fair: None,
        enforce: true,
    };
    let shared = Slot {
        key: key(5),
        waiting: 0,
        fair: Some(9),
        enforce: false,
        ..slot.clone()
    };
    check_call(
        Call::Acquire(Acquire {
            id: CallId(7),
            lease: Span::from_secs(15),
            items: vec![slot, shared],
        }),
        "1a.7.e9oe0~BAQEBAQEBAQEBAQEBAQEBA.2.5.9h5k0~BQUFBQUFBQUFBQUFBQUFBQ.2..9h5k0.1.9",
    );
}

#[track_caller]
fn check_answer(answer: Answer, text: &str) {
    assert_eq!(answer.encode(), text);
    assert_eq!(Answer::decode(text), Some(answer));
}

#[test]
fn answers_unchanged() {
    let passed = Outcome {
        conforms: true,
        remaining: 119,
        reset: Span::from_secs(60),
        permits: 3,
        lapse: Span::from_secs(4),
        ..Outcome::default()
    };
    let refused = Outcome {
        retry_after: Span::MAX,
        remember: Span::from_secs(10),
        provisional: true,
        blocked: true,
        ..Outcome::default()
    };
    check_answer(
        Answer::Charged(Charged {
            admitted: true,
            rows: 0,
            faults: 0,
            outcomes: vec![passed],
        }),
        "1c.1~1.3n.1p71o0.3.3q280",
    );
    check_answer(
        Answer::Charged(Charged {
            admitted: false,
            rows: 2,
            faults: 0,
            outcomes: vec![refused, Outcome::default()],
        }),
        "1c..2~6.....fvvvvvvvvvvvv.9h5k0~",
    );
    check_answer(
        Answer::Charged(Charged {
            admitted: true,
            rows: 0,
            faults: 3,
            outcomes: vec![],
        }),
        "1c.1..3",
    );
    check_answer(Answer::Done(true), "1d.1");
    check_answer(Answer::Done(false), "1d");
    check_answer(Answer::Forgotten(40), "1f.18");
    check_answer(
        Answer::Acquired(Acquired::Granted {
            waited: Span::from_millis(1),
        }),
        "1a.1.v8",
    );
    check_answer(Answer::Acquired(Acquired::Full { item: 1 }), "1a.2.1");
    check_answer(Answer::Acquired(Acquired::TimedOut { item: 0 }), "1a.3");
    check_answer(Answer::Acquired(Acquired::Gone), "1a.4");
    check_answer(Answer::Unintelligible, "1u");
    check_answer(
        Answer::Stats(Stats {
            counters: 1,
            running: 2,
            rows: 3,
            slots: vec![(key(0), 2, 0)],
            ..Stats::default()
        }),
        "1s.1.2..3~AAAAAAAAAAAAAAAAAAAAAA.2",
    );
}

#[test]
fn what_a_later_form_adds_at_the_end_is_ignored() {
    let now = Call::decode("1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0");
    assert!(now.is_some());
    assert_eq!(
        Call::decode("1c.v8..later~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0..........later.7"),
        now
    );
    assert_eq!(Answer::decode("1d.1.later"), Some(Answer::Done(true)));
}

#[test]
fn what_cannot_be_read_is_refused_whole() {
    for text in [
        "",
        "1",
        "c.v8",
        "2c.v8",
        "1z",
        "1cc.1",
        "1c",
        "1c.",
        "1r",
        "1r.x",
        "1c.v8~",
        "1c.v8~~",
        "1c.v8~AQ.2.3o.1",
        // Algorithm 6; then a limit, a window, a burst of zero; then more units than fit 64 bits.
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.6.3o.1p71o0",
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.0.1p71o0",
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o",
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0.0",
        "1c.v8~AQEBAQEBAQEBAQEBAQEBAQ.2.3o.1p71o0..gvvvvvvvvvvvv",
        "1a.7.e9oe0~BAQEBAQEBAQEBAQEBAQEBA.4000000",
        "1é.v8",
    ] {
        assert_eq!(Call::decode(text), None, "{text}");
    }
}

#[test]
fn everything_is_bounded() {
    let items = |n| Call::Charge(charge(None, vec![full_item(); n])).encode();
    assert!(Call::decode(&items(MAX_ITEMS)).is_some());
    assert_eq!(Call::decode(&items(MAX_ITEMS + 1)), None);
    let steps = |n| Item {
        block: vec![Span::from_secs(1); n],
        ..plain_item()
    };
    let call = |n| Call::Charge(charge(None, vec![steps(n)])).encode();
    assert!(Call::decode(&call(MAX_BLOCK_STEPS)).is_some());
    assert_eq!(Call::decode(&call(MAX_BLOCK_STEPS + 1)), None);
    assert_eq!(Call::decode(&format!("1s.{}", "0".repeat(20_000))), None);
    let slots = vec![(key(1), u32::MAX, u32::MAX); 5_000];
    let stats = Answer::Stats(Stats {
        slots,
        ..Stats::default()
    })
    .encode();
    assert!(stats.len() < 8_192);
    assert!(Answer::decode(&stats).is_some());
}
