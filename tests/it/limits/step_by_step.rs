//! After every step of a random history: the algorithm says what its model says, and the times it
//! gives are exact to the microsecond.

use proptest::prelude::*;
use weir::limit::{Algorithm, Decision, State};
use weir::time::{Span, Timestamp};

use super::history::{ALGORITHMS, Counter, Step, any_quota, any_steps};
use super::model::Model;

const US: Span = Span::from_micros(1);

/// `state` first admits the cost at exactly `now` + `wait`.
fn first_fits_after(counter: &Counter, state: &State, wait: Span, cost: u64, value: u64) {
    let fits =
        |at: Timestamp| state.check(&counter.quota, at, cost, Some(value)) == Decision::Conforms;
    assert!(fits(counter.now + wait), "{cost} at {wait:?}");
    assert!(
        wait.is_zero() || !fits(counter.now + wait - US),
        "{cost} before {wait:?}"
    );
}

fn all_settled(counter: &Counter) -> State {
    let mut state = counter.state.clone();
    state.settle_all(&counter.quota, counter.now);
    assert_eq!(state.held(), 0);
    state
}

fn all_given_back(counter: &Counter) -> State {
    let mut state = counter.state.clone();
    for hold in &counter.holds {
        state.settle(&counter.quota, counter.now, hold.units, 0, Some(hold.value));
    }
    for loan in &counter.loans {
        state.take_back(&counter.quota, counter.now, loan);
    }
    assert_eq!(state.held(), 0);
    state
}

fn decisions_are_exact(counter: &Counter, model: &Model) {
    for (cost, value) in [(0, 0), (1, 0), (1, 9), (2, 3), (5, 1), (11, 2)] {
        let decision = counter.check(cost, value);
        let fits = model.fits(counter.now, cost, value);
        assert_eq!(
            decision == Decision::Conforms,
            fits,
            "{cost} of {value}: {decision:?}"
        );
        match decision {
            Decision::Conforms => {}
            Decision::Never => assert!(cost > counter.quota.burst),
            Decision::NotUntil { wait, certain } => {
                assert!(certain <= wait && !wait.is_zero());
                first_fits_after(counter, &all_settled(counter), wait, cost, value);
                let without = all_given_back(counter);
                if counter.loans.is_empty() {
                    first_fits_after(counter, &without, certain, cost, value);
                } else if !certain.is_zero() {
                    // Loans that count no more may make it sooner than certain, never later.
                    let early = counter.now + certain - US;
                    let decision = without.check(&counter.quota, early, cost, Some(value));
                    assert_ne!(decision, Decision::Conforms);
                }
            }
        }
    }
}

fn what_is_left_is_exact(counter: &Counter, model: &Model) {
    let quota = &counter.quota;
    let remaining = counter.state.remaining(quota, counter.now);
    assert_eq!(remaining, model.remaining(counter.now));
    let settled = all_settled(counter);
    match counter.state.next_gain(quota, counter.now) {
        None => assert_eq!(remaining, quota.burst),
        Some(gain) => {
            assert!(settled.remaining(quota, counter.now + gain) > remaining);
            assert!(settled.remaining(quota, counter.now + gain - US) <= remaining);
        }
    }
}

fn void_when_it_says(counter: &Counter) {
    let quota = &counter.quota;
    let state = all_settled(counter);
    let void_at = state.void_at(quota).max(counter.now);
    assert_eq!(state.remaining(quota, void_at), quota.burst);
    assert_eq!(state.weight(quota, void_at), 0);
    if void_at > counter.now {
        assert!(
            state.weight(quota, void_at - US) > 0,
            "kept longer than it matters"
        );
    }
}

fn trimming_changes_nothing(counter: &Counter) {
    let mut trimmed = counter.clone();
    trimmed.state.trim(&counter.quota, counter.now);
    for later_us in [0, 1, 7, 1_000, 20_000_000] {
        trimmed.now = counter.now + Span::from_micros(later_us);
        for cost in 0..4 {
            let untrimmed = counter
                .state
                .check(&counter.quota, trimmed.now, cost, Some(cost));
            assert_eq!(trimmed.check(cost, cost), untrimmed);
        }
    }
}

fn run(mut counter: Counter, steps: &[Step]) {
    let mut model = Model::new(counter.quota, counter.now);
    for step in steps {
        // Of a bucket not all comes back, and a value that was lent twice counts from the latest;
        // see `never_more` and their own tests.
        let undone = matches!(step, Step::TakeBack(_) | Step::Unspend(_));
        let inexact = [Algorithm::TokenBucket, Algorithm::Distinct];
        if undone && inexact.contains(&counter.quota.algorithm) {
            continue;
        }
        let told = counter.step(*step);
        model.tell(counter.now, told);
        decisions_are_exact(&counter, &model);
        what_is_left_is_exact(&counter, &model);
        void_when_it_says(&counter);
        trimming_changes_nothing(&counter);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn as_the_model(
        quota in prop::sample::select(&ALGORITHMS[..]).prop_flat_map(any_quota),
        steps in any_steps(),
    ) {
        run(Counter::new(quota), &steps);
    }
}
