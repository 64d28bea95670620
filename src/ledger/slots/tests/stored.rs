//! What runs survives the object.

use proptest::prelude::*;

use super::*;

fn sample() -> Slots {
    let mut slots = Slots::new();
    slots.acquire(&call(0x0102, &[slot(7, 1, 1, 2_000)]), at(0));
    slots.acquire(&call(3, &[slot(7, 1, 1, 2_000)]), at(1));
    slots.acquire(
        &call(u64::MAX, &[slot(8, 1, 1, 2_000), slot(9, 1, 1, 2_000)]),
        at(2),
    );
    slots
}

#[test]
fn version_1_is_frozen() {
    let hex: String = sample()
        .snapshot(at(3))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let expected = [
        "01",
        "00000002",
        "0000000000000102",
        "0006651729311680",
        "0000000000989680",
        "0000000000000000",
        "0006651728988000",
        "01",
        "07070707070707070707070707070707",
        "ffffffffffffffff",
        "0006651729311e50",
        "0000000000989680",
        "0000000000000000",
        "00066517289887d0",
        "02",
        "08080808080808080808080808080808",
        "09090909090909090909090909090909",
    ];
    assert_eq!(hex, expected.concat());
}

#[test]
fn slots_come_back_and_end_by_lease_and_waiters_do_not() {
    let bytes = sample().snapshot(at(3));
    let mut slots = Slots::restore(&bytes, at(5_000)).unwrap();
    assert_eq!(slots.next_event(), Some(at(10_000)));
    assert_eq!(
        slots.stats().collect::<Vec<_>>(),
        [(key(7), 1, 0), (key(8), 1, 0), (key(9), 1, 0)]
    );
    let ask = |id| call(id, &[slot(7, 1, 1, 20_000)]);
    assert_eq!(
        slots.acquire(&ask(0x0102), at(5_000)),
        Step::Now(granted(0)),
        "not twice"
    );
    assert_eq!(slots.acquire(&ask(4), at(5_000)), Step::Waiting);
    assert!(slots.renew(CallId(0x0102), at(6_000)));
    slots.tick(at(15_999));
    assert_eq!((slots.running(), slots.waiting()), (1, 1));
    slots.tick(at(16_000));
    assert_eq!(slots.drain_resolved(), [(CallId(4), granted(11_000))]);
}

#[test]
fn a_lease_that_ended_meanwhile_is_left_out_and_none_grows() {
    let bytes = sample().snapshot(at(3));
    assert_eq!(Slots::restore(&bytes, at(10_000)).unwrap().running(), 1);
    assert_eq!(Slots::restore(&bytes, at(10_002)).unwrap().running(), 0);
    // A clock that was set back by far more than a lease.
    let earlier = Timestamp::from_millis(1_000);
    let slots = Slots::restore(&bytes, earlier).unwrap();
    assert_eq!(slots.next_event(), Some(earlier + LEASE));
}

#[test]
fn the_revision_says_whether_a_snapshot_is_still_good() {
    let mut slots = sample();
    let before = slots.revision();
    slots.acquire(&call(5, &[slot(7, 1, 1, 2_000)]), at(3));
    slots.renew(CallId(3), at(3));
    slots.tick(at(4));
    assert_eq!(slots.revision(), before, "waiting is not stored");
    slots.renew(CallId(0x0102), at(5));
    assert_ne!(slots.revision(), before);
    assert!(slots.runs_since(at(0)));
    assert!(!slots.runs_since(at(0) - Span::from_millis(1)));
}

#[test]
fn damaged_bytes_are_refused() {
    let good = sample().snapshot(at(3));
    for length in 0..good.len() {
        assert!(
            Slots::restore(&good[..length], at(3)).is_none(),
            "cut at {length}"
        );
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(Slots::restore(&longer, at(3)).is_none());
    let mut newer = good;
    newer[0] = 2;
    assert!(Slots::restore(&newer, at(3)).is_none());
}

proptest! {
    #[test]
    fn any_bytes_are_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..200), now in any::<u64>()) {
        if let Some(first) = bytes.first_mut() {
            *first = 1;
        }
        if let Some(mut slots) = Slots::restore(&bytes, Timestamp::from_micros(now)) {
            slots.tick(Timestamp::MAX);
            prop_assert_eq!(slots.running(), 0);
        }
    }
}
