//! Slots inside a ledger: their calls, their timer, and their row.
//!
//! While anything runs, the timer for its lease keeps the object in memory, so the row is for what
//! ends objects otherwise: crashes and deploys. Only slots that have been held for a while are worth
//! it; those of ordinary requests come and go without any.

use super::slots::{Slots, Step};
use super::store::Store;
use super::{Ledger, Reply};
use crate::time::{Span, Timestamp};
use crate::wire::{Acquire, Answer, CallId};

/// The key of the row.
pub(super) const ROW: &str = "slots";

/// How long a slot has to be held before it is worth a row, and how often the row is written.
const LONG: Span = Span::from_secs(4);

/// The slots, and what storage knows of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Running {
    pub slots: Slots,
    saved: u64,
    due: Option<Timestamp>,
}

impl Running {
    /// Gives when the last lease ends; None where the bytes are damaged.
    pub fn restore(&mut self, bytes: &[u8], now: Timestamp) -> Option<Timestamp> {
        self.slots = Slots::restore(bytes, now)?;
        self.saved = self.slots.revision();
        Some(self.slots.last_lapse().unwrap_or(now))
    }

    pub fn next_wake(&self) -> Option<Timestamp> {
        self.due.into_iter().chain(self.slots.next_event()).min()
    }

    /// What storage knows is not what was written.
    pub fn lose_row(&mut self) {
        self.saved = self.slots.revision().wrapping_sub(1);
    }

    fn changed(&self) -> bool {
        self.saved != self.slots.revision()
    }
}

impl<S: Store> Ledger<S> {
    pub(super) fn acquire(&mut self, call: &Acquire) -> Reply {
        let step = self.running.slots.acquire(call, self.now);
        self.watch_slots();
        match step {
            Step::Now(acquired) => Reply::Now(Answer::Acquired(acquired)),
            Step::Waiting => Reply::Later(call.id),
        }
    }

    pub(super) fn renew(&mut self, id: CallId) -> bool {
        let known = self.running.slots.renew(id, self.now);
        self.watch_slots();
        known
    }

    pub(super) fn release(&mut self, id: CallId) -> bool {
        let known = self.running.slots.release(id, self.now);
        self.watch_slots();
        known
    }

    /// The connection that a waiter waited on is gone: it leaves the queue, and nobody is answered.
    pub fn gone(&mut self, id: CallId, now: Timestamp) -> bool {
        self.advance(now);
        let known = self.running.slots.gone(id, self.now);
        self.watch_slots();
        known
    }

    /// The answers to waiters since this was last asked, each under the id of its call. An id whose
    /// connection is gone is to be ignored.
    pub fn drain_resolved(&mut self) -> Vec<(CallId, Answer)> {
        let resolved = self.running.slots.drain_resolved();
        resolved
            .into_iter()
            .map(|(id, acquired)| (id, Answer::Acquired(acquired)))
            .collect()
    }

    /// Has the row looked at in a while, where it no longer says what is true.
    pub(super) fn watch_slots(&mut self) {
        let matters = self.running.slots.running() > 0 || self.shelf.slots_row.is_some();
        if matters && self.running.due.is_none() && self.running.changed() {
            self.running.due = Some(self.now + LONG);
        }
    }

    pub(super) fn save_slots(&mut self) {
        if self.running.due.is_none_or(|due| due > self.now) {
            return;
        }
        self.running.due = None;
        let saved = match self.running.slots.last_lapse() {
            None => self.drop_slots_row(),
            Some(lapse) if self.running.slots.runs_since(self.now - LONG) => {
                self.shelf.plan_alarm(lapse, self.now);
                let put = self.shelf.put(ROW, &self.running.slots.snapshot(self.now));
                if put {
                    self.shelf.slots_row = Some(lapse);
                }
                put
            }
            Some(_) => false,
        };
        if saved {
            self.running.saved = self.running.slots.revision();
        }
        self.watch_slots();
    }

    fn drop_slots_row(&mut self) -> bool {
        if self.shelf.slots_row.is_some() {
            if !self.shelf.delete(ROW) {
                return false;
            }
            self.shelf.slots_row = None;
        }
        true
    }
}
