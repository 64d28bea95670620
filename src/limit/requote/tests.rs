use super::*;
use crate::limit::Decision;
use crate::time::Span;

const ALL: [Algorithm; 5] = [
    Algorithm::TokenBucket,
    Algorithm::SlidingWindow,
    Algorithm::SlidingCounter,
    Algorithm::FixedWindow,
    Algorithm::Distinct,
];

fn quota(algorithm: Algorithm, limit: u64, window_s: u64) -> Quota {
    Quota {
        algorithm,
        limit,
        window: Span::from_secs(window_s),
        burst: limit,
    }
}

/// Half past the hour: the first half of no aligned window that is used here.
fn now() -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_secs(1_801)
}

/// All of `quota` is spent now, singly.
fn spent(quota: &Quota) -> State {
    let mut state = State::new(quota);
    for value in 0..quota.limit {
        state.spend(quota, now(), 1, Some(value));
    }
    assert_eq!(state.remaining(quota, now()), 0);
    state
}

fn pairs() -> impl Iterator<Item = (Algorithm, Algorithm)> {
    let same_kind = |a, b| (a == Algorithm::Distinct) == (b == Algorithm::Distinct);
    ALL.into_iter()
        .flat_map(|a| ALL.map(|b| (a, b)))
        .filter(move |(a, b)| same_kind(*a, *b))
}

#[test]
fn the_same_quota_changes_nothing() {
    for algorithm in ALL {
        let quota = quota(algorithm, 5, 3_600);
        let state = spent(&quota);
        assert_eq!(state.clone().requote(&quota, &quota, now()), state);
    }
}

#[test]
fn a_raised_quota_helps_at_once_by_the_difference() {
    for (a, b) in pairs() {
        let (from, to) = (quota(a, 5, 3_600), quota(b, 8, 3_600));
        let state = spent(&from).requote(&from, &to, now());
        assert_eq!(state.remaining(&to, now()), 3, "{a:?} to {b:?}");
        assert_eq!(state.algorithm(), b);
    }
}

#[test]
fn a_lowered_quota_that_is_used_up_stays_so() {
    for (a, b) in pairs() {
        let (from, to) = (quota(a, 5, 3_600), quota(b, 3, 3_600));
        let state = spent(&from).requote(&from, &to, now());
        let decision = state.check(&to, now(), 1, Some(99));
        assert!(
            matches!(decision, Decision::NotUntil { .. }),
            "{a:?} to {b:?}: {decision:?}"
        );
    }
}

#[test]
fn a_shortened_window_readmits_within_the_new_one() {
    for (a, b) in pairs() {
        for limit in [1, 2, 5] {
            let (from, to) = (quota(a, limit, 3_600), quota(b, limit, 5));
            let state = spent(&from).requote(&from, &to, now());
            let later = now() + to.window;
            let decision = state.check(&to, later, 1, Some(99));
            assert_eq!(decision, Decision::Conforms, "{limit}, {a:?} to {b:?}");
            assert_eq!(state.remaining(&to, now()), 0, "forgets: {a:?} to {b:?}");
        }
    }
}

#[test]
fn a_lengthened_window_forgets_nothing() {
    for (a, b) in pairs() {
        let (from, to) = (quota(a, 5, 60), quota(b, 5, 3_600));
        let state = spent(&from).requote(&from, &to, now());
        assert_eq!(state.remaining(&to, now()), 0, "{a:?} to {b:?}");
    }
}

#[test]
fn what_is_held_stays_held() {
    for (a, b) in pairs() {
        let (from, to) = (quota(a, 5, 60), quota(b, 8, 3_600));
        let mut state = State::new(&from);
        state.hold(&from, now(), 1, Some(1));
        state = state.requote(&from, &to, now());
        assert_eq!(
            (state.held(), state.remaining(&to, now())),
            (1, 7),
            "{a:?} to {b:?}"
        );
        state.settle(&to, now(), 1, 0, Some(1));
        assert_eq!(
            (state.held(), state.remaining(&to, now())),
            (0, 8),
            "{a:?} to {b:?}"
        );
    }
}

#[test]
fn a_bucket_far_above_a_new_small_burst_owes_no_more_than_the_burst() {
    let (from, to) = (
        quota(Algorithm::TokenBucket, 1_000, 60),
        quota(Algorithm::TokenBucket, 10, 60),
    );
    let state = spent(&from).requote(&from, &to, now());
    let wait = Span::from_secs(6);
    assert_eq!(
        state.check(&to, now(), 1, None),
        Decision::NotUntil {
            wait,
            certain: wait
        }
    );
}

#[test]
fn debt_is_carried_over() {
    let (from, to) = (
        quota(Algorithm::TokenBucket, 10, 60),
        quota(Algorithm::TokenBucket, 20, 60),
    );
    let mut state = State::new(&from);
    state.spend(&from, now(), 30, None);
    let state = state.requote(&from, &to, now());
    assert_eq!(state.weight(&to, now()), 30);
}

#[test]
fn requests_are_not_distinct_values() {
    let (requests, values) = (
        quota(Algorithm::SlidingWindow, 5, 60),
        quota(Algorithm::Distinct, 5, 60),
    );
    let state = spent(&requests).requote(&requests, &values, now());
    assert_eq!(state, State::new(&values));
    let state = spent(&values).requote(&values, &requests, now());
    assert_eq!(state, State::new(&requests));
}
