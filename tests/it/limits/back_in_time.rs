//! A clock that steps back: stored time never decreases, nothing is minted, nobody is locked out
//! for longer than the step.

use std::ops::Range;

use weir::limit::{Algorithm, Decision, Quota, State};
use weir::time::{Span, Timestamp};

use super::history::ALGORITHMS;

fn five_per_ten_seconds(algorithm: Algorithm) -> Quota {
    Quota {
        algorithm,
        limit: 5,
        window: Span::from_secs(10),
        burst: 5,
    }
}

fn at(s: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_secs(s)
}

/// How many requests at this second are admitted, one for each of `values`.
fn admitted(state: &mut State, quota: &Quota, now: Timestamp, values: Range<u64>) -> u64 {
    let mut passes = 0;
    for value in values {
        let value = Some(value);
        if state.check(quota, now, 1, value) == Decision::Conforms {
            state.spend(quota, now, 1, value);
            passes += 1;
        }
    }
    passes
}

#[test]
fn calls_stamped_alternately_now_and_a_second_ago_pass_at_the_rate() {
    for algorithm in ALGORITHMS {
        let quota = five_per_ten_seconds(algorithm);
        let mut state = State::new(&quota);
        let mut passes = 0;
        for s in 1..=100 {
            passes += admitted(&mut state, &quota, at(s), 6 * s..6 * s + 3);
            passes += admitted(&mut state, &quota, at(s - 1), 6 * s + 3..6 * s + 6);
        }
        // Fifty, and what comes at once; the sliding counter's roundings cost it a few.
        assert!((40..=55).contains(&passes), "{algorithm:?}: {passes}");
    }
}

#[test]
fn a_step_back_delays_by_the_step_at_most() {
    for algorithm in ALGORITHMS {
        let quota = five_per_ten_seconds(algorithm);
        let mut state = State::new(&quota);
        assert_eq!(
            admitted(&mut state, &quota, at(100), 100..109),
            5,
            "{algorithm:?}"
        );
        let Decision::NotUntil { wait, .. } = state.check(&quota, at(100), 1, Some(0)) else {
            panic!("{algorithm:?} admits a sixth");
        };
        let later = state.check(&quota, at(95), 1, Some(0));
        let longer = wait + Span::from_secs(5);
        assert_eq!(
            later,
            Decision::NotUntil {
                wait: longer,
                certain: longer
            },
            "{algorithm:?}"
        );
        assert_eq!(
            admitted(&mut state, &quota, at(95), 200..209),
            0,
            "{algorithm:?}"
        );
        assert_eq!(
            admitted(&mut state, &quota, at(120), 300..309),
            5,
            "{algorithm:?}"
        );
    }
}
