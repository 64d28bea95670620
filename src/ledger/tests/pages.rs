use super::*;

const HOUR_MS: u64 = 3_600_000;

/// Keys whose counters are still what they were charged, after a restart.
fn found(
    bench: &Bench,
    now_ms: u64,
    numbers: std::ops::Range<u64>,
    item: fn(u64) -> Item,
) -> usize {
    let mut again = bench.restart(now_ms);
    let spent = |number| {
        let item = item(number);
        again.remaining(now_ms, &item) < item.quota.limit
    };
    numbers.map(spent).filter(|spent| *spent).count()
}

fn pages(bench: &Bench) -> usize {
    let names = bench.ledger.store().rows.keys();
    names.filter(|name| name.starts_with('p')).count()
}

#[test]
fn counters_that_are_due_together_share_a_row() {
    let mut bench = Bench::new();
    for number in 0..100 {
        bench.charge(number, &[window(number, 2, HOUR_MS)]);
    }
    bench.wake_until(10_000);
    assert_eq!((bench.rows(), bench.ledger.rows_written()), (1, 1));
    assert_eq!(
        found(&bench, 10_000, 0..100, |n| window(n, 2, HOUR_MS)),
        100
    );
}

#[test]
fn a_visitor_costs_a_row_and_one_at_its_quota_is_stored_within_two_seconds() {
    let mut bench = Bench::new();
    let item = window(1, 120, 60_000);
    for n in 0..45 {
        bench.wake_until(n * 220);
        bench.charge(n * 220, std::slice::from_ref(&item));
    }
    bench.wake_until(60_000);
    assert_eq!(bench.ledger.rows_written(), 1);
    let mut bench = Bench::new();
    for _ in 0..60 {
        bench.charge(0, std::slice::from_ref(&item));
    }
    assert_eq!(bench.ledger.next_wake(), Some(at(2_000)));
}

#[test]
fn while_an_object_is_asked_it_writes_now_and_then_and_when_it_is_quiet_soon() {
    let mut bench = Bench::new();
    let item = window(1, 1_000, HOUR_MS);
    for n in 0..35 {
        bench.charge(n * 1_000, std::slice::from_ref(&item));
        assert_eq!(bench.ledger.rows_written(), u64::from(n > 31));
        bench.wake_until(n * 1_000 + 999);
    }
    assert_eq!(bench.ledger.next_wake(), Some(at(39_000)));
}

#[test]
fn the_page_with_the_least_left_is_written_again_and_keeps_what_is_left() {
    let mut bench = Bench::new();
    let item = |number| window(number, 4, HOUR_MS);
    for number in 0..1_000 {
        bench.charge(0, &[item(number)]);
    }
    bench.wake_until(10_000);
    let full = pages(&bench);
    assert!((4..20).contains(&full), "{full} pages");
    for round in 0..200 {
        let now_ms = 20_000 + round * 10_000;
        for n in 0..7 {
            bench.charge(
                now_ms,
                &[window((round * 31 + n * 149) % 1_000, 100_000, HOUR_MS)],
            );
        }
        bench.wake_until(now_ms + 9_000);
    }
    assert!(
        pages(&bench) <= 2 * full,
        "{} pages of {full}",
        pages(&bench)
    );
    assert_eq!(found(&bench, 2_100_000, 0..1_000, item), 1_000);
}

#[test]
fn what_was_written_last_is_right_wherever_it_is() {
    let mut bench = Bench::new();
    let few = |number| window(number, 10, HOUR_MS);
    for number in 0..400 {
        bench.charge(0, &[few(number)]);
    }
    bench.wake_until(10_000);
    assert!(pages(&bench) > 1);
    for round in 1..9 {
        for number in 0..400 {
            bench.charge(round * 10_000, &[few((number * 7 + round) % 400)]);
            let id = bench.last();
            if number % 3 == 0 {
                assert!(bench.refund(round * 10_000, id));
            }
        }
        bench.wake_until(round * 10_000 + 9_000);
        let mut again = bench.restart(round * 10_000 + 9_000);
        for number in 0..400 {
            let known = bench.remaining(round * 10_000 + 9_000, &few(number));
            assert_eq!(again.remaining(round * 10_000 + 9_000, &few(number)), known);
        }
        bench = again;
    }
}

#[test]
fn a_counter_that_an_operator_forgets_is_in_no_page_any_more() {
    let mut bench = Bench::new();
    for round in 0..5 {
        for number in 0..300 {
            bench.charge(
                round * 10_000,
                &[window((number * 13 + round) % 300, 10, HOUR_MS)],
            );
        }
        bench.wake_until(round * 10_000 + 9_000);
    }
    assert!(pages(&bench) > 1);
    let forget = Call::Forget { keys: vec![key(7)] };
    assert_eq!(bench.call(60_000, &forget), Answer::Forgotten(1));
    assert_eq!(bench.call(60_000, &forget), Answer::Forgotten(0));
    assert_eq!(bench.remaining(60_000, &window(7, 10, HOUR_MS)), 10);
    assert_eq!(
        bench
            .restart(60_000)
            .remaining(60_000, &window(7, 10, HOUR_MS)),
        10
    );
    assert_eq!(
        found(&bench, 60_000, 0..300, |n| window(n, 10, HOUR_MS)),
        299
    );
}

#[test]
fn what_has_to_be_stored_at_once_has_a_row_of_its_own_from_then_on() {
    let mut bench = Bench::new();
    let item = window(1, 10, HOUR_MS);
    bench.charge(0, &[item.clone(), window(2, 10, HOUR_MS)]);
    bench.wake_until(10_000);
    let exact = Item {
        durable: true,
        ..item.clone()
    };
    bench.charge(10_000, std::slice::from_ref(&exact));
    assert_eq!(bench.restart(10_000).remaining(10_000, &item), 8);
    bench.charge(11_000, &[item.clone(), window(2, 10, HOUR_MS)]);
    bench.wake_until(20_000);
    assert_eq!(bench.restart(20_000).remaining(20_000, &item), 7);
    assert_eq!(bench.rows(), 2);
}

