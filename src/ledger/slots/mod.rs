//! Concurrency: slots, a bounded queue in front of them, and nobody's slot lost.
//!
//! A pure state machine: time is an argument, and whoever drives it turns [`Slots::next_event`] into
//! a timer that calls [`Slots::tick`], and what [`Slots::drain_resolved`] gives after every call
//! into answers to those who wait.
//!
//! - An admission has a lease of its own, renewed by its owner alone; a release that is lost heals
//!   when the lease ends. Releasing twice is releasing once, and a release that arrives before its
//!   acquisition is remembered, so that the acquisition is answered [`Acquired::Gone`].
//! - A waiter holds nothing but its places. Its time is looked at before anybody is admitted: one
//!   that has waited as long as allowed is never admitted, though a slot came free this very moment.
//! - Bounds come with every call and hold from then on: for the calls that run, wait and come. A
//!   lower bound ends nobody's slot and takes nobody's place.
//! - Whoever waits is not stored: an object that leaves memory has lost the connections that its
//!   waiters waited on. What runs is ([`Slots::snapshot`]).
//!
//! How a call with several keys waits is told in [`admit`].

mod admit;
mod held;
mod line;
mod past;
mod pool;
mod stored;
mod waiters;

use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};
use crate::wire::{Acquire, Acquired, CallId, CounterKey};
use held::{Held, Holds};
use past::Past;
use pool::Pool;
use waiters::{Need, Waiter, Waiters, needs_of};

/// How many calls may run and wait in one object together: bounds its memory (some 300 bytes each).
/// Beyond, a call is refused as if its first enforced key were full.
pub const MAX_CALLS: usize = 20_000;

/// How many keys one call may need slots of; beyond, it is refused.
pub const MAX_ITEMS: usize = 16;

/// The longest lease: a longer one is cut to it, so that no slot is lost for good.
pub const MAX_LEASE: Span = Span::from_secs(3_600);

/// What became of an acquisition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// This is the answer.
    Now(Acquired),
    /// It waits. The answer comes out of [`Slots::drain_resolved`], once, for everybody who asked
    /// with this id.
    Waiting,
}

/// All slots and all waiters of one object.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    pools: Map<CounterKey, Pool>,
    holds: Holds,
    waiters: Waiters,
    past: Past,
    /// Arrivals so far.
    arrivals: u64,
    /// Keys that may have a slot for the first of their line, or nothing left to remember.
    changed: Set<CounterKey>,
    resolved: Vec<(CallId, Acquired)>,
    revision: u64,
}

