//! What holds after any calls.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn never_more_than_the_quota(steps in prop::collection::vec(step(), 1..60)) {
        play(&steps).check_promises();
    }

    #[test]
    fn a_refusal_is_right_to_the_microsecond(
        steps in prop::collection::vec(step(), 1..40), cost in 1_u64..8,
    ) {
        let world = play(&steps);
        for key in 0..KEYS {
            let ask = Item { cost, ..item_of(key) };
            let outcome = world.bench.clone().peek(world.now_ms, &ask);
            if outcome.conforms {
                continue;
            }
            let conforms_after = |wait: Span| {
                let call = Call::Peek(Charge { id: CallId(0), provisional: None, items: vec![ask.clone()] });
                match world.bench.clone().ledger.handle(&call, at(world.now_ms) + wait) {
                    Reply::Now(Answer::Charged(charged)) => charged.admitted,
                    other => panic!("{other:?}"),
                }
            };
            prop_assert!(!conforms_after(outcome.retry_after - Span::from_micros(1)));
            prop_assert!(conforms_after(outcome.retry_after));
        }
    }

    #[test]
    fn what_may_be_remembered_stays_true_whatever_comes_back(
        steps in prop::collection::vec(step(), 1..40), cost in 1_u64..8,
    ) {
        let world = play(&steps);
        for key in 0..KEYS {
            let ask = Item { cost, ..item_of(key) };
            let mut bench = world.bench.clone();
            let outcome = bench.peek(world.now_ms, &ask);
            // Silence has confirmed it, and yet its refund may come.
            let may_come_late = world.log.iter().any(|used| {
                let confirmed = used.until_ms <= world.now_ms && world.now_ms < used.refund_ms;
                used.key == key && used.provisional && confirmed
            });
            prop_assert!(outcome.remember <= ms(10_000) && outcome.remember <= outcome.retry_after);
            for (_, call, _) in &world.calls {
                let Call::Charge(charge) = call else { continue };
                if charge.provisional.is_some() {
                    bench.refund(world.now_ms, charge.id);
                } else {
                    let nothing: Vec<(u32, u64)> = (0..charge.items.len() as u32).map(|item| (item, 0)).collect();
                    bench.settle(world.now_ms, charge.id, &nothing);
                }
            }
            let all_back = bench.peek(world.now_ms, &ask);
            if all_back.conforms {
                // Only promises stood in the way: remembered briefly if at all.
                prop_assert!(outcome.remember <= ms(1_000));
            } else if may_come_late {
                // What has left its window since has nothing to give back.
                let came_back = (all_back.remaining, all_back.retry_after) != (outcome.remaining, outcome.retry_after);
                prop_assert!(outcome.remember <= ms(1_000) || !came_back);
            } else {
                let certain = all_back.retry_after.min(ms(10_000));
                // Of a bucket more may come back than does; and where what is provisional is the oldest
                // in a window, the refusal is remembered until that would leave.
                let lent = world.calls.iter().any(|(_, call, _)| {
                    matches!(call, Call::Charge(charge) if charge.provisional.is_some())
                });
                let exact = ask.quota.algorithm != Algorithm::TokenBucket && !lent;
                prop_assert!(outcome.remember <= certain);
                prop_assert!(!exact || outcome.remember == certain);
                prop_assert!(!outcome.provisional);
            }
        }
    }

    #[test]
    fn in_the_end_nothing_is_left(steps in prop::collection::vec(step(), 1..40)) {
        let mut world = play(&steps);
        world.now_ms += 60_000;
        world.bench.wake_until(world.now_ms);
        for key in 0..KEYS {
            let item = item_of(key);
            prop_assert_eq!(world.bench.remaining(world.now_ms, &item), item.quota.burst);
        }
        for _ in 0..KEYS {
            world.bench.ledger.wake(at(world.now_ms));
        }
        let Answer::Stats(stats) = world.bench.call(world.now_ms, &Call::Stats) else { panic!() };
        prop_assert_eq!(stats.counters, 0);
        if let Some(alarm) = world.bench.ledger.take_alarm() {
            world.bench.ledger.alarm(alarm.max(at(world.now_ms)));
        }
        prop_assert_eq!(world.bench.rows(), 0);
        prop_assert_eq!(world.bench.ledger.next_wake(), None);
    }
}

