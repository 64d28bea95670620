//! The counters in memory, bounded in number.
//!
//! A counter may leave memory when nothing is promised from it and either time has made it void or
//! storage knows all of it. The least recently used goes first.

use super::counter::Counter;
use crate::map::Map;
use crate::time::Timestamp;
use crate::wire::CounterKey;

/// Counters in memory; some 300 bytes each, logs of windows apart. Beyond, a new key is counted
/// under its caller's network.
pub const MAX_COUNTERS: usize = 16_384;

/// Counters of networks, for keys that found no room, beyond [`MAX_COUNTERS`].
pub const MAX_SPILLED: usize = 4_096;

/// How many of the least recently used are looked at for one that may leave.
const CANDIDATES: usize = 16;

/// How many counters are looked at for void ones, and at which of the calls: two for each call, so that
/// sweeping is faster than growing.
const SWEPT: usize = 8;
const SWEEPS_EVERY: u8 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    counters: Map<CounterKey, Counter>,
    by_use: Map<u64, CounterKey>,
    ticks: u64,
    swept_to: Option<CounterKey>,
    calls: u8,
}

impl Table {
    pub fn len(&self) -> usize {
        self.counters.len()
    }

    pub fn get(&self, key: CounterKey) -> Option<&Counter> {
        self.counters.get(&key)
    }

    /// For work that is no use by a caller.
    pub fn get_mut(&mut self, key: CounterKey) -> Option<&mut Counter> {
        self.counters.get_mut(&key)
    }

    /// The counter, now the most recently used.
    pub fn touch(&mut self, key: CounterKey) -> Option<&mut Counter> {
        let counter = self.counters.get_mut(&key)?;
        if counter.tick < self.ticks {
            self.ticks = self.ticks.saturating_add(1);
            self.by_use.remove(&counter.tick);
            counter.tick = self.ticks;
            self.by_use.insert(self.ticks, key);
        }
        Some(counter)
    }

    /// Is there room for another one, of `most`, perhaps after one that may leave has left?
    pub fn make_room(&mut self, most: usize, now: Timestamp) -> bool {
        if self.counters.len() < most {
            return true;
        }
        self.drop_oldest(|counter| counter.is_saved() || counter.may_go(now))
    }

    /// The last resort: forgets the least recently used from which nothing is promised.
    pub fn force_room(&mut self) -> bool {
        self.drop_oldest(|counter| counter.holds.is_empty())
    }

    fn drop_oldest(&mut self, may_leave: impl Fn(&Counter) -> bool) -> bool {
        let candidates = self.by_use.values().take(CANDIDATES);
        let leaves = candidates
            .copied()
            .find(|key| self.counters.get(key).is_some_and(&may_leave));
        leaves.is_some_and(|key| self.remove(key).is_some())
    }

    pub fn insert(&mut self, key: CounterKey, mut counter: Counter) {
        self.ticks = self.ticks.saturating_add(1);
        counter.tick = self.ticks;
        self.by_use.insert(self.ticks, key);
        if let Some(before) = self.counters.insert(key, counter) {
            self.by_use.remove(&before.tick);
        }
    }

    pub fn remove(&mut self, key: CounterKey) -> Option<Counter> {
        let counter = self.counters.remove(&key)?;
        self.by_use.remove(&counter.tick);
        Some(counter)
    }

    /// Forgets void counters, a few at a time, going round all of them.
    pub fn sweep(&mut self, now: Timestamp) {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(SWEEPS_EVERY) {
            return;
        }
        let is_over = |counter: &Counter| counter.may_go(now);
        for key in self.counters.sweep(&mut self.swept_to, SWEPT, is_over) {
            self.remove(key);
        }
    }
}