#[test]
fn one_off_keys_leave_little_behind_while_the_object_is_busy() {
    let mut bench = Bench::new();
    let exact = |number| Item {
        durable: true,
        ..window(number, 2, 10_000)
    };
    let (mut most, mut alarm) = (0, None);
    for n in 0..2_000_u64 {
        let now_ms = n * 100;
        bench.charge(now_ms, &[window(n, 2, 10_000)]);
        bench.charge(now_ms, &[exact(10_000 + n)]);
        bench.wake_until(now_ms);
        if alarm.is_some_and(|alarm| alarm <= at(now_ms)) {
            bench.ledger.alarm(at(now_ms));
        }
        alarm = bench.ledger.take_alarm().or(alarm);
        most = most.max(bench.rows());
    }
    // A hundred count at any time; the alarm comes once a window.
    assert!(most < 500, "{most} rows");
    bench.ledger.alarm(at(300_000));
    assert_eq!(bench.rows(), 0);
}

#[test]
fn a_page_that_fails_is_written_again() {
    let mut bench = Bench::new();
    let item = |number| window(number, 2, HOUR_MS);
    for number in 0..3 {
        bench.charge(0, &[item(number)]);
    }
    bench.ledger.store_mut().broken = true;
    bench.wake_until(3_000);
    assert_eq!(bench.rows(), 0);
    bench.ledger.store_mut().broken = false;
    bench.wake_until(6_000);
    assert_eq!(found(&bench, 6_000, 0..3, item), 3);
    // It said that it was written, and was not after all.
    let (name, _) = bench.ledger.store_mut().rows.pop_first().unwrap();
    bench.ledger.write_failed(Some(&name), at(7_000));
    bench.wake_until(10_000);
    assert_eq!(found(&bench, 10_000, 0..3, item), 3);
}

#[test]
fn of_damaged_pages_what_is_whole_counts_and_the_damage_is_counted() {
    let mut bench = Bench::new();
    bench.charge(0, &[window(1, 2, HOUR_MS), window(2, 2, HOUR_MS)]);
    bench.wake_until(10_000);
    let good = bench.ledger.store().rows["p0"].clone();
    let (_, mut rest) = page::read(&good).unwrap();
    let mut whole = vec![9];
    while page::next(&mut rest).is_some() {
        whole.push(good.len() - rest.len());
    }
    assert_eq!((whole.len(), rest.len()), (3, 0));
    for length in 0..=good.len() {
        let rows = [("p7".to_owned(), good[..length].to_vec())];
        let mut bench = Bench::with(
            MemoryStore {
                rows: rows.into(),
                ..MemoryStore::default()
            },
            11_000,
        );
        assert_eq!(
            bench.ledger.damaged_rows(),
            u64::from(!whole.contains(&length))
        );
        let known = whole.iter().filter(|end| **end <= length).count();
        let left = (1..=2).map(|number| bench.remaining(11_000, &window(number, 2, HOUR_MS)));
        assert_eq!(left.sum::<u64>(), 4 - known.saturating_sub(1) as u64);
    }
    for name in ["p", "p01", "p+1", "p32768", "p99999999999"] {
        let rows = [(name.to_owned(), good.clone())];
        let bench = Bench::with(
            MemoryStore {
                rows: rows.into(),
                ..MemoryStore::default()
            },
            11_000,
        );
        assert_eq!((bench.ledger.damaged_rows(), bench.rows()), (1, 0));
    }
}

#[test]
fn stored_form_unchanged() {
    let mut page = page::start(0x0102);
    page::push(&mut page, key(3), &[1, 2, 3]);
    page::push(&mut page, key(4), &[]);
    let hex: String = page.iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = "010000000000000102\
                    000000000000000307070707070707070003010203\
                    00000000000000040707070707070707\
                    0000";
    assert_eq!(hex, expected);
    let (sequence, mut rest) = page::read(&page).unwrap();
    assert_eq!(sequence, 0x0102);
    assert_eq!(page::next(&mut rest), Some((key(3), &[1, 2, 3][..])));
    assert_eq!(page::next(&mut rest), Some((key(4), &[][..])));
    assert_eq!((page::next(&mut rest), rest.len()), (None, 0));
    assert_eq!(page::page_key(17), "p17");
    assert_eq!(page::number("p17"), Some(17));
}

// The page before, which has other units in it, would count again.
#[test]
fn what_was_given_back_is_out_of_storage_where_the_page_that_says_so_failed() {
    let mut bench = Bench::new();
    let minute = Some(ms(60_000));
    let item = window(1, 2, HOUR_MS);
    bench.charge_with(0, minute, &[item.clone(), window(2, 2, HOUR_MS)]);
    let id = bench.last();
    bench.wake_until(3_000);
    let before = bench.ledger.store().rows.clone();
    assert!(bench.refund(4_000, id));
    bench.wake_until(10_000);
    // Void, they leave memory.
    for n in 0..2 {
        bench.charge(10_000 + n, &[window(3, 2_000, HOUR_MS)]);
    }
    bench.ledger.store_mut().rows = before;
    bench.ledger.write_failed(Some("p0"), at(10_100));
    assert_eq!(bench.remaining(10_200, &item), 2);
    bench.wake_until(20_000);
    assert_eq!(bench.restart(20_000).remaining(20_000, &item), 2);
}
