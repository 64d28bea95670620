use super::*;
use crate::limit::{Algorithm, Loan, State};

fn quota(limit: u64, window: Span, burst: u64) -> Quota {
    Quota {
        algorithm: Algorithm::TokenBucket,
        limit,
        window,
        burst,
    }
}

const PER_SECOND: Span = Span::from_secs(1);

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000) + Span::from_millis(ms)
}

/// Asks, and spends if it fits.
fn take(state: &mut State, quota: &Quota, now: Timestamp, cost: u64) -> Decision {
    let decision = state.check(quota, now, cost, None);
    if decision == Decision::Conforms {
        state.spend(quota, now, cost, None);
    }
    decision
}

fn admitted(state: &mut State, quota: &Quota, now: Timestamp, requests: usize) -> usize {
    (0..requests)
        .filter(|_| take(state, quota, now, 1) == Decision::Conforms)
        .count()
}

/// The field's common fixture: one scenario over time, with a row for each request.
#[test]
fn the_table() {
    const FITS: Option<u64> = None;
    const NEVER: Option<u64> = Some(u64::MAX);
    let quota = quota(1, PER_SECOND, 5);
    let mut state = State::new(&quota);
    // At (ms), cost; refused for (ms), then left, full again after (ms).
    let rows = [
        // More than the burst never fits, and takes nothing.
        (0, 6, NEVER, 5, 0),
        // No cost only looks.
        (0, 0, FITS, 5, 0),
        // Down to nothing, singly and several at once.
        (0, 1, FITS, 4, 1_000),
        (0, 1, FITS, 3, 2_000),
        (0, 1, FITS, 2, 3_000),
        (0, 2, FITS, 0, 5_000),
        // Refused, again and again: nothing changes.
        (0, 1, Some(1_000), 0, 5_000),
        (0, 3, Some(3_000), 0, 5_000),
        (0, 0, FITS, 0, 5_000),
        // Half a unit is none; a whole one fits exactly when it is back.
        (500, 1, Some(500), 0, 4_500),
        (1_000, 1, FITS, 0, 5_000),
        // Several come back; more than those do not fit, fewer do.
        (3_500, 3, Some(500), 2, 2_500),
        (3_500, 2, FITS, 0, 4_500),
        // A full bucket is not fuller for having waited longer.
        (7_999, 5, Some(1), 4, 1),
        (8_000, 5, FITS, 0, 5_000),
        (100_000, 1, FITS, 4, 1_000),
    ];
    for (row, (now_ms, cost, refused, left, full)) in rows.into_iter().enumerate() {
        let now = at(now_ms);
        let want = match refused {
            FITS => Decision::Conforms,
            NEVER => Decision::Never,
            Some(ms) => {
                let wait = Span::from_millis(ms);
                Decision::NotUntil {
                    wait,
                    certain: wait,
                }
            }
        };
        assert_eq!(take(&mut state, &quota, now, cost), want, "row {row}");
        assert_eq!(state.remaining(&quota, now), left, "row {row}");
        let until_full = state.void_at(&quota).saturating_since(now);
        assert_eq!(until_full, Span::from_millis(full), "row {row}");
    }
}

/// nginx: 10 r/s with a burst of 20 beyond the first.
#[test]
fn of_forty_at_once_twenty_one_pass() {
    let quota = quota(10, PER_SECOND, 21);
    let mut state = State::new(&quota);
    assert_eq!(admitted(&mut state, &quota, at(0), 40), 21);
    let wait = Span::from_millis(100);
    assert_eq!(
        take(&mut state, &quota, at(0), 1),
        Decision::NotUntil {
            wait,
            certain: wait
        }
    );
    assert_eq!(admitted(&mut state, &quota, at(3_000), 40), 30 - 9);
}

#[test]
fn rates_that_do_not_divide_a_second_are_exact() {
    let thirds = quota(3, PER_SECOND, 3);
    let mut state = State::new(&thirds);
    assert_eq!(admitted(&mut state, &thirds, at(0), 5), 3);
    let total: usize = (1..=30_000)
        .map(|ms| admitted(&mut state, &thirds, at(ms), 1))
        .sum();
    assert_eq!(total, 90);
}

