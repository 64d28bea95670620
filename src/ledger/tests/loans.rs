use super::*;

const PROVISIONAL: Option<Span> = Some(Span::from_millis(600));

#[test]
fn silence_and_wait_agree_for_every_algorithm() {
    for algorithm in [
        Algorithm::TokenBucket,
        Algorithm::SlidingWindow,
        Algorithm::SlidingCounter,
        Algorithm::FixedWindow,
        Algorithm::Distinct,
    ] {
        let one = |value| Item {
            value: (algorithm == Algorithm::Distinct).then_some(value),
            ..item(1, quota(algorithm, 2, 10_000))
        };
        let mut provisional = Bench::new();
        let mut at_once = Bench::new();
        for n in 0..2 {
            provisional.charge_with(n * 40, PROVISIONAL, &[one(n)]);
            at_once.charge(n * 40, &[one(n)]);
        }
        for now_ms in [80, 630, 700, 5_000, 9_999, 10_020, 10_039] {
            let told = provisional.peek(now_ms, &one(9));
            let want = at_once.peek(now_ms, &one(9));
            assert_eq!(
                (told.conforms, told.retry_after, told.reset),
                (want.conforms, want.retry_after, want.reset),
                "{algorithm:?} at {now_ms}"
            );
        }
    }
}

#[test]
fn a_bucket_refills_while_charges_are_provisional() {
    let mut bench = Bench::new();
    let item = bucket(1, 1, 100);
    let passed = (0..10)
        .filter(|n| {
            let items = std::slice::from_ref(&item);
            bench.charge_with(n * 100, PROVISIONAL, items).admitted
        })
        .count();
    assert_eq!(passed, 10);
}

#[test]
fn a_charge_that_stands_is_given_back_once_where_its_answer_was_lost() {
    for item in [window(1, 1, 10_000), bucket(1, 1, 10_000)] {
        let mut bench = Bench::new();
        assert!(bench.charge(0, std::slice::from_ref(&item)).admitted);
        let id = bench.last();
        // Meanwhile it counts like any other, and a refusal is no provisional one.
        let refused = bench.peek(0, &item);
        assert!(!refused.provisional && refused.remember == ms(10_000));
        assert!(bench.refund(0, id));
        assert!(bench.charge(0, std::slice::from_ref(&item)).admitted);
        assert!(bench.refund(0, id), "twice is once");
        assert!(!bench.charge(0, std::slice::from_ref(&item)).admitted);
    }
}

#[test]
fn a_promise_that_outlives_an_idle_object_keeps_it_in_memory() {
    let mut bench = Bench::new();
    let item = window(1, 5, 3_600_000);
    bench.charge_with(0, PROVISIONAL, std::slice::from_ref(&item));
    let flush = bench.ledger.next_wake();
    assert_eq!(flush, Some(at(5_000)), "the row alone");
    bench.wake_until(5_000);
    assert_eq!(bench.ledger.next_wake(), None);
    // A body may take a minute.
    bench.charge_with(6_000, Some(ms(60_600)), std::slice::from_ref(&item));
    let id = bench.last();
    bench.wake_until(30_000);
    assert_eq!(bench.ledger.next_wake(), Some(at(66_600)));
    assert!(bench.refund(40_000, id));
    assert_eq!(bench.remaining(40_000, &item), 4);
    bench.charge_with(41_000, PROVISIONAL, std::slice::from_ref(&item));
    let id = bench.last();
    bench.call(
        41_100,
        &Call::Confirm {
            id,
            after: ms(30_600),
        },
    );
    bench.wake_until(60_000);
    assert_eq!(bench.ledger.next_wake(), Some(at(71_700)));
}

#[test]
fn what_waited_is_stored_from_when_it_went_on() {
    for durable in [false, true] {
        let mut bench = Bench::new();
        let item = Item {
            durable,
            ..window(1, 1, 20_000)
        };
        bench.charge_with(0, PROVISIONAL, std::slice::from_ref(&item));
        let id = bench.last();
        let confirm = |after| Call::Confirm { id, after };
        bench.call(100, &confirm(ms(5_000)));
        bench.wake_until(2_500);
        bench.call(3_000, &confirm(Span::ZERO));
        if !durable {
            bench.wake_until(6_000);
        }
        let mut bench = bench.restart(15_000);
        assert!(!bench.peek(22_999, &item).conforms, "{durable}");
        assert!(bench.peek(23_000, &item).conforms, "{durable}");
    }
}

// By the time that the failure is told, the counter is as new and has left memory.
#[test]
fn a_row_that_says_what_was_given_back_is_deleted_where_rewriting_it_failed() {
    let exact = Item {
        durable: true,
        ..window(1, 2, 60_000)
    };
    let mut bench = Bench::new();
    bench.charge(0, std::slice::from_ref(&exact));
    let (row, before) = bench.ledger.store().rows.first_key_value().unwrap();
    let (row, before) = (row.clone(), before.clone());
    let id = bench.last();
    bench.refund(10, id);
    bench.wake_until(2_010);
    bench.ledger.wake(at(2_020));
    assert_eq!(bench.ledger.counters(), 0, "swept");
    bench.ledger.store_mut().rows.insert(row.clone(), before);
    bench.ledger.write_failed(Some(&row), at(2_030));
    assert_eq!(bench.remaining(2_030, &exact), 2);
    assert_eq!(bench.restart(12_000).remaining(12_000, &exact), 2);
}

// As many units as before are in the row, but of another moment.
#[test]
fn what_is_given_back_out_of_a_row_does_not_stand_for_what_was_charged_since() {
    let item = window(1, 2, 60_000);
    let mut bench = Bench::new();
    bench.charge_with(0, Some(Span::from_secs(60)), std::slice::from_ref(&item));
    let id = bench.last();
    bench.wake_until(2_100);
    assert_eq!(bench.rows(), 1);
    bench.charge(30_000, std::slice::from_ref(&item));
    bench.refund(31_000, id);
    bench.wake_until(33_500);
    let mut found = bench.restart(45_000);
    assert_eq!(found.remaining(45_000, &item), 1);
    assert_eq!(found.remaining(89_900, &item), 1, "charged at 30 s");
    assert_eq!(found.remaining(90_000, &item), 2);
}
