use super::*;
use crate::ledger::{MAX_COUNTERS, MAX_SPILLED};

fn counters(bench: &mut Bench, now_ms: u64) -> usize {
    match bench.call(now_ms, &Call::Stats) {
        Answer::Stats(stats) => stats.counters as usize,
        other => panic!("{other:?}"),
    }
}

/// Many keys in an hour's window, from two networks.
fn flood(bench: &mut Bench, from: u64, count: u64) {
    for number in from..from + count {
        let item = Item {
            spill: key(u64::MAX - number % 2),
            ..window(number, 3, 3_600_000)
        };
        bench.charge(0, &[item]);
    }
}

#[test]
fn a_full_object_counts_new_keys_under_their_network() {
    let mut bench = Bench::new();
    flood(&mut bench, 0, MAX_COUNTERS as u64);
    assert_eq!(counters(&mut bench, 0), MAX_COUNTERS);
    let passed = |bench: &mut Bench, network: u64| {
        let items = (1_000_000..1_000_010).map(|number| Item {
            spill: key(network),
            ..window(number, 3, 3_600_000)
        });
        items
            .filter(|item| bench.charge(1, std::slice::from_ref(item)).admitted)
            .count()
    };
    assert_eq!(passed(&mut bench, 7_000_000), 3);
    assert_eq!(passed(&mut bench, 7_000_001), 3);
    // A key that is known keeps its own counter.
    assert_eq!(
        bench.charge(1, &[window(0, 3, 3_600_000)]).outcomes[0].remaining,
        1
    );
    assert_eq!(counters(&mut bench, 1), MAX_COUNTERS + 2);
}

#[test]
fn stored_counters_leave_memory_and_come_back() {
    let mut bench = Bench::new();
    let item = |number| [window(number, 3, 3_600_000)];
    bench.charge(0, &item(0));
    bench.wake_until(5_000);
    assert_eq!(bench.rows(), 1);
    for number in 1..=MAX_COUNTERS as u64 {
        bench.charge(5_001, &item(number));
    }
    assert_eq!(counters(&mut bench, 5_002), MAX_COUNTERS);
    bench.wake_until(10_002);
    assert_eq!(bench.charge(10_003, &item(0)).outcomes[0].remaining, 1);
    assert_eq!(counters(&mut bench, 10_004), MAX_COUNTERS);
}

#[test]
fn void_counters_are_swept() {
    let mut bench = Bench::new();
    for number in 0..1_000 {
        bench.charge(0, &[window(number, 3, 1_000)]);
    }
    for n in 0..510 {
        bench.charge(1_000 + n, &[window(5_000, 600, 1_000)]);
    }
    assert_eq!(counters(&mut bench, 1_600), 1);
}

#[test]
fn the_number_of_counters_is_bounded_whatever_comes() {
    let mut bench = Bench::new();
    let most = MAX_COUNTERS + MAX_SPILLED;
    for number in 0..most as u64 + 500 {
        let item = Item {
            spill: key(9_000_000 + number),
            ..window(number, 3, 3_600_000)
        };
        assert!(bench.charge(0, &[item]).admitted);
    }
    assert_eq!(counters(&mut bench, 0), most);
}

#[test]
fn more_items_than_a_message_may_carry_are_not_understood() {
    let mut bench = Bench::new();
    let items = vec![window(1, 5, 1_000); crate::wire::MAX_ITEMS + 1];
    let call = Call::Charge(Charge {
        id: CallId(1),
        provisional: None,
        items,
    });
    assert_eq!(bench.call(0, &call), Answer::Unintelligible);
}

#[test]
fn a_bucket_that_fills_slowly_is_stored_by_what_it_holds() {
    let mut bench = Bench::new();
    let slow = Quota {
        burst: 21,
        ..quota(Algorithm::TokenBucket, 2, 3_600_000)
    };
    let item = item(1, slow);
    for n in 0..15 {
        assert!(bench.charge(n, std::slice::from_ref(&item)).admitted);
    }
    bench.wake_until(2_100);
    assert_eq!(bench.restart(2_200).remaining(2_200, &item), 6);
}
