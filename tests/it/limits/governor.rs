//! Our GCRA against another implementation of it.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, FakeRelativeClock};
use governor::{RateLimiter, clock::Reference};
use proptest::prelude::*;
use weir::limit::{Algorithm, Decision, Quota, State};
use weir::time::{Span, Timestamp};

/// Elapsed microseconds and cost, again and again; costs never exceed the burst.
fn any_requests(burst: u32) -> impl Strategy<Value = Vec<(u64, u32)>> {
    prop::collection::vec((prop_oneof![Just(0), 0..5_000u64], 1..=burst), 1..100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn equals_governor(
        emission_us in 1..2_000u64,
        limit in 1..50u64,
        (burst, requests) in (1..40u32).prop_flat_map(|burst| (Just(burst), any_requests(burst))),
    ) {
        let clock = FakeRelativeClock::default();
        let theirs = governor::Quota::with_period(Duration::from_micros(emission_us))
            .unwrap()
            .allow_burst(NonZeroU32::new(burst).unwrap());
        let theirs = RateLimiter::direct_with_clock(theirs, clock.clone());
        let ours = Quota {
            algorithm: Algorithm::TokenBucket,
            limit,
            window: Span::from_micros(emission_us * limit),
            burst: u64::from(burst),
        };
        let mut state = State::new(&ours);
        let mut now = Timestamp::from_millis(1_767_225_600_000);
        for (elapsed_us, cost) in requests {
            clock.advance(Duration::from_micros(elapsed_us));
            now = now + Span::from_micros(elapsed_us);
            let their_wait = match theirs.check_n(NonZeroU32::new(cost).unwrap()).unwrap() {
                Ok(()) => None,
                Err(not_until) => {
                    let wait = not_until.earliest_possible().duration_since(clock.now());
                    Some(Duration::from(wait).as_micros() as u64)
                }
            };
            let our_wait = match state.check(&ours, now, u64::from(cost), None) {
                Decision::Conforms => {
                    state.spend(&ours, now, u64::from(cost), None);
                    None
                }
                Decision::NotUntil { wait, .. } => Some(wait.as_micros()),
                Decision::Never => panic!("{cost} of {burst}"),
            };
            prop_assert_eq!(our_wait, their_wait);
        }
    }
}
