//! Which call was promised what, and when each promise ends.

use super::counter::{HoldName, IDLE};
use crate::map::{Map, Set};
use crate::time::Timestamp;
use crate::wire::{CallId, CounterKey};

/// Promises in one object. Beyond, charges are final at once and nothing is leased: a refund may
/// then come to nothing, but no quota is exceeded.
pub const MAX_PROMISES: usize = 32_768;

#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    pub name: HoldName,
    pub key: CounterKey,
    pub units: u64,
    /// The caller said that it will settle it: a reservation or a lease.
    pub settles: bool,
    /// Its caller asked for permits as well: what it settles is those, even when they are gone.
    pub beside_permits: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Promises {
    by_call: Map<CallId, Vec<Promise>>,
    by_end: Map<HoldName, CounterKey>,
    /// Those whose end is worth staying in memory for: an object that forgets them counts them as
    /// spent.
    awaited: Set<HoldName>,
}

impl Promises {
    pub fn have_room(&self) -> bool {
        self.by_end.len() < MAX_PROMISES
    }

    pub fn insert(&mut self, promise: Promise, now: Timestamp) {
        self.by_end.insert(promise.name, promise.key);
        let long = promise.settles || promise.name.until > now + IDLE;
        if long && !promise.name.lease {
            self.awaited.insert(promise.name);
        }
        self.by_call
            .get_or_insert_with(promise.name.id, Vec::new)
            .push(promise);
    }

    /// The next promise that has ended by `now`, in the order of ends.
    pub fn pop_ended(&mut self, now: Timestamp) -> Option<(HoldName, CounterKey)> {
        let (name, key) = self
            .by_end
            .first_key_value()
            .map(|(name, key)| (name, *key))?;
        if name.until > now {
            return None;
        }
        self.remove(&name);
        Some((name, key))
    }

    /// What the call still holds.
    pub fn of(&self, id: CallId) -> &[Promise] {
        self.by_call.get(&id).map_or(&[], Vec::as_slice)
    }

    pub fn remove(&mut self, name: &HoldName) {
        self.by_end.remove(name);
        self.awaited.remove(name);
        if let Some(promises) = self.by_call.get_mut(&name.id) {
            promises.retain(|promise| promise.name != *name);
            if promises.is_empty() {
                self.by_call.remove(&name.id);
            }
        }
    }

    pub fn first_awaited_end(&self) -> Option<Timestamp> {
        self.awaited.first().map(|name| name.until)
    }
}