/// A quota whose loss would matter, spent in bursts between pauses in which the object leaves memory.
fn lasting() -> impl Strategy<Value = Item> {
    let algorithm = prop::sample::select(vec![
        Algorithm::TokenBucket,
        Algorithm::SlidingWindow,
        Algorithm::SlidingCounter,
        Algorithm::FixedWindow,
    ]);
    (algorithm, 1_u64..200, 1_000_u64..600_000)
        .prop_map(|(algorithm, limit, window_ms)| item(1, quota(algorithm, limit, window_ms)))
}

proptest! {
    /// Going idle: whatever is due has been done, and ten seconds later the object is gone.
    #[test]
    fn leaving_memory_forgives_no_more_than_is_stated(
        item in lasting(), bursts in prop::collection::vec((0_u64..30, 1_u64..4, 0_u64..5_000), 1..8),
    ) {
        let mut bench = Bench::new();
        let mut now_ms = 0;
        for (count, cost, pause_ms) in bursts {
            for _ in 0..count {
                bench.charge(now_ms, &[Item { cost, ..item.clone() }]);
            }
            now_ms += pause_ms;
            bench.wake_until(now_ms);
        }
        let idle_from_ms = now_ms + 5_000;
        bench.wake_until(idle_from_ms);
        prop_assert_eq!(bench.ledger.next_wake(), None);
        let gone_ms = idle_from_ms + 10_000;
        let known = bench.clone().remaining(gone_ms, &item);
        let found = bench.restart(gone_ms).remaining(gone_ms, &item);
        prop_assert!(found >= known);
        let forgiven = found - known;
        let per_ten_seconds = item.quota.limit * 10_000 / item.quota.window.as_millis_ceil();
        prop_assert!(forgiven <= item.quota.limit / 20 && forgiven <= per_ten_seconds, "{}", forgiven);
    }

    /// A crash forgives what came in the last flush interval, and what needs no row: 2 s, or 30 s and
    /// then no more than half of the quota and what has come back meanwhile.
    #[test]
    fn a_crash_forgives_no_more_than_is_stated(
        item in lasting(), gaps_ms in prop::collection::vec(0_u64..900, 1..60),
    ) {
        let mut bench = Bench::new();
        let mut now_ms = 0;
        let mut admitted = vec![];
        for gap_ms in gaps_ms {
            now_ms += gap_ms;
            bench.wake_until(now_ms);
            if bench.charge(now_ms, std::slice::from_ref(&item)).admitted {
                admitted.push(now_ms);
            }
        }
        let within = |span_ms| admitted.iter().filter(|at_ms| **at_ms + span_ms >= now_ms).count() as u64;
        let come_back = item.quota.limit * 30_000 / item.quota.window.as_millis_ceil();
        let windows = match item.quota.algorithm {
            Algorithm::FixedWindow | Algorithm::SlidingCounter => 2,
            _ => 1,
        };
        let lately = within(2_000) + within(30_000).min(item.quota.limit.div_ceil(2) * windows + come_back);
        let known = bench.clone().remaining(now_ms, &item);
        let found = bench.restart(now_ms).remaining(now_ms, &item);
        prop_assert!(found >= known);
        // What is over before the object could leave memory is not stored.
        prop_assume!(bench.clone().remaining(now_ms + 10_000, &item) < item.quota.limit);
        let per_ten_seconds = item.quota.limit * 10_000 / item.quota.window.as_millis_ceil();
        let stated = lately + (item.quota.limit / 20).max(2) + per_ten_seconds;
        prop_assert!(found - known <= stated, "{} forgiven, {} stated", found - known, stated);
    }
}
