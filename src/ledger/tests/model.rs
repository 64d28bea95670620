//! Random calls, against a plain log of what was admitted.
//!
//! The log knows nothing of algorithms. It writes down when each unit could have been used, and the
//! promise of a window is checked on it: a unit that is leased or not yet settled may be used at any
//! moment until it is settled, so both the first and the last of these moments have to fit.

use super::*;
use proptest::prelude::*;
use quota::check_quota;

mod properties;
mod quota;

const KEYS: u64 = 3;

#[derive(Clone, Debug)]
enum Step {
    Charge {
        keys: Vec<u64>,
        cost: u64,
        provisional: bool,
        permits: u64,
        reserve: bool,
    },
    Refund(usize),
    Settle(usize, u64),
    Repeat(usize),
    Pass(u64),
    Wake,
}

fn step() -> impl Strategy<Value = Step> {
    let keys = prop::collection::vec(0..KEYS, 1..3);
    let charge = (
        keys,
        0_u64..4,
        any::<bool>(),
        0_u64..6,
        prop::bool::weighted(0.2),
    );
    prop_oneof![
        6 => charge.prop_map(|(keys, cost, provisional, permits, reserve)| Step::Charge {
            keys, cost, provisional, permits, reserve,
        }),
        2 => (0_usize..8).prop_map(Step::Refund),
        2 => (0_usize..8, 0_u64..4).prop_map(|(back, spent)| Step::Settle(back, spent)),
        1 => (0_usize..8).prop_map(Step::Repeat),
        3 => (0_u64..1_500).prop_map(Step::Pass),
        1 => Just(Step::Wake),
    ]
}

/// Each key has a way of counting of its own.
fn item_of(number: u64) -> Item {
    match number {
        0 => window(0, 12, 3_000),
        1 => Item {
            quota: Quota {
                burst: 20,
                ..quota(Algorithm::TokenBucket, 10, 2_000)
            },
            ..bucket(1, 1, 1)
        },
        _ => item(2, quota(Algorithm::FixedWindow, 15, 4_000)),
    }
}

/// Units of one promise or one charge, as the log knows them.
#[derive(Clone, Debug)]
struct Used {
    call: CallId,
    item: u32,
    key: u64,
    units: u64,
    from_ms: u64,
    /// The last moment at which they could be used.
    to_ms: u64,
    /// Until when they are promised.
    until_ms: u64,
    /// A refund that comes later comes to nothing.
    refund_ms: u64,
    lease: bool,
    settles: bool,
    provisional: bool,
    /// Its item asked for permits as well.
    permits: bool,
}

#[derive(Clone)]
struct World {
    bench: Bench,
    now_ms: u64,
    /// When, what, and the answer.
    calls: Vec<(u64, Call, Charged)>,
    log: Vec<Used>,
}

impl World {
    fn new() -> World {
        World {
            bench: Bench::new(),
            now_ms: 0,
            calls: vec![],
            log: vec![],
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Charge {
                keys,
                cost,
                provisional,
                permits,
                reserve,
            } => {
                let items = keys.iter().map(|key| Item {
                    cost: *cost,
                    permits: *permits,
                    reserve: reserve.then_some(ms(2_500)),
                    ..item_of(*key)
                });
                self.charge(keys, items.collect(), provisional.then_some(ms(600)));
            }
            Step::Refund(back) => {
                let Some(id) = self.id(*back) else { return };
                self.bench.refund(self.now_ms, id);
                let now_ms = self.now_ms;
                self.log
                    .retain(|used| used.call != id || used.refund_ms <= now_ms);
            }
            Step::Settle(back, spent) => {
                let Some(id) = self.id(*back) else { return };
                self.settle(id, *spent);
            }
            Step::Repeat(back) => {
                let Some((when_ms, call, answer)) = self.nth(*back) else {
                    return;
                };
                // An answer is remembered for some seconds only.
                if self.now_ms >= when_ms + 5_000 {
                    return;
                }
                let before = self.seen();
                let again = self.bench.charged(self.now_ms, &call);
                let told = |charged: &Charged| -> Vec<_> {
                    let outcomes = charged.outcomes.iter();
                    let told = outcomes.map(|outcome| (outcome.conforms, outcome.permits));
                    told.collect()
                };
                assert_eq!(
                    told(&again),
                    told(&answer),
                    "a repeated call is answered again"
                );
                assert_eq!(self.seen(), before, "and not carried out again");
            }
            Step::Pass(pass_ms) => self.now_ms += pass_ms,
            Step::Wake => self.bench.wake_until(self.now_ms),
        }
    }

