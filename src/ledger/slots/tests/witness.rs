//! With several keys a call the order is subtler than a model is obvious: here is what every order
//! must keep.

use proptest::prelude::*;
use std::collections::BTreeSet;

use super::*;

/// How many of key 0, 1, 2 may run.
const LIMITS: [u32; 3] = [1, 2, 3];

/// Calls of one to three keys by their id, in the order that the bits of the id give.
fn keys_of(id: u64) -> Vec<u8> {
    let all: [&[u8]; 6] = [&[0, 2], &[1, 2], &[2], &[2, 0], &[0, 1, 2], &[1, 0]];
    all[(id % 6) as usize].to_vec()
}

fn mixed(id: u64) -> Acquire {
    let slot_of = |n: u8| Slot {
        fair: (id % 4 < 2).then_some(id % 4),
        ..slot(n, LIMITS[usize::from(n)], 30, 600_000)
    };
    let items: Vec<Slot> = keys_of(id).into_iter().map(slot_of).collect();
    call(id, &items)
}

/// Who runs, found out from the answers alone.
#[derive(Default)]
struct Witness {
    slots: Slots,
    running: BTreeSet<u64>,
    waiting: BTreeSet<u64>,
}

impl Witness {
    fn ask(&mut self, id: u64) -> Result<(), TestCaseError> {
        match self.slots.acquire(&mixed(id), at(0)) {
            Step::Waiting => self.waiting.insert(id),
            Step::Now(Acquired::Granted { .. }) => self.running.insert(id),
            Step::Now(_) => false,
        };
        self.look()
    }

    fn release(&mut self, id: u64) -> Result<(), TestCaseError> {
        prop_assert!(self.slots.release(CallId(id), at(0)));
        self.running.remove(&id);
        self.waiting.remove(&id);
        self.look()
    }

    fn look(&mut self) -> Result<(), TestCaseError> {
        for (id, answer) in self.slots.drain_resolved() {
            if matches!(answer, Acquired::Granted { .. }) {
                prop_assert!(
                    self.waiting.remove(&id.0),
                    "admitted twice, or after it left"
                );
                self.running.insert(id.0);
            }
        }
        let mut used = [0; 3];
        for n in self.running.iter().flat_map(|id| keys_of(*id)) {
            used[usize::from(n)] += 1;
        }
        let counted = |n: u8| {
            self.slots
                .stats()
                .find(|(of, _, _)| *of == key(n))
                .map_or(0, |(_, running, _)| running)
        };
        prop_assert_eq!(used, [0, 1, 2].map(counted), "all or none");
        prop_assert!(used.iter().zip(LIMITS).all(|(used, limit)| *used <= limit));
        // One slot of a key may be kept for the eldest: whoever finds two free everywhere must run,
        // and so must whoever waits alone and finds one.
        let needed = if self.waiting.len() == 1 { 1 } else { 2 };
        let could_run = |id: &&u64| {
            let free = |n: &u8| LIMITS[usize::from(*n)] - used[usize::from(*n)] >= needed;
            keys_of(**id).iter().all(free)
        };
        prop_assert_eq!(self.waiting.iter().find(could_run), None, "a lost wake-up");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn several_keys_a_call_stay_within_bounds_and_lock_nobody_up(
        picks in prop::collection::vec((0..3u8, any::<prop::sample::Index>()), 1..150),
    ) {
        let mut witness = Witness::default();
        for (id, (what, index)) in (0..).zip(picks) {
            let from: Vec<u64> = match what {
                0 => witness.running.iter().copied().collect(),
                1 if id % 3 == 0 => witness.waiting.iter().copied().collect(),
                _ => Vec::new(),
            };
            if from.is_empty() {
                witness.ask(id)?;
            } else {
                witness.release(*index.get(&from))?;
            }
        }
        while !witness.running.is_empty() {
            let before = witness.waiting.len();
            for id in witness.running.clone() {
                witness.release(id)?;
            }
            prop_assert!(before == 0 || witness.waiting.len() < before, "nobody was admitted");
        }
        prop_assert_eq!((witness.waiting.len(), witness.slots.pools.len()), (0, 0));
    }

    /// Others keep coming for ever, and as many wait as may. Still everybody is served within so
    /// many generations of running calls as there were calls before it, and a few.
    #[test]
    fn nobody_starves(start in 6..600u64, crowd in 1..20u64, victim in 0..6u64) {
        let mut witness = Witness::default();
        let mut next = start * 6;
        for _ in 0..crowd {
            witness.ask(next)?;
            next += 1;
        }
        witness.ask(victim)?;
        let mut generations = 0;
        while witness.waiting.contains(&victim) {
            generations += 1;
            prop_assert!(generations <= 8 * (crowd + 4), "starved");
            for id in witness.running.clone() {
                witness.ask(next)?;
                witness.release(id)?;
                next += 1;
            }
        }
    }
}
