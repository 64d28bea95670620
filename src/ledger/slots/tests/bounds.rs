//! Bounds that change, bounds in shadow, and the bounds of the object itself.

use super::*;

#[test]
fn bounds_hold_from_the_call_that_brings_them() {
    let mut desk = Desk::default();
    for id in [1, 2] {
        desk.acquire(0, &call(id, &[slot(1, 2, 2, 60_000)]));
    }
    // Lowered: nobody is cut off, nobody is admitted before it holds.
    for id in [3, 4] {
        assert_eq!(
            desk.acquire(0, &call(id, &[slot(1, 1, 2, 60_000)])),
            Step::Waiting
        );
    }
    desk.release(1, 1);
    desk.check_counts(1, 2);
    // Fewer places: whoever waits stays, the next one is refused.
    assert_eq!(
        desk.acquire(1, &call(5, &[slot(1, 1, 1, 60_000)])),
        Step::Now(FULL)
    );
    desk.check_counts(1, 2);
    // Raised: those who wait go first, and the call that raised it after them.
    assert_eq!(
        desk.acquire(2, &call(6, &[slot(1, 3, 2, 60_000)])),
        Step::Waiting
    );
    desk.check_counts(3, 1);
    assert_eq!(desk.log[3..], [(2, 3, granted(2)), (2, 4, granted(2))]);
}

#[test]
fn shadow_counts_and_never_refuses() {
    let mut desk = Desk::default();
    let mut shadow = slot(1, 1, 0, 0);
    shadow.enforce = false;
    for id in 1..=5 {
        assert_eq!(
            desk.acquire(0, &call(id, &[shadow.clone()])),
            Step::Now(granted(0))
        );
    }
    assert_eq!(desk.slots.stats().collect::<Vec<_>>(), [(key(1), 5, 0)]);
    assert_eq!(
        desk.acquire(1, &call(6, &[slot(1, 1, 1, 900)])),
        Step::Waiting
    );
    desk.check_counts(5, 1);
    // Switched to shadow while it waits: it need not wait any longer.
    desk.acquire(2, &call(7, &[shadow]));
    desk.check_counts(7, 0);
}

#[test]
fn an_object_is_bounded() {
    let mut slots = Slots::new();
    let most = u64::try_from(MAX_CALLS).unwrap();
    let wide = slot(1, 15_000, u32::MAX, 60_000);
    for id in 0..most {
        slots.acquire(&call(id, std::slice::from_ref(&wide)), at(0));
    }
    assert_eq!((slots.running(), slots.waiting()), (15_000, 5_000));
    assert_eq!(
        slots.acquire(&call(most, &[slot(2, 1, 1, 1)]), at(0)),
        Step::Now(FULL)
    );
    let mut shadow = slot(2, 1, 1, 1);
    shadow.enforce = false;
    assert_eq!(
        slots.acquire(&call(most, &[shadow]), at(0)),
        Step::Now(granted(0))
    );
    assert_eq!(slots.stats().count(), 1, "not counted");
    let many: Vec<Slot> = (0..=16).map(|n| slot(n, 1, 1, 1)).collect();
    assert_eq!(
        slots.acquire(&call(most, &many), at(0)),
        Step::Now(Acquired::Full { item: 16 })
    );
    // Releases of calls that never come are forgotten, the oldest first.
    for id in 0..5_000 {
        slots.release(CallId(1_000_000 + id), at(0));
    }
    assert_eq!(slots.past.recall(CallId(1_000_000), at(0)), None);
    assert_eq!(
        slots.past.recall(CallId(1_004_999), at(0)),
        Some(Acquired::Gone)
    );
    // No lease is for good.
    let mut endless = call(most, &[slot(3, 1, 0, 0)]);
    endless.lease = Span::MAX;
    slots.release(CallId(0), at(0));
    slots.acquire(&endless, at(0));
    slots.tick(at(0) + MAX_LEASE);
    assert_eq!((slots.running(), slots.waiting()), (0, 0));
}
