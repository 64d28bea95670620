use super::*;
use crate::limit::{Algorithm, State};

const DAILY: Quota = Quota {
    algorithm: Algorithm::FixedWindow,
    limit: 10,
    window: Span::from_secs(86_400),
    burst: 10,
};

/// Seconds after 2026-01-01T00:00:00Z.
fn at(s: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_secs(s)
}

const DAY: u64 = 86_400;

#[test]
fn a_day_begins_at_midnight_utc() {
    let mut state = State::new(&DAILY);
    state.spend(&DAILY, at(DAY - 60), 10, None);
    let wait = Span::from_secs(60);
    let refused = Decision::NotUntil {
        wait,
        certain: wait,
    };
    assert_eq!(state.check(&DAILY, at(DAY - 60), 1, None), refused);
    assert_eq!(state.remaining(&DAILY, at(DAY) - Span::from_micros(1)), 0);
    assert_eq!(state.remaining(&DAILY, at(DAY)), 10);
    assert_eq!(state.void_at(&DAILY), at(DAY));
}

#[test]
fn a_permit_counts_in_every_window_until_it_is_settled() {
    let mut state = State::new(&DAILY);
    state.hold(&DAILY, at(0), 4, None);
    assert_eq!(state.remaining(&DAILY, at(DAY)), 6);
    state.settle(&DAILY, at(DAY), 4, 3, None);
    assert_eq!(state.remaining(&DAILY, at(DAY)), 7);
    assert_eq!(state.remaining(&DAILY, at(2 * DAY)), 10);
}

#[test]
fn a_step_back_over_midnight_frees_nothing() {
    let mut state = State::new(&DAILY);
    state.spend(&DAILY, at(DAY), 10, None);
    assert_eq!(state.remaining(&DAILY, at(DAY - 1)), 0);
    state.spend(&DAILY, at(DAY - 1), 1, None);
    assert_eq!(state.remaining(&DAILY, at(DAY)), 0);
}
