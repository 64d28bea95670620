//! The promise: judged by the moments at which requests were really admitted, never more than the
//! quota, whatever mix of spending, holding, using, giving back, lapsing and restarting led there.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use weir::limit::{Algorithm, Quota};
use weir::time::Timestamp;

use super::history::{Counter, Step, any_quota, any_steps};

type Admitted = [(Timestamp, u64, u64)];

fn run(quota: Quota, steps: &[Step]) -> Vec<(Timestamp, u64, u64)> {
    let mut counter = Counter::new(quota);
    for step in steps {
        counter.step(*step);
    }
    counter.admitted
}

/// Every interval that begins at an admission, closed at both ends.
fn bucket_keeps_its_promise(quota: &Quota, admitted: &Admitted) {
    for (first, (begin, ..)) in admitted.iter().enumerate() {
        let mut sum = 0;
        for (end, units, _) in &admitted[first..] {
            sum += units;
            let elapsed_us = end.saturating_since(*begin).as_micros();
            let refilled = elapsed_us * quota.limit / quota.window.as_micros();
            assert!(
                sum <= quota.burst + refilled,
                "{sum} in {elapsed_us} us from {begin:?}"
            );
        }
    }
}

/// What was admitted in each interval of one window that ends at an admission, open at its begin.
fn windows<'a>(
    quota: &'a Quota,
    admitted: &'a Admitted,
) -> impl Iterator<Item = impl Iterator<Item = &'a (Timestamp, u64, u64)>> {
    admitted.iter().enumerate().map(move |(index, (end, ..))| {
        let inside = move |(at, ..): &&(Timestamp, u64, u64)| *at + quota.window > *end;
        admitted[..=index].iter().filter(inside)
    })
}

fn every_window_has_at_most(most: u64, quota: &Quota, admitted: &Admitted) {
    for window in windows(quota, admitted) {
        let sum: u64 = window.map(|(_, units, _)| units).sum();
        assert!(sum <= most, "{sum} in one window");
    }
}

fn every_aligned_window_has_at_most(most: u64, quota: &Quota, admitted: &Admitted) {
    let mut sums = BTreeMap::<u64, u64>::new();
    for (at, units, _) in admitted {
        *sums
            .entry(at.as_micros() / quota.window.as_micros())
            .or_default() += units;
    }
    assert!(sums.values().all(|sum| *sum <= most), "{sums:?}");
}

fn every_window_has_few_values(quota: &Quota, admitted: &Admitted) {
    let counted: Vec<_> = admitted
        .iter()
        .copied()
        .filter(|(_, units, _)| *units > 0)
        .collect();
    for window in windows(quota, &counted) {
        let values: BTreeSet<u64> = window.map(|(.., value)| *value).collect();
        assert!(
            values.len() as u64 <= quota.limit,
            "{values:?} in one window"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn token_bucket(quota in any_quota(Algorithm::TokenBucket), steps in any_steps()) {
        bucket_keeps_its_promise(&quota, &run(quota, &steps));
    }

    #[test]
    fn sliding_window(quota in any_quota(Algorithm::SlidingWindow), steps in any_steps()) {
        every_window_has_at_most(quota.limit, &quota, &run(quota, &steps));
    }

    #[test]
    fn sliding_counter(quota in any_quota(Algorithm::SlidingCounter), steps in any_steps()) {
        let admitted = run(quota, &steps);
        every_aligned_window_has_at_most(quota.limit, &quota, &admitted);
        every_window_has_at_most(2 * quota.limit - 1, &quota, &admitted);
    }

    #[test]
    fn fixed_window(quota in any_quota(Algorithm::FixedWindow), steps in any_steps()) {
        every_aligned_window_has_at_most(quota.limit, &quota, &run(quota, &steps));
    }

    #[test]
    fn distinct(quota in any_quota(Algorithm::Distinct), steps in any_steps()) {
        every_window_has_few_values(&quota, &run(quota, &steps));
    }
}
