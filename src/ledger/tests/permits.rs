//! Permits of a lease.

use super::*;

#[test]
fn a_lease_takes_a_small_share_and_never_the_last() {
    let mut bench = Bench::new();
    let item = Item {
        permits: 100,
        ..window(1, 81, 60_000)
    };
    let outcome = bench.charge(0, std::slice::from_ref(&item)).outcomes[0];
    assert_eq!((outcome.permits, outcome.lapse), (20, ms(3_750)));
    assert_eq!(outcome.remaining, 60, "besides the permits");
    let mut admitted = 1 + 20;
    loop {
        let charged = bench.charge(1, std::slice::from_ref(&item));
        if !charged.admitted {
            break;
        }
        admitted += 1 + charged.outcomes[0].permits;
        if bench.remaining(1, &item) < 8 {
            assert!(charged.outcomes[0].permits == 0 || bench.remaining(1, &item) > 0);
        }
    }
    assert_eq!(admitted, 81);
}

#[test]
fn a_lease_is_of_whole_items() {
    let mut bench = Bench::new();
    let item = Item {
        cost: 4,
        permits: 100,
        ..window(1, 67, 60_000)
    };
    let mut admitted = 0;
    loop {
        let charged = bench.charge(0, std::slice::from_ref(&item));
        if !charged.admitted {
            break;
        }
        admitted += 1 + charged.outcomes[0].permits / item.cost;
    }
    assert_eq!(admitted, 67 / 4);
}

#[track_caller]
fn check_lapse(window_ms: u64, lapse_ms: u64) {
    let mut bench = Bench::new();
    let item = Item {
        permits: 1,
        ..window(1, 100, window_ms)
    };
    assert_eq!(bench.charge(0, &[item]).outcomes[0].lapse, ms(lapse_ms));
}

#[test]
fn a_lease_lapses_within_bounds() {
    check_lapse(1_000, 1_000);
    check_lapse(32_000, 2_000);
    check_lapse(3_600_000, 10_000);
}

#[test]
fn permits_that_lapse_are_spent_and_those_reported_come_back() {
    let mut bench = Bench::new();
    let item = Item {
        permits: 10,
        ..window(1, 90, 16_000)
    };
    assert_eq!(
        bench.charge(0, std::slice::from_ref(&item)).outcomes[0].permits,
        10
    );
    let reported = bench.last();
    assert_eq!(
        bench.charge(1, std::slice::from_ref(&item)).outcomes[0].permits,
        10
    );
    assert!(bench.settle(500, reported, &[(0, 4)]));
    assert_eq!(bench.remaining(500, &item), 90 - 1 - 4 - 1 - 10);
    assert!(!bench.settle(501, reported, &[(0, 0)]));
    assert_eq!(bench.remaining(1_001, &item), 74);
    // Spent when they were reported, and when they lapsed.
    assert_eq!(bench.remaining(16_499, &item), 76);
    assert_eq!(bench.remaining(16_500, &item), 80);
    assert_eq!(bench.remaining(17_001, &item), 90);
}

#[test]
fn what_is_said_of_permits_twice_or_late_is_not_said_of_the_charge_beside_them() {
    let item = Item {
        permits: 10,
        ..window(1, 100, 16_000)
    };
    for (first_ms, then_ms) in [(10, 20), (1_500, 1_500)] {
        let mut bench = Bench::new();
        let charged = bench.charge_with(0, Some(ms(2_000)), std::slice::from_ref(&item));
        assert_eq!(charged.outcomes[0].permits, 10);
        let id = bench.last();
        bench.settle(first_ms, id, &[(0, 0)]);
        assert!(
            !bench.settle(then_ms, id, &[(0, 0)]),
            "nothing of them is held"
        );
        let lapsed = if first_ms < 1_000 { 0 } else { 10 };
        assert_eq!(bench.remaining(then_ms, &item), 99 - lapsed);
        assert!(bench.refund(then_ms, id), "the charge is still provisional");
        assert_eq!(bench.remaining(then_ms, &item), 100 - lapsed);
    }
}

#[test]
fn a_refusal_for_permits_that_are_out_is_remembered_briefly() {
    let mut bench = Bench::new();
    let item = Item {
        permits: 1,
        ..window(1, 8, 160_000)
    };
    let other = Item {
        cost: 7,
        permits: 0,
        ..item.clone()
    };
    bench.charge(
        0,
        &[Item {
            cost: 0,
            ..item.clone()
        }],
    );
    assert!(bench.charge(0, &[other]).admitted);
    let refused = bench.charge(1, std::slice::from_ref(&item)).outcomes[0];
    assert!(!refused.conforms && !refused.provisional);
    assert_eq!(refused.remember, ms(1_000));
    // Seven leave the window first.
    assert_eq!(refused.retry_after, ms(159_999));
    let refused = bench.peek(9_500, &Item { cost: 1, ..item });
    assert_eq!(refused.remember, ms(500));
}

#[test]
fn nothing_is_leased_under_a_block() {
    let mut bench = Bench::new();
    let item = Item {
        permits: 5,
        block: vec![ms(1_000)],
        ..window(1, 1_000, 1_000)
    };
    assert_eq!(bench.charge(0, &[item]).outcomes[0].permits, 0);
}