impl Slots {
    /// Nothing runs, nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Slots::default()
    }

    /// Takes a slot of every item, or waits for them, or is refused. A repeated call gets the same
    /// answer again and takes nothing.
    pub fn acquire(&mut self, call: &Acquire, now: Timestamp) -> Step {
        self.tick(now);
        if let Some(held) = self.holds.get(call.id) {
            return Step::Now(Acquired::Granted {
                waited: held.waited,
            });
        }
        if self.waiters.get(call.id).is_some() {
            return Step::Waiting;
        }
        if let Some(answer) = self.past.recall(call.id, now) {
            return Step::Now(answer);
        }
        if call.items.len() > MAX_ITEMS {
            let item = u32::try_from(MAX_ITEMS).unwrap_or(u32::MAX);
            return Step::Now(Acquired::Full { item });
        }
        let needs = needs_of(call);
        self.want(&needs);
        self.settle(now);
        let step = self.enter(call, needs.clone(), now);
        if step != Step::Waiting {
            self.unwant(&needs);
            self.settle(now);
        }
        step
    }

    /// The call's request is over, or its waiter wants no longer. False where the id is unknown;
    /// it is remembered all the same.
    pub fn release(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        let known = self.end_hold(id) || self.end_wait(id, Acquired::Gone);
        self.past.remember(id, Acquired::Gone, now);
        self.settle(now);
        known
    }

    /// The request still runs: its lease starts anew. True also for a call that still waits; false
    /// where it holds nothing (any more).
    pub fn renew(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        if self.holds.renew(id, now) {
            self.revision = self.revision.wrapping_add(1);
            return true;
        }
        self.waiters.get(id).is_some()
    }

    /// The connection that a waiter waited on is gone. Not remembered: its owner may ask again over
    /// another one, and then stands at the end of the line. A call that runs keeps its slot, since
    /// its answer may have arrived; release and lease end it.
    pub fn gone(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        let known = self.end_wait(id, Acquired::Gone);
        self.settle(now);
        known
    }

    /// Ends waits and leases that are over at `now`, in this order, and admits who is next.
    pub fn tick(&mut self, now: Timestamp) {
        while let Some((until, id)) = self.waiters.next_timeout()
            && until <= now
        {
            let item = self.waiters.get(id).map_or(0, |waiter| waiter.bounded_by);
            self.end_wait(id, Acquired::TimedOut { item });
            self.past.remember(id, Acquired::TimedOut { item }, now);
        }
        while let Some((until, id)) = self.holds.next_lapse()
            && until <= now
        {
            self.end_hold(id);
            self.past.remember(id, Acquired::Gone, now);
        }
        self.settle(now);
    }

    /// When [`tick`](Self::tick) has something to do next, if nobody calls before; exact.
    #[must_use]
    pub fn next_event(&self) -> Option<Timestamp> {
        let lapse = self.holds.next_lapse().map(|(until, _)| until);
        let timeout = self.waiters.next_timeout().map(|(until, _)| until);
        lapse.into_iter().chain(timeout).min()
    }

    /// The answers to waiters since this was last asked, in the order in which they came about. To
    /// be asked after every call that takes `&mut self`.
    pub fn drain_resolved(&mut self) -> Vec<(CallId, Acquired)> {
        std::mem::take(&mut self.resolved)
    }

    /// Calls that run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.holds.len()
    }

    /// Calls that wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }

    /// Per key that holds anything: slots in use and places taken.
    pub fn stats(&self) -> impl Iterator<Item = (CounterKey, u32, u32)> {
        let busy = |pool: &Pool| pool.running > 0 || pool.waiting() > 0;
        self.pools
            .iter()
            .filter(move |(_, pool)| busy(pool))
            .map(|(key, pool)| (key, pool.running, pool.waiting()))
    }

    /// Decides on a call whose bounds are known, while everybody before it has been served.
    fn enter(&mut self, call: &Acquire, mut needs: Vec<Need>, now: Timestamp) -> Step {
        let crowded = self.holds.len().saturating_add(self.waiters.len()) >= MAX_CALLS;
        let mut at = None;
        let mut bound: Option<(Span, u32)> = None;
        for (index, need) in needs.iter_mut().enumerate() {
            let (slot, item) = (&need.slot, need.item);
            if !slot.enforce || (!crowded && self.is_free(slot.key, None)) {
                continue;
            }
            let has_place = |pool: &Pool| pool.has_place(slot);
            if crowded || !self.pools.get(&slot.key).is_some_and(has_place) {
                return Step::Now(Acquired::Full { item });
            }
            at = at.or(Some(index));
            if bound.is_none_or(|(least, _)| slot.max_wait < least) {
                bound = Some((slot.max_wait, item));
            }
            need.place = true;
        }
        let (Some(at), Some((max_wait, item))) = (at, bound) else {
            // In a crowd only limits in shadow come here: they refuse nobody, and are not counted.
            if !crowded {
                self.hold(call.id, Held::new(&needs, call.lease, Span::ZERO, now));
            }
            return Step::Now(Acquired::Granted { waited: Span::ZERO });
        };
        if max_wait.is_zero() {
            return Step::Now(Acquired::TimedOut { item });
        }
        self.arrivals = self.arrivals.saturating_add(1);
        let waiter = Waiter {
            needs,
            at,
            arrival: self.arrivals,
            since: now,
            until: now + max_wait,
            bounded_by: item,
            lease: call.lease,
        };
        self.stand(call.id, waiter);
        Step::Waiting
    }

    fn end_hold(&mut self, id: CallId) -> bool {
        let Some(held) = self.holds.remove(id) else {
            return false;
        };
        for key in held.keys {
            if let Some(pool) = self.pools.get_mut(&key) {
                pool.running = pool.running.saturating_sub(1);
            }
            self.changed.insert(key);
        }
        self.revision = self.revision.wrapping_add(1);
        true
    }

    fn end_wait(&mut self, id: CallId, answer: Acquired) -> bool {
        let known = self.remove_waiter(id).is_some();
        if known {
            self.resolved.push((id, answer));
        }
        known
    }
}

#[cfg(test)]
mod tests;
