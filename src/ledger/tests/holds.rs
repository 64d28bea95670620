use super::*;

const PROVISIONAL: Option<Span> = Some(Span::from_millis(600));

#[test]
fn a_refund_gives_everything_back() {
    let mut bench = Bench::new();
    let items = [window(1, 1, 10_000), bucket(2, 1, 10_000)];
    assert!(bench.charge_with(0, PROVISIONAL, &items).admitted);
    let id = bench.last();
    let refused = bench.charge(1, &items);
    for outcome in &refused.outcomes {
        assert!(
            outcome.provisional && outcome.remember.is_zero(),
            "{outcome:?}"
        );
    }
    assert!(bench.refund(2, id));
    assert_eq!(bench.remaining(2, &items[0]), 1);
    assert_eq!(bench.remaining(2, &items[1]), 1);
    // Twice is once.
    assert!(bench.refund(3, id));
    assert!(bench.charge(3, &items).admitted);
    assert!(!bench.charge(3, &items).admitted);
}

#[test]
fn silence_confirms() {
    let mut bench = Bench::new();
    let item = window(1, 1, 10_000);
    assert!(
        bench
            .charge_with(0, PROVISIONAL, std::slice::from_ref(&item))
            .admitted
    );
    // Counted from when it was made.
    let outcome = bench.peek(600, &item);
    assert_eq!(
        (outcome.retry_after, outcome.provisional),
        (ms(9_400), false)
    );
    assert!(bench.peek(10_000, &item).conforms);
}

// Under load a refund takes longer than silence is waited for.
#[test]
fn a_refund_that_comes_after_silence_still_gives_back() {
    let items = [window(1, 1, 10_000), bucket(2, 1, 10_000)];
    let mut bench = Bench::new();
    bench.charge_with(0, PROVISIONAL, &items);
    let id = bench.last();
    assert!(!bench.peek(700, &items[0]).provisional);
    assert!(bench.refund(700, id));
    assert!(bench.refund(800, id), "twice is once");
    assert_eq!(bench.remaining(800, &items[0]), 1);
    // What a bucket has refilled since is not given back.
    assert_eq!(bench.peek(800, &items[1]).retry_after, ms(0));
    bench.charge_with(20_000, PROVISIONAL, &items);
    let id = bench.last();
    bench.refund(25_000, id);
    assert_eq!(bench.remaining(25_000, &items[0]), 0, "it is forgotten");
}

#[test]
fn a_confirmed_charge_stands_and_cannot_be_refunded() {
    let mut bench = Bench::new();
    let item = window(1, 1, 10_000);
    bench.charge_with(0, PROVISIONAL, std::slice::from_ref(&item));
    let id = bench.last();
    let confirm = Call::Confirm {
        id,
        after: Span::ZERO,
    };
    assert_eq!(bench.call(100, &confirm), Answer::Done(true));
    bench.refund(101, id);
    let outcome = bench.peek(101, &item);
    assert_eq!(
        (outcome.retry_after, outcome.provisional),
        (ms(9_899), false)
    );
    assert_eq!(bench.call(102, &confirm), Answer::Done(false));
}

#[test]
fn a_charge_waits_longer_for_its_refund_where_it_is_told_to() {
    let mut bench = Bench::new();
    let item = window(1, 1, 10_000);
    bench.charge_with(0, PROVISIONAL, std::slice::from_ref(&item));
    let id = bench.last();
    let longer = Call::Confirm {
        id,
        after: ms(5_000),
    };
    assert_eq!(bench.call(500, &longer), Answer::Done(true));
    assert!(bench.peek(5_000, &item).provisional);
    assert!(bench.refund(5_000, id));
    assert_eq!(bench.remaining(5_000, &item), 1);

    bench.charge_with(6_000, PROVISIONAL, std::slice::from_ref(&item));
    let id = bench.last();
    let longer = Call::Confirm {
        id,
        after: ms(2_000),
    };
    bench.call(6_500, &longer);
    // Silence still confirms it, as of the latest moment at which the request may have gone on.
    assert_eq!(bench.peek(8_500, &item).retry_after, ms(10_000));
}

#[test]
fn a_confirmed_reservation_still_waits_to_be_settled() {
    let mut bench = Bench::new();
    let item = Item {
        reserve: Some(ms(60_000)),
        cost: 5,
        ..bucket(1, 10, 3_600_000)
    };
    bench.charge_with(0, PROVISIONAL, std::slice::from_ref(&item));
    let id = bench.last();
    let confirm = Call::Confirm {
        id,
        after: Span::ZERO,
    };
    assert_eq!(bench.call(100, &confirm), Answer::Done(true));
    let spent = vec![(0, 2)];
    bench.call(200, &Call::Settle { id, spent });
    assert_eq!(bench.remaining(200, &item), 8);
}

#[test]
fn a_refund_that_overtakes_its_charge_still_holds() {
    let mut bench = Bench::new();
    let charge = Charge {
        id: CallId(5),
        provisional: PROVISIONAL,
        items: vec![window(1, 1, 10_000)],
    };
    assert!(!bench.refund(0, CallId(5)));
    bench.charged(1, &Call::Charge(charge));
    assert_eq!(bench.remaining(1, &window(1, 1, 10_000)), 1);
}

#[test]
fn a_wait_is_the_same_while_charges_are_provisional() {
    let mut bench = Bench::new();
    let item = window(1, 2, 10_000);
    bench.charge(0, std::slice::from_ref(&item));
    bench.charge_with(100, PROVISIONAL, std::slice::from_ref(&item));
    // The first leaves the window at 10 s, the other at 10.1 s.
    let outcome = bench.peek(200, &item);
    assert_eq!(
        (outcome.retry_after, outcome.provisional),
        (ms(9_800), true)
    );
    let two = bench.peek(
        200,
        &Item {
            cost: 2,
            ..item.clone()
        },
    );
    assert_eq!(two.retry_after, ms(9_900));
    assert_eq!((two.provisional, two.remember), (false, ms(9_800)));
}

#[test]
fn a_reservation_is_settled_to_what_it_really_cost() {
    let mut bench = Bench::new();
    let item = Item {
        cost: 100,
        reserve: Some(ms(30_000)),
        ..window(1, 150, 60_000)
    };
    assert!(
        bench
            .charge_with(0, PROVISIONAL, std::slice::from_ref(&item))
            .admitted
    );
    let id = bench.last();
    // Held beyond the provisional time, because the true figure is still to come.
    assert_eq!(bench.ledger.next_wake(), Some(at(2_000)));
    assert!(!bench.peek(1_000, &item).provisional);
    assert!(bench.settle(20_000, id, &[(0, 30)]));
    assert_eq!(bench.remaining(20_000, &item), 120);
    assert!(!bench.settle(20_001, id, &[(0, 30)]));
    assert!(bench.charge(20_001, std::slice::from_ref(&item)).admitted);
    assert_eq!(bench.remaining(50_001, &item), 20);
}
