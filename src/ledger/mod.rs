//! The state machine inside one counter object.
//!
//! A [`Ledger`] knows limits, slots and time; never rules or requests. Whoever owns one hands it
//! calls, and afterwards does what it asks for:
//!
//! 1. [`Ledger::handle`] answers, or says that a waiter will be answered later;
//! 2. [`Ledger::drain_resolved`] gives the answers to waiters that have come about;
//! 3. [`Ledger::next_wake`] is when [`Ledger::wake`] has to be called: a timer, which also keeps the
//!    object in memory;
//! 4. [`Ledger::take_alarm`] is when the platform's alarm has to call [`Ledger::alarm`], if that has
//!    changed.
//!
//! Steps 2 to 4 follow every call of `open`, `handle`, `gone`, `wake`, `alarm` and `write_failed`.
//!
//! # Invariants
//!
//! - Time never goes back: a call whose time is earlier than one before it happens at the later one.
//! - A charge is all or nothing over its enforced items; a refusal consumes nothing.
//! - What is promised (provisional, reserved, leased) counts as spent until it is given back, and at
//!   the latest moment at which it could be spent.
//! - A call that is repeated is answered again and not carried out again.
//! - Storage that fails is counted, and decisions go on in memory.

mod charge;
mod counter;
mod end;
mod look;
mod page;
mod pages;
mod promises;
mod recent;
mod row;
mod running;
mod shelf;
pub mod slots;
mod storage;
mod store;
mod table;
mod take;
mod verdict;

pub use charge::Spent;
pub use promises::MAX_PROMISES;
pub use shelf::{FLUSH_INTERVAL, MAX_ROWS, QUIET, RELAXED_INTERVAL};
pub use store::{MemoryStore, Store, StoreFault, Urgency};
pub use table::{MAX_COUNTERS, MAX_SPILLED};

use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Call, CallId, MAX_STATS_SLOTS, Stats};
use promises::Promises;
use recent::Recent;
use running::Running;
use shelf::Shelf;
use table::Table;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This is the answer.
    Now(Answer),
    /// It waits for a slot; [`Ledger::drain_resolved`] will give the answer under this id.
    Later(CallId),
}

/// Everything that one object counts.
#[derive(Clone, Debug)]
pub struct Ledger<S> {
    now: Timestamp,
    table: Table,
    promises: Promises,
    recent: Recent,
    running: Running,
    shelf: Shelf<S>,
    /// Rows written and failures of storage that answers have told of.
    reported: (u64, u64),
    damaged: u64,
}

impl<S: Store> Ledger<S> {
    /// Carries out one call at `now` by the object's own clock.
    pub fn handle(&mut self, call: &Call, now: Timestamp) -> Reply {
        let lag = self.advance(now);
        self.shelf.asked_at = self.now;
        Reply::Now(match call {
            Call::Charge(charge) => self.charge(charge, lag),
            Call::Peek(charge) => self.peek(charge, lag),
            Call::Refund { id } => Answer::Done(self.refund(*id)),
            Call::Confirm { id, after } => Answer::Done(self.confirm(*id, *after)),
            Call::Settle { id, spent } => Answer::Done(self.settle(*id, spent)),
            Call::Forget { keys } => Answer::Forgotten(self.forget(keys)),
            Call::Stats => Answer::Stats(self.stats()),
            Call::Acquire(acquire) => return self.acquire(acquire),
            Call::Renew { id } => Answer::Done(self.renew(*id)),
            Call::Release { id } => Answer::Done(self.release(*id)),
        })
    }

    /// Counters in memory.
    #[must_use]
    pub fn counters(&self) -> usize {
        self.table.len()
    }

    /// Rows written so far.
    #[must_use]
    pub fn rows_written(&self) -> u64 {
        self.shelf.written
    }

    /// Rows that could not be read and were dropped.
    #[must_use]
    pub fn damaged_rows(&self) -> u64 {
        self.damaged
    }

    /// The store, to look at.
    #[must_use]
    pub fn store(&self) -> &S {
        &self.shelf.store
    }

    /// The store, for whoever owns it.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.shelf.store
    }

    /// Moves time forward and ends what has ended meanwhile. Gives how far the caller's clock is
    /// behind the latest time seen: it will be right again that much later.
    fn advance(&mut self, now: Timestamp) -> Span {
        self.now = self.now.max(now);
        let mut ended = Vec::new();
        while let Some((name, key)) = self.promises.pop_ended(self.now) {
            if let Some(counter) = self.table.get_mut(key) {
                let loan = counter.settle(name.until, &name, None);
                if let Some(until) = loan.and_then(|loan| self.recent.keep(name.id, key, loan)) {
                    counter.returnable_until = counter.returnable_until.max(until);
                }
                ended.push(key);
            }
        }
        for key in ended {
            if let Some(counter) = self.table.get_mut(key) {
                self.shelf.note_end(key, counter, self.now);
            }
        }
        self.running.slots.tick(self.now);
        self.recent.expire(self.now);
        self.table.sweep(self.now);
        self.now.saturating_since(now)
    }

    fn stats(&self) -> Stats {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Stats {
            counters: count(self.table.len()),
            running: count(self.running.slots.running()),
            waiting: count(self.running.slots.waiting()),
            rows: self.shelf.written,
            faults: self.shelf.faults,
            slots: self.running.slots.stats().take(MAX_STATS_SLOTS).collect(),
        }
    }

    /// Rows written and failures of storage that no answer has told of yet.
    fn storage_since_last_answer(&mut self) -> (u32, u32) {
        let total = (self.shelf.written, self.shelf.faults);
        let (rows, faults) = std::mem::replace(&mut self.reported, total);
        let since = |now: u64, then| u32::try_from(now.saturating_sub(then)).unwrap_or(u32::MAX);
        (since(total.0, rows), since(total.1, faults))
    }
}

#[cfg(test)]
mod tests;
