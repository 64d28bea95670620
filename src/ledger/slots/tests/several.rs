//! Calls that need slots of several keys.

use super::*;

const TENANT: u8 = 1;
const OTHER: u8 = 2;
const GLOBAL: u8 = 9;

#[test]
fn all_or_none_and_the_item_in_the_way_is_named() {
    let mut desk = Desk::default();
    let tenant = slot(TENANT, 2, 1, 60_000);
    let global = slot(GLOBAL, 1, 0, 60_000);
    desk.acquire(0, &call(1, &[slot(OTHER, 2, 1, 60_000), global.clone()]));
    let refused = Step::Now(Acquired::Full { item: 1 });
    assert_eq!(
        desk.acquire(0, &call(2, &[tenant.clone(), global])),
        refused
    );
    assert_eq!(
        desk.slots.stats().collect::<Vec<_>>(),
        [(key(OTHER), 1, 0), (key(GLOBAL), 1, 0)]
    );
    assert_eq!(
        desk.acquire(0, &call(3, &[tenant.clone(), tenant])),
        Step::Now(granted(0))
    );
    assert_eq!(
        desk.slots.stats().next(),
        Some((key(TENANT), 1, 0)),
        "named twice, needed once"
    );
}

#[test]
fn the_shortest_wait_bounds_and_is_named() {
    let mut desk = Desk::default();
    let items = [slot(TENANT, 1, 1, 900), slot(GLOBAL, 1, 1, 300)];
    desk.acquire(0, &call(1, &items));
    desk.acquire(0, &call(2, &items));
    assert_eq!(
        desk.slots.stats().collect::<Vec<_>>(),
        [(key(TENANT), 1, 1), (key(GLOBAL), 1, 1)]
    );
    desk.pass(300);
    assert_eq!(desk.log[1..], [(300, 2, Acquired::TimedOut { item: 1 })]);
}

/// Two run per tenant, three in all. One tenant's waiters are in nobody else's way, though they are
/// first in the shared line.
#[test]
fn a_full_tenant_holds_up_no_other() {
    let mut desk = Desk::default();
    let ask = |id, tenant| {
        call(
            id,
            &[slot(tenant, 2, 9, 60_000), slot(GLOBAL, 3, 9, 60_000)],
        )
    };
    for id in [1, 2] {
        desk.acquire(0, &ask(id, TENANT));
    }
    desk.acquire(0, &ask(3, OTHER));
    for id in [4, 5] {
        desk.acquire(0, &ask(id, TENANT));
    }
    desk.acquire(0, &ask(6, OTHER));
    desk.check_counts(3, 3);
    desk.log.clear();
    desk.release(1, 3);
    desk.check_log(&[(1, 6, granted(1))]);
    desk.release(2, 1);
    desk.release(3, 2);
    desk.check_log(&[(2, 4, granted(2)), (3, 5, granted(3))]);
    for id in [4, 5, 6] {
        desk.release(4, id);
    }
    desk.check_counts(0, 0);
}

/// Its two keys are never free at the same moment, since each has a crowd of its own: still it is
/// served, after one release of each from the time its turn came in vain.
#[test]
fn nobody_is_overtaken_for_ever() {
    let mut desk = Desk::default();
    let one = |id, n| call(id, &[slot(n, 1, 1_000, 600_000)]);
    let both = call(1, &[slot(1, 1, 1_000, 600_000), slot(2, 1, 1_000, 600_000)]);
    desk.acquire(0, &one(100, 1));
    desk.acquire(0, &one(200, 2));
    desk.acquire(0, &both);
    let (mut first, mut second) = (100, 200);
    let mut rounds = 0;
    while !desk.log.iter().any(|(_, id, _)| *id == 1) {
        rounds += 1;
        assert!(rounds < 4, "overtaken");
        desk.acquire(rounds, &one(first + 1, 1));
        desk.acquire(rounds, &one(second + 1, 2));
        first += u64::from(desk.release(rounds, first));
        second += u64::from(desk.release(rounds, second));
    }
    assert_eq!(desk.slots.running(), 1);
    desk.release(10, 1);
    desk.check_counts(2, 0);
}

/// The claim of the eldest is on one slot of a key, not on the key.
#[test]
fn a_claim_keeps_one_slot_and_ends_with_its_waiter() {
    let mut desk = Desk::default();
    let one = |id, n| call(id, &[slot(n, 2, 9, 60_000)]);
    let both = |id| call(id, &[slot(1, 2, 9, 60_000), slot(2, 2, 9, 60_000)]);
    for (id, n) in [(11, 1), (12, 1), (21, 2), (22, 2)] {
        desk.acquire(0, &one(id, n));
    }
    desk.acquire(0, &both(1));
    desk.log.clear();
    desk.release(1, 11);
    assert_eq!(
        desk.acquire(2, &one(13, 1)),
        Step::Waiting,
        "kept for the eldest"
    );
    desk.release(3, 12);
    desk.check_log(&[(3, 13, granted(1))]);
    assert_eq!(desk.acquire(4, &one(14, 1)), Step::Waiting);
    // Whether it leaves or runs, the claim is gone.
    desk.release(5, 1);
    desk.check_log(&[(5, 1, Acquired::Gone), (5, 14, granted(1))]);
}

#[test]
fn a_key_is_remembered_as_long_as_somebody_will_need_it() {
    let mut desk = Desk::default();
    let both = |id| call(id, &[slot(1, 1, 9, 60_000), slot(2, 1, 9, 60_000)]);
    desk.acquire(0, &call(10, &[slot(1, 1, 9, 60_000)]));
    desk.acquire(0, &call(20, &[slot(2, 1, 9, 60_000)]));
    desk.acquire(0, &both(1));
    desk.release(1, 20);
    desk.release(2, 10);
    desk.check_counts(1, 0);
    desk.release(3, 1);
    desk.check_counts(0, 0);
}

/// An older call that has its turn in vain is the eldest from then on: what was kept for the former
/// one goes to whoever waits for it, at once.
#[test]
fn the_claim_passes_to_an_older_call() {
    let mut desk = Desk::default();
    let ask = |id, keys: &[u8]| {
        let items: Vec<Slot> = keys.iter().map(|n| slot(*n, 1, 9, 60_000)).collect();
        call(id, &items)
    };
    for n in 1..=4 {
        desk.acquire(0, &ask(10 + u64::from(n), &[n]));
    }
    desk.acquire(0, &ask(1, &[3, 4]));
    desk.acquire(0, &ask(2, &[1, 2]));
    desk.acquire(0, &ask(3, &[1]));
    desk.log.clear();
    desk.release(1, 11);
    desk.check_log(&[]);
    desk.release(2, 13);
    desk.check_log(&[(2, 3, granted(2))]);
    desk.release(3, 14);
    desk.check_log(&[(3, 1, granted(3))]);
}
