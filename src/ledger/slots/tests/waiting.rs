//! Who waits: in which order, how long, and in nobody's way.

use super::*;

/// One runs for 5 s and two may wait, for 2 s. What happens in the meantime, to the instant: the
/// dead are neither served nor in the way.
#[test]
fn waiters_that_timed_out_or_left_are_neither_served_nor_in_the_way() {
    let [a, b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut desk = Desk::default();
    let ask = |id| call(id, &[slot(1, 1, 2, 2_000)]);
    for id in [a, b, c, d] {
        desk.acquire(0, &ask(id));
    }
    desk.pass(2_599);
    desk.check_log(&[
        (0, a, granted(0)),
        (0, d, FULL),
        (2_000, b, TIMED_OUT),
        (2_000, c, TIMED_OUT),
    ]);
    desk.check_counts(1, 0);
    for id in [e, g, h] {
        desk.acquire(2_600, &ask(id));
    }
    desk.check_counts(1, 2);
    desk.pass(3_100);
    assert!(desk.slots.gone(CallId(e), at(3_100)));
    desk.write_down(3_100);
    assert_eq!(desk.acquire(3_300, &ask(f)), Step::Waiting);
    desk.release(5_000, a);
    desk.check_log(&[
        (2_600, h, FULL),
        (3_100, e, Acquired::Gone),
        (4_600, g, TIMED_OUT),
        (5_000, f, granted(1_700)),
    ]);
    desk.release(6_000, f);
    desk.check_counts(0, 0);
}

#[test]
fn a_waiter_whose_time_is_over_is_not_admitted_by_a_release_at_that_moment() {
    for (release_ms, answer) in [(1_999, granted(1_999)), (2_000, TIMED_OUT)] {
        let mut slots = Slots::new();
        let ask = |id| call(id, &[slot(1, 1, 1, 2_000)]);
        slots.acquire(&ask(1), at(0));
        slots.acquire(&ask(2), at(0));
        slots.release(CallId(1), at(release_ms));
        assert_eq!(slots.drain_resolved(), [(CallId(2), answer)]);
    }
}

#[test]
fn no_wait_allowed_is_no_wait() {
    let mut desk = Desk::default();
    desk.acquire(0, &call(1, &[slot(1, 1, 1, 0)]));
    assert_eq!(
        desk.acquire(0, &call(2, &[slot(1, 1, 1, 0)])),
        Step::Now(TIMED_OUT)
    );
    assert_eq!(
        desk.acquire(0, &call(3, &[])),
        Step::Now(granted(0)),
        "nothing needed is there"
    );
    desk.release(1, 1);
    desk.release(1, 3);
    desk.check_counts(0, 0);
}

#[test]
fn turns_go_round_the_values_and_none_has_more_than_its_share() {
    let mut desk = Desk::default();
    let ask = |id, value| {
        let mut slot = slot(1, 1, 6, 60_000);
        slot.fair = Some(value);
        call(id, &[slot])
    };
    desk.acquire(0, &ask(1, 0));
    // A first value may have half of six places, a second a third.
    let asked = [10, 11, 12, 13, 20, 21, 22, 30, 31]
        .map(|id| desk.acquire(0, &ask(id, id / 10)) == Step::Waiting);
    assert_eq!(
        asked,
        [true, true, true, false, true, true, false, true, false]
    );
    desk.check_counts(1, 6);
    desk.log.clear();
    let mut last = 1;
    for ms in 1..=6 {
        desk.release(ms, last);
        last = desk.log.last().unwrap().1;
    }
    let order: Vec<u64> = desk.log.iter().map(|(_, id, _)| *id).collect();
    assert_eq!(order, [10, 20, 30, 11, 21, 12]);
}

#[test]
fn a_thousand_wait_and_leave_in_order() {
    let mut desk = Desk::default();
    for id in 0..=1_000 {
        desk.acquire(id, &call(id, &[slot(1, 1, 1_000, 60_000)]));
    }
    desk.check_counts(1, 1_000);
    assert_eq!(
        desk.acquire(1_001, &call(1_001, &[slot(1, 1, 1_000, 60_000)])),
        Step::Now(FULL)
    );
    desk.log.clear();
    for id in 0..1_000 {
        desk.release(2_000, id);
    }
    let order: Vec<u64> = desk.log.iter().map(|(_, id, _)| *id).collect();
    assert_eq!(order, (1..=1_000).collect::<Vec<_>>());
    desk.release(2_001, 1_000);
    desk.check_counts(0, 0);
}
