//! What holds after any calls.

use super::*;
use proptest::prelude::*;

proptest! {
    /// Several isolates, one object, permits lost and given back: judged by when requests were
    /// really let through.
    #[test]
    fn no_window_ever_holds_more_than_the_quota(
        steps in prop::collection::vec((0_usize..3, 0_u64..900, 0_u8..20), 50..400),
        algorithm in prop::sample::select(vec![Algorithm::SlidingWindow, Algorithm::FixedWindow]),
    ) {
        let mut ledger = Ledger::open(MemoryStore::default(), at(0));
        let mut isolates: [Leases; 3] = Default::default();
        let (mut now_ms, mut admitted) = (0, Vec::new());
        let mut one = applied(1);
        one.item.quota = Quota { algorithm, limit: 20, window: Span::from_secs(10), burst: 20 };
        for (number, (isolate, pause_ms, what)) in (0_u64..).zip(steps) {
            now_ms += if what < 17 { pause_ms / 30 } else { pause_ms };
            let (now, leases) = (at(now_ms), &mut isolates[isolate]);
            if what == 19 {
                *leases = Leases::default();
            }
            if leases.pay(&one.item, now, now).is_some() {
                admitted.push(now_ms);
                continue;
            }
            for question in leases.sweep(now) {
                ledger.handle(&question.call, now);
            }
            let mut item = one.item.clone();
            item.permits = leases.want(&item, now, Span::from_millis(300));
            let id = CallId(number + 1);
            let call = Call::Charge(Charge { id, provisional: None, items: vec![item] });
            let Reply::Now(Answer::Charged(charged)) = ledger.handle(&call, now) else {
                panic!("no answer");
            };
            if charged.admitted {
                admitted.push(now_ms);
                let outcome = &charged.outcomes[0];
                leases.take_up(&one, &Grant { id, item: 0, sent: now, outcome }, now);
            }
        }
        let fixed = algorithm == Algorithm::FixedWindow;
        for first in &admitted {
            let index = |ms: u64| at(ms).as_micros() / 10_000_000;
            let together = admitted.iter().filter(|ms| if fixed {
                index(**ms) == index(*first)
            } else {
                (*first..*first + 10_000).contains(*ms)
            });
            let together = together.count();
            prop_assert!(together <= 20, "{} from {}", together, first);
        }
    }
}