#[test]
fn more_than_one_unit_a_microsecond() {
    let bytes = quota(100_000_000, PER_SECOND, 100_000_000);
    let mut state = State::new(&bytes);
    state.spend(&bytes, at(0), 100_000_000, None);
    assert_eq!(state.remaining(&bytes, at(0) + Span::from_micros(1)), 100);
    assert_eq!(state.remaining(&bytes, at(500)), 50_000_000);
}

/// A held unit does not refill: else it and the refill could be spent at the same moment.
#[test]
fn what_is_held_stays_out_of_the_bucket() {
    let quota = quota(1, PER_SECOND, 5);
    let mut state = State::new(&quota);
    state.hold(&quota, at(0), 4, None);
    assert_eq!(state.remaining(&quota, at(0)), 1);
    assert_eq!(state.remaining(&quota, at(60_000)), 1);
    state.settle(&quota, at(60_000), 4, 4, None);
    assert_eq!(state.remaining(&quota, at(60_000)), 1);
    assert_eq!(state.remaining(&quota, at(64_000)), 5);
}

#[test]
fn giving_back_never_mints() {
    let quota = quota(1, PER_SECOND, 5);
    let mut state = State::new(&quota);
    state.hold(&quota, at(0), 5, None);
    state.settle(&quota, at(60_000), 5, 0, None);
    state.settle(&quota, at(60_000), 5, 0, None);
    assert_eq!(admitted(&mut state, &quota, at(60_000), 20), 5);
}

#[test]
fn debt_is_paid_off_before_the_next_is_admitted_and_has_a_bound() {
    let quota = quota(1, PER_SECOND, 5);
    let mut state = State::new(&quota);
    state.hold(&quota, at(0), 1, None);
    state.settle(&quota, at(0), 1, 15, None);
    assert!(matches!(
        take(&mut state, &quota, at(9_999), 0),
        Decision::NotUntil { .. }
    ));
    assert_eq!(take(&mut state, &quota, at(10_000), 0), Decision::Conforms);
    assert!(matches!(
        take(&mut state, &quota, at(10_999), 1),
        Decision::NotUntil { .. }
    ));
    assert_eq!(take(&mut state, &quota, at(11_000), 1), Decision::Conforms);
    state.spend(&quota, at(11_000), u64::MAX, None);
    let wait = Span::from_secs(1_001);
    assert_eq!(
        take(&mut state, &quota, at(11_000), 1),
        Decision::NotUntil {
            wait,
            certain: wait
        }
    );
}

/// Lends at 0 and takes back after so long; gives what is left, with `first` spent before.
fn left_after_taking_back(quota: &Quota, first: u64, after_ms: u64) -> (u64, u64) {
    let mut state = State::new(quota);
    state.spend(quota, at(0), first, None);
    let mut untouched = state.clone();
    let loan = Loan {
        at: at(0),
        units: 2,
        value: None,
    };
    state.lend(quota, at(0), loan.units, None);
    state.take_back(quota, at(after_ms), &loan);
    untouched.trim(quota, at(after_ms));
    let left = |state: &State| state.remaining(quota, at(after_ms));
    (left(&state), left(&untouched))
}

#[test]
fn what_is_taken_back_is_as_if_it_had_never_been_lent() {
    let ten = quota(10, PER_SECOND, 10);
    for first in 0..=8 {
        for after_ms in [0, 10, 100, 250, 600, 2_000] {
            let (left, untouched) = left_after_taking_back(&ten, first, after_ms);
            assert_eq!(left, untouched, "{first} before, after {after_ms} ms");
        }
    }
}

#[test]
fn a_unit_that_a_bucket_refilled_meanwhile_is_not_given_back_as_well() {
    let one = quota(1, PER_SECOND, 1);
    let mut state = State::new(&one);
    let loan = |ms| Loan {
        at: at(ms),
        units: 1,
        value: None,
    };
    state.lend(&one, at(0), 1, None);
    // The first is back by now, and the second takes it.
    state.lend(&one, at(1_000), 1, None);
    state.take_back(&one, at(1_000), &loan(0));
    assert_eq!(state.remaining(&one, at(1_000)), 0);
    // Nor is it lost for longer than that.
    state.take_back(&one, at(1_001), &loan(1_000));
    assert_eq!(state.remaining(&one, at(1_001)), 1);
}
