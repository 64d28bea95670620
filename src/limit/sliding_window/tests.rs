use super::*;
use crate::limit::{Algorithm, State};

const FIVE_PER_TEN_SECONDS: Quota = Quota {
    algorithm: Algorithm::SlidingWindow,
    limit: 5,
    window: Span::from_secs(10),
    burst: 5,
};

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_millis(ms)
}

fn refused_for(ms: u64) -> Decision {
    let wait = Span::from_millis(ms);
    Decision::NotUntil {
        wait,
        certain: wait,
    }
}

/// Requests of one unit at these milliseconds find these answers.
#[track_caller]
fn check(requests: &[(u64, Decision)]) {
    let quota = FIVE_PER_TEN_SECONDS;
    let mut state = State::new(&quota);
    for (ms, want) in requests {
        let decision = state.check(&quota, at(*ms), 1, None);
        assert_eq!(decision, *want, "at {ms} ms");
        if decision == Decision::Conforms {
            state.spend(&quota, at(*ms), 1, None);
        }
    }
}

use Decision::Conforms;

#[test]
fn the_sixth_waits_for_the_first_to_leave() {
    let five_then = |more: &[(u64, Decision)]| [&[(0, Conforms); 5], more].concat();
    check(&five_then(&[
        (0, refused_for(10_000)),
        (9_999, refused_for(1)),
    ]));
    check(&five_then(&[(10_001, Conforms)]));
    check(&five_then(&[(10_000, Conforms); 5]));
}

#[test]
fn each_leaves_when_its_own_window_is_over() {
    check(&[
        (0, Conforms),
        (2_000, Conforms),
        (4_000, Conforms),
        (6_000, Conforms),
        (8_000, Conforms),
        (9_000, refused_for(1_000)),
        (10_000, Conforms),
        (10_000, refused_for(2_000)),
        (12_000, Conforms),
    ]);
}

/// Once, callers took the time before they waited for a lock, and a late one stored it.
#[test]
fn time_that_goes_back_frees_nothing() {
    check(&[
        (100_000, Conforms),
        (100_000, Conforms),
        (100_000, Conforms),
        (100_000, Conforms),
        (100_000, Conforms),
        (95_000, refused_for(15_000)),
        (101_000, refused_for(9_000)),
        (111_000, Conforms),
        (111_000, Conforms),
        (111_000, Conforms),
        (111_000, Conforms),
        (111_000, Conforms),
        (111_000, refused_for(10_000)),
    ]);
}

#[test]
fn a_permit_counts_from_its_hand_out_to_a_window_after_its_end() {
    let quota = FIVE_PER_TEN_SECONDS;
    let mut state = State::new(&quota);
    state.hold(&quota, at(0), 5, None);
    let held = Decision::NotUntil {
        wait: Span::from_secs(10),
        certain: Span::ZERO,
    };
    assert_eq!(state.check(&quota, at(60_000), 1, None), held);
    state.settle(&quota, at(60_000), 5, 3, None);
    assert_eq!(state.remaining(&quota, at(60_000)), 2);
    assert_eq!(state.remaining(&quota, at(69_999)), 2);
    assert_eq!(state.remaining(&quota, at(70_000)), 5);
}

#[test]
fn requests_of_one_instant_share_an_entry() {
    let mut log = SlidingWindow::default();
    for ms in [0, 0, 0, 1, 1] {
        log.spend(&FIVE_PER_TEN_SECONDS, at(ms), 1, None);
    }
    let entries: Vec<_> = log.entries().map(|entry| entry.units).collect();
    assert_eq!(entries, [3, 2]);
}