    fn charge(&mut self, keys: &[u64], items: Vec<Item>, provisional: Option<Span>) {
        let before = self.seen();
        let charged = self.bench.charge_with(self.now_ms, provisional, &items);
        let id = self.bench.last();
        let call = Call::Charge(Charge {
            id,
            provisional,
            items: items.clone(),
        });
        self.calls.push((
            self.now_ms,
            call,
            Charged {
                rows: 0,
                faults: 0,
                ..charged.clone()
            },
        ));
        assert_eq!(
            charged.admitted,
            charged.outcomes.iter().all(|outcome| outcome.conforms)
        );
        if !charged.admitted {
            assert_eq!(self.seen(), before, "a refusal consumes nothing");
            return;
        }
        for (place, ((item, key), outcome)) in
            items.iter().zip(keys).zip(&charged.outcomes).enumerate()
        {
            let used = |units, held: Span, until: Span, refund: Span, lease| Used {
                call: id,
                item: place as u32,
                key: *key,
                units,
                from_ms: self.now_ms,
                to_ms: self.now_ms + held.as_millis_ceil(),
                until_ms: self.now_ms + until.as_millis_ceil(),
                refund_ms: self.now_ms + refund.as_millis_ceil(),
                lease,
                settles: lease || item.reserve.is_some(),
                provisional: provisional.is_some(),
                permits: item.permits > 0,
            };
            let held = item.reserve.unwrap_or_default();
            // What is not reserved is known for as long as the call is.
            let known = ms(5_000);
            let until = item.reserve.or(provisional).unwrap_or(known);
            let refund = item.reserve.unwrap_or(known);
            self.log.push(used(item.cost, held, until, refund, false));
            let (permits, lapse) = (outcome.permits, outcome.lapse);
            self.log.push(used(permits, lapse, lapse, lapse, true));
        }
    }

    /// Reports up to `spent` units of the call's first item; never more than it holds.
    fn settle(&mut self, id: CallId, spent: u64) {
        let now_ms = self.now_ms;
        let of_item = |used: &Used| used.call == id && used.item == 0 && used.until_ms > now_ms;
        let of_item =
            |used: &Used| of_item(used) && (used.settles || used.provisional && !used.permits);
        let some_settles = self.log.iter().any(|used| of_item(used) && used.settles);
        let held = |used: &&mut Used| of_item(used) && (used.settles || !some_settles);
        let total: u64 = self
            .log
            .iter_mut()
            .filter(held)
            .map(|used| used.units)
            .sum();
        let mut left = spent.min(total);
        self.bench.settle(now_ms, id, &[(0, left)]);
        let mut settled: Vec<&mut Used> = self.log.iter_mut().filter(held).collect();
        settled.sort_by_key(|used| used.lease);
        for used in settled {
            let all = left >= used.units;
            used.units = left.min(used.units);
            used.until_ms = now_ms;
            used.refund_ms = now_ms;
            if used.settles || !all {
                used.to_ms = now_ms;
            }
            left -= used.units;
        }
    }

    fn nth(&self, back: usize) -> Option<(u64, Call, Charged)> {
        self.calls.iter().rev().nth(back).cloned()
    }

    fn id(&self, back: usize) -> Option<CallId> {
        match self.nth(back)?.1 {
            Call::Charge(charge) => Some(charge.id),
            _ => None,
        }
    }

    /// What each key shows, without touching it.
    fn seen(&self) -> Vec<Outcome> {
        let mut bench = self.bench.clone();
        (0..KEYS)
            .map(|key| bench.peek(self.now_ms, &item_of(key)))
            .collect()
    }

    /// No window holds more than was promised, at whichever moment units were really used.
    fn check_promises(&self) {
        for moment in [|used: &Used| used.from_ms, |used: &Used| used.to_ms] {
            for key in 0..KEYS {
                let mut used: Vec<(u64, u64)> = self
                    .log
                    .iter()
                    .filter(|used| used.key == key && used.units > 0)
                    .map(|used| (moment(used), used.units))
                    .collect();
                used.sort_unstable();
                check_quota(&item_of(key).quota, &used);
            }
        }
    }
}

fn play(steps: &[Step]) -> World {
    let mut world = World::new();
    for step in steps {
        world.take(step);
    }
    world
}
