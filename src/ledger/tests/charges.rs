use super::*;

#[test]
fn five_pass_and_the_sixth_is_told_when() {
    let mut bench = Bench::new();
    for n in 0..5 {
        let charged = bench.charge(n, &[window(1, 5, 10_000)]);
        assert!(charged.admitted);
        assert_eq!(charged.outcomes[0].remaining, 4 - n);
    }
    let refused = bench.charge(5, &[window(1, 5, 10_000)]);
    assert!(!refused.admitted);
    assert_eq!(refused.outcomes[0].retry_after, ms(9_995));
    assert_eq!(refused.outcomes[0].remember, ms(9_995));
    assert!(!bench.charge(9_999, &[window(1, 5, 10_000)]).admitted);
    assert!(bench.charge(10_000, &[window(1, 5, 10_000)]).admitted);
    assert!(!bench.charge(10_000, &[window(1, 5, 10_000)]).admitted);
}

/// Reported against several limiters: a client that keeps retrying was never readmitted, and drained
/// a budget that it shared with others (upstash/ratelimit-js#161, symfony/symfony#65796).
#[track_caller]
fn check_refused_requests_use_up_no_budget(client_first: bool) {
    let mut bench = Bench::new();
    let items = |client: u64| {
        let mut items = vec![window(client, 1, 10_000), window(0, 10, 60_000)];
        if !client_first {
            items.reverse();
        }
        items
    };
    let passed = (0..20)
        .filter(|n| bench.charge(n * 50, &items(1)).admitted)
        .count();
    assert_eq!(passed, 1);
    for second in 1..10 {
        assert!(!bench.charge(second * 1_000, &items(1)).admitted);
    }
    assert!(bench.charge(10_000, &items(1)).admitted);
    for client in 2..10 {
        assert!(bench.charge(10_001, &items(client)).admitted);
    }
    let ninth = bench.charge(10_002, &items(10));
    assert!(!ninth.admitted);
    let conforms: Vec<bool> = ninth
        .outcomes
        .iter()
        .map(|outcome| outcome.conforms)
        .collect();
    assert_eq!(conforms, [client_first, !client_first]);
    assert_eq!(bench.remaining(10_002, &window(10, 1, 10_000)), 1);
}

#[test]
fn refused_requests_use_up_no_budget() {
    check_refused_requests_use_up_no_budget(true);
    check_refused_requests_use_up_no_budget(false);
}

#[test]
fn a_shadow_limit_never_refuses_and_is_charged_only_where_it_fits() {
    let mut bench = Bench::new();
    let shadow = Item {
        enforce: false,
        ..window(2, 1, 1_000)
    };
    let items = [window(1, 2, 1_000), shadow.clone()];
    let charged = bench.charge(0, &items);
    assert!(charged.admitted && charged.outcomes[1].conforms);
    let charged = bench.charge(1, &items);
    assert!(charged.admitted && !charged.outcomes[1].conforms);
    assert_eq!(charged.outcomes[1].retry_after, ms(999));
    // The shadow has forgotten the first by now, the enforced one refuses: neither is charged.
    assert!(bench.charge(999, &items).outcomes[1].remaining == 0);
    assert_eq!(bench.remaining(1_000, &shadow), 1);
}

#[test]
fn a_repeated_call_is_told_what_is_left_of_its_spans() {
    let mut bench = Bench::new();
    let item = Item {
        permits: 4,
        ..window(1, 100, 32_000)
    };
    let call = |id, cost| {
        let items = vec![Item {
            cost,
            ..item.clone()
        }];
        Call::Charge(Charge {
            id: CallId(id),
            provisional: None,
            items,
        })
    };
    let leased = bench.charged(0, &call(1, 1)).outcomes[0];
    assert_eq!((leased.permits, leased.lapse), (4, ms(2_000)));
    let again = bench.charged(300, &call(1, 1)).outcomes[0];
    assert_eq!((again.permits, again.lapse), (4, ms(1_700)));
    bench.charged(300, &call(2, 95));
    let refused = bench.charged(400, &call(3, 1)).outcomes[0];
    let again = bench.charged(900, &call(3, 1)).outcomes[0];
    assert!(!again.conforms && !refused.remember.is_zero());
    assert_eq!(again.retry_after + ms(500), refused.retry_after);
    assert_eq!(again.remember + ms(500), refused.remember);
}

#[test]
fn a_repeated_call_is_answered_again_and_not_carried_out() {
    let mut bench = Bench::new();
    let call = |items: Vec<Item>| {
        Call::Charge(Charge {
            id: CallId(9),
            provisional: None,
            items,
        })
    };
    let once = bench.charged(0, &call(vec![window(1, 5, 10_000)]));
    let again = bench.charged(100, &call(vec![window(1, 5, 10_000)]));
    assert!(once.admitted && again.admitted);
    assert_eq!(once.outcomes[0].remaining, again.outcomes[0].remaining);
    assert_eq!(bench.remaining(100, &window(1, 5, 10_000)), 4);
}

