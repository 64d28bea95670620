//! How admissions end, and messages that are lost, repeated, or overtake each other.

use super::*;

#[test]
fn a_lost_release_heals_when_the_lease_ends_and_renewal_keeps_it() {
    let mut desk = Desk::default();
    let ask = |id| call(id, &[slot(1, 2, 2, 60_000)]);
    for id in [1, 2, 3] {
        desk.acquire(0, &ask(id));
    }
    // Another's renewal is no help to a call: each has its own lease.
    desk.pass(9_999);
    assert!(desk.slots.renew(CallId(2), at(9_999)));
    desk.pass(19_998);
    desk.check_log(&[
        (0, 1, granted(0)),
        (0, 2, granted(0)),
        (10_000, 3, granted(10_000)),
    ]);
    desk.check_counts(2, 0);
    desk.pass(19_999);
    desk.check_counts(1, 0);
    assert!(
        !desk.slots.renew(CallId(2), at(19_999)),
        "a lease that ended stays ended"
    );
    desk.pass(20_000);
    desk.check_counts(0, 0);
}

#[test]
fn repetition_changes_nothing() {
    let mut desk = Desk::default();
    let ask = |id| call(id, &[slot(1, 1, 1, 2_000)]);
    assert_eq!(desk.acquire(0, &ask(1)), Step::Now(granted(0)));
    assert_eq!(desk.acquire(5, &ask(1)), Step::Now(granted(0)));
    assert_eq!(desk.acquire(10, &ask(2)), Step::Waiting);
    assert_eq!(desk.acquire(20, &ask(2)), Step::Waiting);
    desk.check_counts(1, 1);
    assert!(desk.release(510, 1));
    assert!(!desk.release(511, 1));
    assert_eq!(desk.acquire(520, &ask(2)), Step::Now(granted(500)));
    desk.check_counts(1, 0);
    assert_eq!(
        desk.acquire(530, &ask(1)),
        Step::Now(Acquired::Gone),
        "released calls stay released"
    );
    assert!(desk.release(600, 2));
    desk.check_counts(0, 0);
}

#[test]
fn a_release_that_overtakes_its_acquisition_is_remembered_for_a_while() {
    let mut desk = Desk::default();
    let ask = call(1, &[slot(1, 1, 1, 2_000)]);
    assert!(!desk.release(0, 1));
    assert_eq!(desk.acquire(9_999, &ask), Step::Now(Acquired::Gone));
    desk.check_counts(0, 0);
    assert_eq!(desk.acquire(10_000, &ask), Step::Now(granted(0)));
}

#[test]
fn a_timed_out_call_that_is_repeated_has_timed_out() {
    let mut desk = Desk::default();
    let ask = |id| call(id, &[slot(1, 1, 1, 2_000)]);
    desk.acquire(0, &ask(1));
    desk.acquire(0, &ask(2));
    assert_eq!(desk.acquire(2_500, &ask(2)), Step::Now(TIMED_OUT));
}

#[test]
fn who_lost_the_connection_may_ask_again_at_the_end_of_the_line() {
    let mut desk = Desk::default();
    let ask = |id| call(id, &[slot(1, 1, 5, 60_000)]);
    for id in [1, 2, 3] {
        desk.acquire(0, &ask(id));
    }
    assert!(desk.slots.gone(CallId(2), at(1)));
    assert!(
        !desk.slots.gone(CallId(1), at(1)),
        "who runs keeps the slot"
    );
    desk.acquire(2, &ask(2));
    desk.check_counts(1, 2);
    desk.release(3, 1);
    desk.release(4, 3);
    assert_eq!(
        desk.log[1..],
        [
            (2, 2, Acquired::Gone),
            (3, 3, granted(3)),
            (4, 2, granted(2))
        ]
    );
}
