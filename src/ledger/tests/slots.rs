use super::*;
use crate::wire::{Acquire, Acquired, Slot};

fn acquire(id: u64, running: u32) -> Call {
    let slot = Slot {
        key: key(1),
        running,
        waiting: 1,
        max_wait: ms(2_000),
        fair: None,
        enforce: true,
    };
    Call::Acquire(Acquire {
        id: CallId(id),
        items: vec![slot],
        lease: ms(10_000),
    })
}

fn granted(waited_ms: u64) -> Answer {
    Answer::Acquired(Acquired::Granted {
        waited: ms(waited_ms),
    })
}

#[test]
fn a_waiter_is_answered_later() {
    let mut bench = Bench::new();
    assert_eq!(bench.call(0, &acquire(1, 1)), granted(0));
    assert_eq!(
        bench.ledger.handle(&acquire(2, 1), at(0)),
        Reply::Later(CallId(2))
    );
    assert_eq!(
        bench.call(0, &acquire(3, 1)),
        Answer::Acquired(Acquired::Full { item: 0 })
    );
    assert_eq!(bench.ledger.next_wake(), Some(at(2_000)));
    assert_eq!(
        bench.call(500, &Call::Release { id: CallId(1) }),
        Answer::Done(true)
    );
    assert_eq!(bench.ledger.drain_resolved(), [(CallId(2), granted(500))]);
    assert_eq!(
        bench.ledger.handle(&acquire(4, 1), at(500)),
        Reply::Later(CallId(4))
    );
    bench.ledger.wake(at(2_500));
    let timed_out = Answer::Acquired(Acquired::TimedOut { item: 0 });
    assert_eq!(bench.ledger.drain_resolved(), [(CallId(4), timed_out)]);
    let Answer::Stats(stats) = bench.call(2_500, &Call::Stats) else {
        panic!()
    };
    assert_eq!(
        (stats.running, stats.waiting, stats.slots),
        (1, 0, vec![(key(1), 1, 0)])
    );
}

#[test]
fn a_slot_held_for_long_survives_a_crash_and_costs_nothing_in_the_end() {
    let mut bench = Bench::new();
    bench.call(0, &acquire(1, 1));
    bench.wake_until(4_000);
    assert_eq!(bench.rows(), 1);
    assert_eq!(bench.ledger.take_alarm(), Some(at(11_000)));
    let mut again = bench.restart(5_000);
    assert_eq!(
        again.ledger.handle(&acquire(2, 1), at(5_000)),
        Reply::Later(CallId(2))
    );
    assert_eq!(
        again.call(5_000, &Call::Renew { id: CallId(1) }),
        Answer::Done(true)
    );
    assert_eq!(
        again.call(6_000, &Call::Release { id: CallId(1) }),
        Answer::Done(true)
    );
    assert_eq!(
        again.call(6_001, &Call::Release { id: CallId(2) }),
        Answer::Done(true)
    );
    again.wake_until(11_000);
    again.ledger.alarm(at(11_000));
    assert_eq!((again.rows(), again.ledger.store().wipes), (0, 1));
    assert_eq!(again.ledger.next_wake(), None);
}

#[test]
fn slots_of_ordinary_requests_cost_no_row() {
    let mut bench = Bench::new();
    for n in 0..100 {
        bench.call(n * 100, &acquire(n, 5));
        bench.wake_until(n * 100 + 50);
        bench.call(n * 100 + 50, &Call::Release { id: CallId(n) });
    }
    bench.wake_until(60_000);
    assert_eq!((bench.rows(), bench.ledger.next_wake()), (0, None));
}
