use super::*;
use crate::limit::{Algorithm, State};

const QUOTA: Quota = Quota {
    algorithm: Algorithm::SlidingCounter,
    limit: 100,
    window: Span::from_secs(60),
    burst: 100,
};

/// Seconds after the beginning of an aligned window.
fn at(s: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_secs(s)
}

fn admitted(state: &mut State, now: Timestamp, requests: usize) -> usize {
    let mut take = || {
        let fits = state.check(&QUOTA, now, 1, None) == Decision::Conforms;
        if fits {
            state.spend(&QUOTA, now, 1, None);
        }
        fits
    };
    (0..requests).filter(|_| take()).count()
}

#[test]
fn the_window_before_fades_evenly() {
    let mut state = State::new(&QUOTA);
    assert_eq!(admitted(&mut state, at(59), 200), 100);
    for (s, left) in [(59, 0), (60, 0), (75, 25), (90, 50), (119, 98), (120, 100)] {
        assert_eq!(state.remaining(&QUOTA, at(s)), left, "at {s} s");
    }
}

/// The error that the documentation states, reached.
#[test]
fn at_the_very_worst_less_than_twice() {
    let mut state = State::new(&QUOTA);
    let mut total = admitted(&mut state, at(60) - Span::from_micros(1), 200);
    for s in 60..120 {
        total += admitted(&mut state, at(s), 200);
    }
    assert_eq!(total, 100 + 98);
}

#[test]
fn weights_round_up() {
    let mut state = State::new(&QUOTA);
    state.spend(&QUOTA, at(0), 1, None);
    assert_eq!(state.weight(&QUOTA, at(120) - Span::from_micros(1)), 1);
    assert_eq!(state.weight(&QUOTA, at(120)), 0);
}
