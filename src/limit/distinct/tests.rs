use super::*;
use crate::limit::{Algorithm, State};

const THREE_PER_MINUTE: Quota = Quota {
    algorithm: Algorithm::Distinct,
    limit: 3,
    window: Span::from_secs(60),
    burst: 3,
};

fn at(s: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_secs(s)
}

/// Requests at these seconds for these values are refused for so many seconds, or fit (None).
#[track_caller]
fn check(requests: &[(u64, u64, Option<u64>)]) {
    let quota = THREE_PER_MINUTE;
    let mut state = State::new(&quota);
    for (s, value, refused_s) in requests {
        let want = refused_s.map_or(Decision::Conforms, |s| {
            let wait = Span::from_secs(s);
            Decision::NotUntil {
                wait,
                certain: wait,
            }
        });
        let decision = state.check(&quota, at(*s), 1, Some(*value));
        assert_eq!(decision, want, "{value} at {s} s");
        if decision == Decision::Conforms {
            state.spend(&quota, at(*s), 1, Some(*value));
        }
    }
}

#[test]
fn values_count_once_and_new_ones_wait_for_the_oldest() {
    check(&[
        (0, 7, None),
        (0, 7, None),
        (1, 8, None),
        (2, 9, None),
        (3, 10, Some(57)),
        (3, 9, None),
        (59, 10, Some(1)),
        (60, 10, None),
    ]);
}

#[test]
fn a_repeated_value_counts_anew_for_a_window() {
    check(&[
        (0, 7, None),
        (1, 8, None),
        (2, 9, None),
        (50, 7, None),
        (60, 10, Some(1)),
        (61, 10, None),
        (62, 11, None),
        (63, 12, Some(47)),
    ]);
}

#[test]
fn a_value_held_twice_and_given_back_once_still_counts() {
    let quota = THREE_PER_MINUTE;
    let mut state = State::new(&quota);
    state.hold(&quota, at(0), 1, Some(7));
    state.hold(&quota, at(0), 1, Some(7));
    assert_eq!((state.remaining(&quota, at(0)), state.held()), (2, 2));
    state.settle(&quota, at(1), 1, 0, Some(7));
    assert_eq!(state.remaining(&quota, at(1)), 2);
    state.settle(&quota, at(2), 1, 0, Some(7));
    assert_eq!((state.remaining(&quota, at(2)), state.held()), (3, 0));
    assert_eq!(state, State::new(&quota));
}

#[test]
fn giving_back_a_value_that_was_spent_before_leaves_it_as_it_was() {
    let quota = THREE_PER_MINUTE;
    let mut state = State::new(&quota);
    state.spend(&quota, at(0), 1, Some(7));
    state.hold(&quota, at(30), 1, Some(7));
    state.settle(&quota, at(40), 1, 0, Some(7));
    assert_eq!(state.remaining(&quota, at(59)), 2);
    assert_eq!(state.remaining(&quota, at(60)), 3);
}

#[test]
fn only_held_values_stand_in_the_way() {
    let quota = THREE_PER_MINUTE;
    let mut state = State::new(&quota);
    for value in 0..3 {
        state.hold(&quota, at(0), 1, Some(value));
    }
    let want = Decision::NotUntil {
        wait: quota.window,
        certain: Span::ZERO,
    };
    assert_eq!(state.check(&quota, at(5), 1, Some(9)), want);
    assert_eq!(state.check(&quota, at(5), 1, Some(2)), Decision::Conforms);
}
