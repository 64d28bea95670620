//! Whatever numbers arrive, in whatever order of time: an answer, no panic, no unbounded memory.

use proptest::prelude::*;
use weir::limit::{Block, Decision, Loan, MAX_ENTRIES, Quota, State};
use weir::time::{Span, Timestamp};

use super::history::ALGORITHMS;

fn any_number() -> impl Strategy<Value = u64> {
    let edges = [
        0,
        1,
        2,
        1_000_000,
        1 << 32,
        1 << 53,
        u64::MAX / 2,
        u64::MAX - 1,
        u64::MAX,
    ];
    prop_oneof![prop::sample::select(edges.to_vec()), any::<u64>(), 0..20u64]
}

fn any_quota() -> impl Strategy<Value = Quota> {
    (
        prop::sample::select(&ALGORITHMS[..]),
        any_number(),
        any_number(),
        any_number(),
    )
        .prop_map(|(algorithm, limit, window_us, burst)| Quota {
            algorithm,
            limit,
            window: Span::from_micros(window_us),
            burst,
        })
}

/// Everything that can be asked of a state.
fn ask(state: &State, quota: &Quota, now: Timestamp, cost: u64, value: Option<u64>) {
    if let Decision::NotUntil { wait, certain } = state.check(quota, now, cost, value) {
        assert!(certain <= wait);
    }
    let _ = state.next_gain(quota, now);
    let _ = state.void_at(quota);
    let _ = state.weight(quota, now);
    assert!(state.remaining(quota, now) <= quota.burst.max(quota.limit));
}

fn loan(units: u64, at_us: u64, value: Option<u64>) -> Loan {
    Loan {
        at: Timestamp::from_micros(at_us),
        units,
        value,
    }
}

fn read_back(state: &State, quota: &Quota, now: Timestamp) -> State {
    let mut bytes = Vec::new();
    state.encode(quota, now, &mut bytes);
    let (read, rest) = State::decode(&bytes).unwrap();
    assert!(rest.is_empty());
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn nothing_panics(
        quotas in (any_quota(), any_quota()),
        steps in prop::collection::vec(
            (0..11u8, any_number(), any_number(), any_number(), any::<Option<u64>>()),
            1..60,
        ),
    ) {
        let (mut quota, mut other) = quotas;
        let mut state = State::new(&quota);
        for (verb, now_us, a, b, value) in steps {
            let now = Timestamp::from_micros(now_us);
            match verb {
                0 => state.spend(&quota, now, a, value),
                1 => state.hold(&quota, now, a, value),
                2 => state.settle(&quota, now, a, b, value),
                3 => state.trim(&quota, now),
                4 => state.settle_all(&quota, now),
                5 => state = read_back(&state, &quota, now),
                7 => state.lend(&quota, now, a, value),
                8 => state.keep(&quota, now, &loan(a, b, value)),
                9 => state.take_back(&quota, now, &loan(a, b, value)),
                10 => state.unspend(&quota, now, &loan(a, b, value)),
                _ => {
                    state = state.requote(&quota, &other, now);
                    std::mem::swap(&mut quota, &mut other);
                    prop_assert_eq!(state.algorithm(), quota.algorithm);
                }
            }
            ask(&state, &quota, now, b, value);
            ask(&state, &other, now, a, None);
        }
    }

    #[test]
    fn decoding_garbage_gives_nothing_or_something_sound(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        algorithm in 0..7u8,
        quota in any_quota(),
        now_us in any_number(),
    ) {
        let _ = Block::decode(&bytes);
        let _ = State::decode(&bytes);
        if let [version, number, ..] = &mut bytes[..] {
            (*version, *number) = (1, algorithm);
        }
        if let Some((state, rest)) = State::decode(&bytes) {
            prop_assert!(rest.len() < bytes.len());
            let now = Timestamp::from_micros(now_us);
            ask(&state, &quota, now, 1, None);
            read_back(&state, &quota, now);
        }
    }
}

#[test]
fn memory_is_bounded_however_far_in_debt() {
    let most_bytes = 20 * MAX_ENTRIES;
    for algorithm in ALGORITHMS {
        let quota = Quota {
            algorithm,
            limit: 5,
            window: Span::from_secs(3600),
            burst: 5,
        };
        let mut state = State::new(&quota);
        let mut now = Timestamp::from_millis(1_767_225_600_000);
        for value in 0..(MAX_ENTRIES as u64 + 500) {
            now = now + Span::from_micros(1);
            state.spend(&quota, now, 1, Some(value));
        }
        let mut bytes = Vec::new();
        state.encode(&quota, now, &mut bytes);
        assert!(bytes.len() <= most_bytes, "{algorithm:?}: {}", bytes.len());
        assert!(State::decode(&bytes).is_some(), "{algorithm:?}");
        assert!(matches!(
            state.check(&quota, now, 1, Some(u64::MAX)),
            Decision::NotUntil { .. }
        ));
    }
}