#[test]
fn a_counter_named_twice_in_one_call_is_not_overdrawn() {
    let mut bench = Bench::new();
    let charged = bench.charge(0, &[window(1, 1, 1_000), window(1, 1, 1_000)]);
    assert!(!charged.admitted);
    assert_eq!(bench.remaining(0, &window(1, 1, 1_000)), 1);
    assert!(
        bench
            .charge(0, &[window(1, 2, 1_000), window(1, 2, 1_000)])
            .admitted
    );
}

#[test]
fn too_dear_is_never() {
    let mut bench = Bench::new();
    let dear = Item {
        cost: 6,
        ..window(1, 5, 1_000)
    };
    let outcome = bench.charge(0, &[dear]).outcomes[0];
    assert_eq!((outcome.conforms, outcome.retry_after), (false, Span::MAX));
}

#[test]
fn another_quota_keeps_what_was_counted() {
    let mut bench = Bench::new();
    for _ in 0..5 {
        assert!(bench.charge(0, &[window(1, 5, 3_600_000)]).admitted);
    }
    assert!(!bench.charge(1, &[window(1, 5, 3_600_000)]).admitted);
    assert_eq!(bench.remaining(1, &window(1, 7, 3_600_000)), 2);
    assert!(bench.charge(1, &[window(1, 7, 3_600_000)]).admitted);
    // A shorter window readmits within the new one (tarkovtracker-org/TarkovTracker#528's kin).
    assert!(bench.charge(6_000, &[window(1, 5, 5_000)]).admitted);
}

#[test]
fn time_that_goes_back_mints_nothing() {
    let mut bench = Bench::new();
    let item = [window(1, 5, 10_000)];
    for _ in 0..5 {
        assert!(bench.charge(100_000, &item).admitted);
    }
    let early = bench.charge(95_000, &item);
    assert!(!early.admitted);
    assert_eq!(early.outcomes[0].retry_after, ms(15_000));
    assert!(!bench.charge(101_000, &item).admitted);
    let passed = (0..10)
        .filter(|_| bench.charge(111_000, &item).admitted)
        .count();
    assert_eq!(passed, 5);
    let mut bench = Bench::new();
    let passes = (0..100)
        .filter(|n| bench.charge(1_000 - (n % 2) * 1_000, &item).admitted)
        .count();
    assert_eq!(passes, 5);
}

#[test]
fn a_block_refuses_for_its_time_and_escalates() {
    let mut bench = Bench::new();
    let item = [Item {
        block: vec![ms(60_000), ms(600_000)],
        ..window(1, 1, 1_000)
    }];
    assert!(bench.charge(0, &item).admitted);
    let refused = bench.charge(100, &item).outcomes[0];
    assert!(refused.blocked);
    assert_eq!(
        (refused.retry_after, refused.remember),
        (ms(60_000), ms(10_000))
    );
    // Refused inside the block: no new violation.
    assert_eq!(bench.charge(60_000, &item).outcomes[0].retry_after, ms(100));
    assert!(bench.charge(60_100, &item).admitted);
    assert_eq!(
        bench.charge(60_200, &item).outcomes[0].retry_after,
        ms(600_000)
    );
    assert_eq!(
        bench.call(
            60_300,
            &Call::Forget {
                keys: vec![key(1), key(2)]
            }
        ),
        Answer::Forgotten(1)
    );
    assert!(bench.charge(60_300, &item).admitted);
}

#[test]
fn values_that_count_already_pass() {
    let mut bench = Bench::new();
    let probe = |value| {
        [Item {
            value: Some(value),
            ..item(1, quota(Algorithm::Distinct, 2, 60_000))
        }]
    };
    assert!(bench.charge(0, &probe(1)).admitted);
    assert!(bench.charge_with(1, Some(ms(600)), &probe(2)).admitted);
    assert!(!bench.charge(2, &probe(3)).admitted);
    assert!(bench.charge(3, &probe(1)).admitted);
    assert!(bench.charge(4, &probe(2)).admitted);
    assert!(!bench.charge(59_999, &probe(3)).admitted);
}

#[test]
fn debt_is_paid_off_before_the_next_is_admitted() {
    let mut bench = Bench::new();
    let bytes = [Item {
        cost: 0,
        reserve: Some(ms(30_000)),
        ..bucket(1, 1_000, 1_000)
    }];
    assert!(bench.charge(0, &bytes).admitted);
    let id = bench.last();
    assert!(bench.settle(100, id, &[(0, 3_000)]));
    let refused = bench.charge(100, &bytes).outcomes[0];
    assert!(!refused.conforms);
    assert_eq!(refused.retry_after, ms(2_001));
    assert!(!bench.charge(2_100, &bytes).admitted);
    assert!(bench.charge(2_101, &bytes).admitted);
}
