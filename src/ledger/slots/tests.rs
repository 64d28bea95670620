//! What the tests of this module share; they stand in the files below.

mod bounds;
mod lifetime;
mod model;
mod properties;
mod several;
mod stored;
mod waiting;
mod witness;

use super::*;
use crate::wire::Slot;

pub(super) const LEASE: Span = Span::from_secs(10);

/// An instant of a test, in milliseconds from its start.
pub(super) fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + ms)
}

pub(super) fn key(n: u8) -> CounterKey {
    CounterKey([n; 16])
}

pub(super) fn slot(n: u8, running: u32, waiting: u32, max_wait_ms: u64) -> Slot {
    Slot {
        key: key(n),
        running,
        waiting,
        max_wait: Span::from_millis(max_wait_ms),
        fair: None,
        enforce: true,
    }
}

pub(super) fn call(id: u64, items: &[Slot]) -> Acquire {
    Acquire {
        id: CallId(id),
        items: items.to_vec(),
        lease: LEASE,
    }
}

/// Drives `Slots` as an object does, and writes down who was answered what, and when.
#[derive(Default)]
pub(super) struct Desk {
    pub slots: Slots,
    pub log: Vec<(u64, u64, Acquired)>,
}

impl Desk {
    /// Lets time pass up to and including this moment, every event at its exact instant.
    pub fn pass(&mut self, until_ms: u64) {
        while let Some(event) = self.slots.next_event()
            && event <= at(until_ms)
        {
            self.slots.tick(event);
            assert_ne!(self.slots.next_event(), Some(event), "nothing came of it");
            self.write_down(event.saturating_since(at(0)).as_millis_ceil());
        }
    }

    pub fn acquire(&mut self, ms: u64, call: &Acquire) -> Step {
        self.pass(ms);
        let step = self.slots.acquire(call, at(ms));
        if let Step::Now(answer) = &step {
            self.log.push((ms, call.id.0, answer.clone()));
        }
        self.write_down(ms);
        step
    }

    pub fn release(&mut self, ms: u64, id: u64) -> bool {
        self.pass(ms);
        let known = self.slots.release(CallId(id), at(ms));
        self.write_down(ms);
        known
    }

    pub fn write_down(&mut self, ms: u64) {
        let resolved = self.slots.drain_resolved();
        self.log
            .extend(resolved.into_iter().map(|(id, answer)| (ms, id.0, answer)));
    }

    #[track_caller]
    pub fn check_log(&mut self, expected: &[(u64, u64, Acquired)]) {
        assert_eq!(std::mem::take(&mut self.log), expected);
    }

    #[track_caller]
    pub fn check_counts(&self, running: usize, waiting: usize) {
        assert_eq!(
            (self.slots.running(), self.slots.waiting()),
            (running, waiting)
        );
        if running + waiting == 0 {
            assert_eq!(self.slots.stats().count(), 0);
            assert!(
                self.slots.pools.is_empty(),
                "a key is remembered for nobody"
            );
            assert_eq!(self.slots.next_event(), None);
        }
    }
}

pub(super) fn granted(waited_ms: u64) -> Acquired {
    Acquired::Granted {
        waited: Span::from_millis(waited_ms),
    }
}

pub(super) const FULL: Acquired = Acquired::Full { item: 0 };
pub(super) const TIMED_OUT: Acquired = Acquired::TimedOut { item: 0 };
