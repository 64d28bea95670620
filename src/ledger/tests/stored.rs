use super::*;

/// Burst, wait until the object has left memory, burst again.
#[track_caller]
fn check_going_idle_forgives_nothing(item: Item) {
    let mut bench = Bench::new();
    let limit = item.quota.limit;
    let burst = |bench: &mut Bench, now_ms| {
        (0..limit + 5)
            .filter(|_| bench.charge(now_ms, std::slice::from_ref(&item)).admitted)
            .count() as u64
    };
    assert_eq!(burst(&mut bench, 0), limit);
    bench.wake_until(12_000);
    let mut again = bench.restart(12_000);
    let expected = bench.remaining(12_000, &item);
    assert!(expected < limit);
    assert_eq!(burst(&mut again, 12_000), expected);
}

#[test]
fn going_idle_forgives_nothing() {
    check_going_idle_forgives_nothing(window(1, 5, 60_000));
    check_going_idle_forgives_nothing(window(1, 1, 3_600_000));
    check_going_idle_forgives_nothing(bucket(1, 100, 60_000));
    check_going_idle_forgives_nothing(item(1, quota(Algorithm::FixedWindow, 20, 86_400_000)));
    check_going_idle_forgives_nothing(item(1, quota(Algorithm::SlidingCounter, 50, 60_000)));
}

#[test]
fn an_ordinary_visitor_costs_no_row() {
    let mut bench = Bench::new();
    let item = window(1, 120, 60_000);
    bench.charge(0, std::slice::from_ref(&item));
    bench.charge(500, std::slice::from_ref(&item));
    bench.wake_until(60_000);
    assert_eq!(bench.rows(), 0);
    assert_eq!(bench.ledger.take_alarm(), None);
}

#[test]
fn a_window_that_is_over_before_the_object_can_leave_costs_no_row() {
    let mut bench = Bench::new();
    for n in 0..1_000 {
        bench.charge(n * 10, &[bucket(1, 10, 1_000), window(2, 10, 1_000)]);
        bench.wake_until(n * 10);
    }
    bench.wake_until(60_000);
    assert_eq!(bench.rows(), 0);
}

#[test]
fn a_busy_key_costs_one_row_a_flush() {
    let mut bench = Bench::new();
    let mut rows = 0;
    for n in 0..1_000 {
        rows += bench.charge(n * 10, &[window(1, 10_000, 60_000)]).rows;
        bench.wake_until(n * 10);
    }
    bench.wake_until(60_000);
    rows += bench.charge(60_000, &[window(1, 10_000, 60_000)]).rows;
    assert!((1..=5).contains(&rows), "{rows} rows");
}

#[test]
fn exact_limits_and_blocks_are_stored_before_the_answer() {
    let mut bench = Bench::new();
    let exact = Item {
        durable: true,
        ..window(1, 1_000, 60_000)
    };
    assert_eq!(bench.charge(0, std::slice::from_ref(&exact)).rows, 1);
    assert_eq!(bench.restart(0).remaining(0, &exact), 999);
    let blocking = Item {
        block: vec![ms(60_000)],
        ..bucket(2, 1, 1_000)
    };
    bench.charge(0, std::slice::from_ref(&blocking));
    assert_eq!(bench.charge(0, std::slice::from_ref(&blocking)).rows, 1);
    assert_eq!(bench.ledger.store().urgent_writes, 2);
    let outcome = bench.restart(30_000).peek(30_000, &blocking);
    assert_eq!((outcome.blocked, outcome.retry_after), (true, ms(30_000)));
    assert_eq!(outcome.remaining, 0);
}

#[test]
fn what_is_held_is_stored_as_spent() {
    let mut bench = Bench::new();
    let item = Item {
        cost: 100,
        reserve: Some(ms(30_000)),
        ..window(1, 150, 60_000)
    };
    bench.charge(0, std::slice::from_ref(&item));
    bench.wake_until(2_000);
    assert_eq!(bench.restart(12_000).remaining(12_000, &item), 50);
    // What comes back later corrects the row.
    let id = bench.last();
    bench.settle(20_000, id, &[(0, 10)]);
    bench.wake_until(22_000);
    assert_eq!(bench.restart(32_000).remaining(32_000, &item), 140);
}

