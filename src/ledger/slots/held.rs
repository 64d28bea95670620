//! Slots in use, each with its own lease.

use super::MAX_LEASE;
use super::waiters::Need;
use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};
use crate::wire::{CallId, CounterKey};

/// One admission: a slot of each of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// Where it counts.
    pub keys: Vec<CounterKey>,
    /// How long it waited: the answer to a repeated call.
    pub waited: Span,
    /// Since when it runs.
    pub since: Timestamp,
    /// How long it stays without renewal.
    pub lease: Span,
    /// When it ends without renewal.
    pub until: Timestamp,
}

impl Held {
    pub fn new(needs: &[Need], lease: Span, waited: Span, now: Timestamp) -> Self {
        let lease = capped(lease);
        Held {
            keys: needs.iter().map(|need| need.slot.key).collect(),
            waited,
            since: now,
            lease,
            until: now + lease,
        }
    }
}

/// A lease, bounded.
pub(super) fn capped(lease: Span) -> Span {
    lease.min(MAX_LEASE)
}

/// All admissions of one object.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    by_id: Map<CallId, Held>,
    leases: Set<(Timestamp, CallId)>,
}

impl Holds {
    pub fn insert(&mut self, id: CallId, held: Held) {
        self.leases.insert((held.until, id));
        self.by_id.insert(id, held);
    }

    pub fn remove(&mut self, id: CallId) -> Option<Held> {
        let held = self.by_id.remove(&id)?;
        self.leases.remove(&(held.until, id));
        Some(held)
    }

    /// Starts the lease anew; false where there is none.
    pub fn renew(&mut self, id: CallId, now: Timestamp) -> bool {
        let Some(held) = self.by_id.get_mut(&id) else {
            return false;
        };
        self.leases.remove(&(held.until, id));
        held.until = now + held.lease;
        self.leases.insert((held.until, id));
        true
    }

    pub fn get(&self, id: CallId) -> Option<&Held> {
        self.by_id.get(&id)
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (CallId, &Held)> {
        self.by_id.iter()
    }

    /// When the next lease ends, and whose.
    pub fn next_lapse(&self) -> Option<(Timestamp, CallId)> {
        self.leases.first()
    }
}
