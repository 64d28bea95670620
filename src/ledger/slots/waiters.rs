//! Calls that wait: they hold nothing but places.

use super::line::Arrival;
use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};
use crate::wire::{Acquire, CallId, CounterKey, Slot};

/// One key that a call needs a slot of.
#[derive(Clone, Debug)]
pub(super) struct Need {
    /// The key, and what the call said of it.
    pub slot: Slot,
    /// Its index in the call.
    pub item: u32,
    /// It was full when the call arrived, and the call has one of its places.
    pub place: bool,
}

/// What a call needs, in its order. A key named twice is needed once: the first counts.
pub(super) fn needs_of(call: &Acquire) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::with_capacity(call.items.len());
    for (item, slot) in (0..).zip(&call.items) {
        if needs.iter().all(|need| need.slot.key != slot.key) {
            needs.push(Need {
                slot: slot.clone(),
                item,
                place: false,
            });
        }
    }
    needs
}

/// A call that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    /// What it needs.
    pub needs: Vec<Need>,
    /// The index of the need in whose line it stands; it stands in one at a time.
    pub at: usize,
    /// Its place in the order of arrival.
    pub arrival: Arrival,
    /// When it came.
    pub since: Timestamp,
    /// When it has waited as long as allowed.
    pub until: Timestamp,
    /// The item of the call that allows no more.
    pub bounded_by: u32,
    /// For when it runs.
    pub lease: Span,
}

impl Waiter {
    /// Does it need this key, other than by standing in its line?
    pub fn needs_beside_line(&self, key: CounterKey) -> bool {
        let needed =
            |(at, need): (usize, &Need)| at != self.at && need.slot.enforce && need.slot.key == key;
        self.needs.iter().enumerate().any(needed)
    }
}

/// All waiters of one object.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiters {
    by_id: Map<CallId, Waiter>,
    deadlines: Set<(Timestamp, CallId)>,
    /// Those whose turn came once and was of no use, because another of their keys was full.
    deferred: Map<Arrival, CallId>,
}

impl Waiters {
    pub fn insert(&mut self, id: CallId, waiter: Waiter) {
        self.deadlines.insert((waiter.until, id));
        self.by_id.insert(id, waiter);
    }

    pub fn remove(&mut self, id: CallId) -> Option<Waiter> {
        let waiter = self.by_id.remove(&id)?;
        self.deadlines.remove(&(waiter.until, id));
        self.deferred.remove(&waiter.arrival);
        Some(waiter)
    }

    pub fn get(&self, id: CallId) -> Option<&Waiter> {
        self.by_id.get(&id)
    }

    /// Stands the waiter in another of its lines, and notes that its turn was of no use.
    pub fn defer(&mut self, id: CallId, at: usize) {
        if let Some(waiter) = self.by_id.get_mut(&id) {
            waiter.at = at;
            self.deferred.insert(waiter.arrival, id);
        }
    }

    /// The deferred waiter that has waited longest.
    pub fn eldest(&self) -> Option<CallId> {
        self.deferred.first_key_value().map(|(_, id)| *id)
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// When the next waiter's time is over, and whose.
    pub fn next_timeout(&self) -> Option<(Timestamp, CallId)> {
        self.deadlines.first()
    }
}