#[test]
fn everything_is_deleted_once_the_last_window_is_over() {
    let mut bench = Bench::new();
    for number in 0..500 {
        bench.charge(0, &[window(number, 2, 30_000)]);
    }
    bench.wake_until(2_000);
    assert!(bench.rows() > 1);
    let alarm = bench.ledger.take_alarm().unwrap();
    assert_eq!(alarm, at(31_000));
    // Set once, not with each flush.
    bench.charge(29_000, &[window(1, 2, 30_000)]);
    bench.wake_until(31_000);
    assert_eq!(bench.ledger.take_alarm(), None);
    // The hit at 29 s still counts at 31 s, and its row stays.
    bench.ledger.alarm(at(31_001));
    assert_eq!(bench.remaining(31_001, &window(1, 2, 30_000)), 1);
    assert_eq!(
        bench
            .restart(31_001)
            .remaining(31_001, &window(1, 2, 30_000)),
        1
    );
    assert_eq!(bench.ledger.take_alarm(), Some(at(60_000)));
    for _ in 0..3 {
        bench.ledger.alarm(at(60_000));
        assert_eq!(bench.rows(), 0);
    }
    assert_eq!(bench.ledger.take_alarm(), None);
    assert!(bench.charge(60_001, &[window(1, 2, 30_000)]).admitted);
}

#[test]
fn a_restart_does_not_set_the_alarm_again() {
    let mut bench = Bench::new();
    bench.charge(0, &[window(1, 2, 60_000)]);
    bench.wake_until(2_000);
    assert_eq!(bench.ledger.take_alarm(), Some(at(61_000)));
    let mut again = bench.restart(20_000);
    again.charge(20_000, &[window(1, 2, 60_000)]);
    again.wake_until(22_000);
    assert_eq!(again.ledger.take_alarm(), None);
    // One that never came is set again.
    assert_eq!(
        bench.restart(200_000).ledger.take_alarm(),
        Some(at(201_000))
    );
}

#[test]
fn an_alarm_set_under_a_longer_window_is_corrected() {
    let mut bench = Bench::new();
    bench.charge(0, &[window(1, 2, 3_600_000)]);
    bench.wake_until(2_000);
    assert_eq!(bench.ledger.take_alarm(), Some(at(3_601_000)));
    for n in 0..2 {
        bench.charge(10_000 + n, &[window(1, 2, 20_000)]);
    }
    bench.wake_until(20_000);
    bench.charge(30_001, &[window(1, 2, 20_000)]);
    bench.wake_until(40_000);
    assert!(bench.ledger.take_alarm().unwrap() < at(60_000));
}

#[test]
fn damaged_rows_are_dropped_and_counted() {
    let mut bench = Bench::new();
    bench.charge(0, &[window(1, 2, 60_000)]);
    bench.wake_until(2_000);
    let mut store = bench.ledger.store().clone();
    let good = store.rows.values().next().unwrap().clone();
    let name = |n| row::row_key(key(n));
    for length in 0..good.len() {
        store
            .rows
            .insert(name(100 + length as u64), good[..length].to_vec());
    }
    let mut longer = good.clone();
    longer.push(0);
    store.rows.insert(name(50), longer);
    store.rows.insert("what is this".to_owned(), good.clone());
    let damaged = good.len() as u64 + 2;
    let mut bench = Bench::with(store, 3_000);
    assert_eq!(bench.ledger.damaged_rows(), damaged);
    assert_eq!(bench.rows(), 1);
    assert_eq!(bench.remaining(3_000, &window(1, 2, 60_000)), 1);
}

