//! Who runs next, where calls may need slots of several keys at once.
//!
//! A call takes all its slots in one step or none, so that nobody ever holds one key's slot while
//! it waits for another's, and nothing can lock up. It stands in the line of one key at a time,
//! the first that had no slot for it. When its turn comes there and another of its keys is full, it
//! moves to that line, to the place that its arrival gives it, and whoever was behind it goes on: a
//! tenant without a free slot holds up no other tenant in the line for a shared one.
//!
//! That alone could go on for ever, since its keys need never be free at the same moment. So the
//! *eldest* among the calls that had their turn in vain has a claim on one slot of each of its keys
//! but the one in whose line it stands: one that is free stays free for it. There is one eldest in
//! an object, it waits only for calls that run, and those end; so every line moves on.

use super::Slots;
use super::held::Held;
use super::pool::Pool;
use super::waiters::{Need, Waiter};
use crate::time::Timestamp;
use crate::wire::{Acquired, CallId, CounterKey};

impl Slots {
    /// May `who` (None: a call that has just come) take a slot of this key?
    pub(super) fn is_free(&self, key: CounterKey, who: Option<CallId>) -> bool {
        let free = self.pools.get(&key).map_or(0, Pool::free);
        let claimed = match self.waiters.eldest() {
            Some(eldest) if who != Some(eldest) => self
                .waiters
                .get(eldest)
                .is_some_and(|waiter| waiter.needs_beside_line(key)),
            _ => false,
        };
        free > u32::from(claimed)
    }

    /// Admits whoever can be admitted, until no line has a slot for its first. Ends: every step
    /// either admits somebody, or takes somebody out of a line that then has one fewer, to a line
    /// that moves again only when somebody was admitted or an older call became the eldest.
    pub(super) fn settle(&mut self, now: Timestamp) {
        while let Some(key) = self.changed.pop_first() {
            while let Some(id) = self.next_for(key) {
                self.take_turn(id, now);
            }
            if self.pools.get(&key).is_some_and(Pool::is_idle) {
                self.pools.remove(&key);
            }
        }
    }

    fn next_for(&self, key: CounterKey) -> Option<CallId> {
        let id = self.pools.get(&key)?.line.first()?;
        self.is_free(key, Some(id)).then_some(id)
    }

    fn take_turn(&mut self, id: CallId, now: Timestamp) {
        let Some(waiter) = self.waiters.get(id) else {
            return;
        };
        let full = |need: &Need| need.slot.enforce && !self.is_free(need.slot.key, Some(id));
        match waiter.needs.iter().position(full) {
            Some(at) => self.change_line(id, at),
            None => {
                if let Some(waiter) = self.remove_waiter(id) {
                    self.run(id, waiter, now);
                }
            }
        }
    }

    fn run(&mut self, id: CallId, waiter: Waiter, now: Timestamp) {
        if let Some(need) = waiter.needs.get(waiter.at)
            && let Some(pool) = self.pools.get_mut(&need.slot.key)
        {
            pool.line.pass_turn(need.slot.fair);
        }
        let waited = now.saturating_since(waiter.since);
        self.hold(id, Held::new(&waiter.needs, waiter.lease, waited, now));
        self.resolved.push((id, Acquired::Granted { waited }));
    }

    /// Takes one slot of each key.
    pub(super) fn hold(&mut self, id: CallId, held: Held) {
        for key in &held.keys {
            let pool = self.pools.get_or_insert_with(*key, Pool::default);
            pool.running = pool.running.saturating_add(1);
        }
        self.holds.insert(id, held);
        self.revision = self.revision.wrapping_add(1);
    }

    fn change_line(&mut self, id: CallId, at: usize) {
        let Some(waiter) = self.waiters.get(id) else {
            return;
        };
        let arrival = waiter.arrival;
        if let Some(from) = waiter.needs.get(waiter.at)
            && let Some(pool) = self.pools.get_mut(&from.slot.key)
        {
            pool.line.leave(from.slot.fair, arrival);
        }
        if let Some(to) = waiter.needs.get(at)
            && let Some(pool) = self.pools.get_mut(&to.slot.key)
        {
            pool.line.join(to.slot.fair, arrival, id);
        }
        let before = self.waiters.eldest();
        self.waiters.defer(id, at);
        if before != self.waiters.eldest()
            && let Some(other) = before.and_then(|id| self.waiters.get(id))
        {
            for need in &other.needs {
                self.changed.insert(need.slot.key);
            }
        }
    }

    /// Takes the places of a waiter, and stands it in its line.
    pub(super) fn stand(&mut self, id: CallId, waiter: Waiter) {
        for (at, need) in waiter.needs.iter().enumerate() {
            if let Some(pool) = self.pools.get_mut(&need.slot.key) {
                if need.place {
                    pool.take_place(need.slot.fair);
                }
                if at == waiter.at {
                    pool.line.join(need.slot.fair, waiter.arrival, id);
                }
            }
        }
        self.waiters.insert(id, waiter);
    }

    /// Takes a waiter out of everything it stands in. Its places are free at once.
    pub(super) fn remove_waiter(&mut self, id: CallId) -> Option<Waiter> {
        let waiter = self.waiters.remove(id)?;
        for (at, need) in waiter.needs.iter().enumerate() {
            if let Some(pool) = self.pools.get_mut(&need.slot.key) {
                if need.place {
                    pool.give_place(need.slot.fair);
                }
                if at == waiter.at {
                    pool.line.leave(need.slot.fair, waiter.arrival);
                }
            }
        }
        self.unwant(&waiter.needs);
        Some(waiter)
    }

    /// A call will need these keys: what it says of their bounds holds from now on.
    pub(super) fn want(&mut self, needs: &[Need]) {
        for need in needs {
            let pool = self.pools.get_or_insert_with(need.slot.key, Pool::default);
            pool.wanted = pool.wanted.saturating_add(1);
            pool.learn(&need.slot);
            self.changed.insert(need.slot.key);
        }
    }

    /// The opposite of [`want`](Self::want). What the call claimed may be free for others now.
    pub(super) fn unwant(&mut self, needs: &[Need]) {
        for need in needs {
            if let Some(pool) = self.pools.get_mut(&need.slot.key) {
                pool.wanted = pool.wanted.saturating_sub(1);
            }
            self.changed.insert(need.slot.key);
        }
    }
}