#[test]
fn a_store_that_fails_is_counted_and_decisions_go_on() {
    let store = MemoryStore {
        broken: true,
        ..MemoryStore::default()
    };
    let mut bench = Bench::with(store, 0);
    let exact = Item {
        durable: true,
        ..window(1, 2, 60_000)
    };
    assert!(bench.charge(0, std::slice::from_ref(&exact)).admitted);
    assert!(bench.charge(1, std::slice::from_ref(&exact)).admitted);
    assert!(!bench.charge(2, std::slice::from_ref(&exact)).admitted);
    let Answer::Stats(stats) = bench.call(3, &Call::Stats) else {
        panic!()
    };
    assert_eq!((stats.faults, stats.rows), (3, 0));
    // It recovers: what was not written is written.
    bench.ledger.store_mut().broken = false;
    bench.wake_until(10_000);
    assert_eq!(bench.restart(12_000).remaining(12_000, &exact), 0);
}

#[test]
fn what_was_written_behind_and_failed_after_all_is_written_again() {
    let mut bench = Bench::new();
    let item = window(1, 2, 60_000);
    for n in 0..2 {
        assert!(bench.charge(n, std::slice::from_ref(&item)).admitted);
    }
    bench.wake_until(2_500);
    let (row, _) = bench.ledger.store_mut().rows.pop_first().unwrap();
    // The platform says so some time later.
    bench.ledger.write_failed(Some(&row), at(3_000));
    let Answer::Charged(charged) = bench.call(3_000, &peek_at(&item)) else {
        panic!()
    };
    assert_eq!((charged.rows, charged.faults), (1, 1), "told once");
    let Answer::Charged(charged) = bench.call(3_000, &peek_at(&item)) else {
        panic!()
    };
    assert_eq!((charged.rows, charged.faults), (0, 0), "told once");
    assert_eq!(bench.remaining(3_000, &item), 0, "and nothing is forgotten");
    bench.wake_until(5_000);
    assert_eq!(bench.restart(12_000).remaining(12_000, &item), 0);
}

#[test]
fn an_alarm_that_could_not_be_set_is_set_again_after_a_while() {
    let mut bench = Bench::new();
    let exact = Item {
        durable: true,
        ..window(1, 2, 60_000)
    };
    bench.charge(0, std::slice::from_ref(&exact));
    let alarm = bench.ledger.take_alarm();
    assert_eq!(alarm, Some(at(61_000)));
    bench.ledger.write_failed(None, at(10));
    assert_eq!(bench.ledger.take_alarm(), None, "not in a loop");
    bench.wake_until(2_010);
    assert_eq!(bench.ledger.take_alarm(), alarm);
    // Where everything should have been deleted and was not, it is tried again.
    bench.ledger.alarm(at(61_000));
    assert_eq!((bench.rows(), bench.ledger.take_alarm()), (0, None));
    bench.ledger.write_failed(None, at(61_100));
    assert!(bench.ledger.take_alarm().is_some());
}

#[test]
fn the_clock_of_another_machine_takes_nothing_back() {
    let mut bench = Bench::new();
    let exact = Item {
        durable: true,
        ..bucket(1, 5, 10_000)
    };
    for _ in 0..5 {
        bench.charge(100_000, std::slice::from_ref(&exact));
    }
    let mut again = bench.restart(95_000);
    assert_eq!(again.peek(95_000, &exact).retry_after, ms(7_000));
}

#[test]
fn stored_form_unchanged() {
    let mut counter = counter::Counter::new(quota(Algorithm::TokenBucket, 10, 1_000));
    counter.spend(at(0), 3, None);
    counter.longest_step = ms(1);
    let bytes = row::encode(&counter, at(0), at(300), Some(at(1_300)));
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = "0101000000000000000a00000000000f4240000000000000000a\
                    00060a241820207800060a241824b45800060a241833f69800000000000003e8\
                    0100000101d8e892c1c1c4820300";
    assert_eq!(hex, expected);
    let row = row::decode(&bytes).unwrap();
    assert_eq!(row.counter.state, counter.state);
    assert_eq!(row.counter.quota, counter.quota);
    assert_eq!(
        (row.written_at, row.void_at, row.alarm),
        (at(0), at(300), Some(at(1_300)))
    );
}
