//! Ending promises early: refunds, settlements, and the operator's unblock.

use super::Ledger;
use super::charge::Spent;
use super::counter::HoldName;
use super::promises::Promise;
use super::recent::Past;
use super::store::Store;
use crate::map::sort_by;
use crate::time::{Span, Timestamp};
use crate::wire::{CallId, CounterKey};

impl<S: Store> Ledger<S> {
    /// Gives back everything that the charge took, as far as it is known. False where the id is not.
    pub(super) fn refund(&mut self, id: CallId) -> bool {
        let promised = self.end_promises(id);
        let Some(spent) = self.recent.take_spent(id) else {
            // Should the charge arrive after all, it is not carried out.
            self.recent.insert(id, Past::Refunded, self.now);
            return promised;
        };
        self.unspend(Spent(spent));
        true
    }

    /// Gives back what [`Ledger::charge_once`] took.
    pub fn refund_once(&mut self, id: CallId, spent: Spent, now: Timestamp) {
        self.advance(now);
        self.end_promises(id);
        self.unspend(spent);
    }

    /// Gives back what the call still holds; false where that is nothing.
    fn end_promises(&mut self, id: CallId) -> bool {
        let promises: Vec<Promise> = self.promises.of(id).to_vec();
        for promise in &promises {
            self.end(promise.key, &promise.name, 0);
        }
        !promises.is_empty()
    }

    fn unspend(&mut self, Spent(spent): Spent) {
        for (key, loan) in spent {
            if let Some(counter) = self.table.get_mut(key) {
                counter.unspend(self.now, &loan);
                self.shelf.schedule(key, counter, self.now);
            }
        }
    }

    /// Ends reservations and leases with what was really spent. Where an item has both, the units
    /// are those of both together. Of an item that asked for neither, what is provisional is settled. False
    /// where nothing of it is held any more.
    pub(super) fn settle(&mut self, id: CallId, spent: &[(u32, u64)]) -> bool {
        let mut known = false;
        for (item, units) in spent {
            let mut promises: Vec<Promise> = self.promises.of(id).to_vec();
            promises.retain(|promise| promise.name.item == *item);
            if promises.iter().any(|promise| promise.settles) {
                promises.retain(|promise| promise.settles);
            } else {
                // Told twice, or late: the permits have ended, and the charge beside them is not meant.
                promises.retain(|promise| !promise.beside_permits);
            }
            sort_by(&mut promises, |one, other| {
                !one.name.lease && other.name.lease
            });
            let mut left = *units;
            for (place, promise) in promises.iter().enumerate() {
                let last = place.saturating_add(1) == promises.len();
                let units = if last { left } else { left.min(promise.units) };
                left = left.saturating_sub(units);
                self.end(promise.key, &promise.name, units);
                known = true;
            }
        }
        known
    }

    /// Keeps what the charge spent, or waits longer for a refund. False where nothing of it is held.
    pub(super) fn confirm(&mut self, id: CallId, after: Span) -> bool {
        let promises: Vec<Promise> = self.promises.of(id).to_vec();
        let until = self.now + after;
        for promise in &promises {
            if !promise.settles && after.is_zero() {
                self.end(promise.key, &promise.name, promise.units);
                continue;
            }
            if promise.settles {
                let counter = self.table.get_mut(promise.key);
                if let Some(hold) = counter.and_then(|one| one.holds.get_mut(&promise.name)) {
                    hold.provisional_until = until;
                }
                continue;
            }
            let name = HoldName {
                until,
                ..promise.name
            };
            self.promises.remove(&promise.name);
            self.promises.insert(Promise { name, ..*promise }, self.now);
            if let Some(counter) = self.table.get_mut(promise.key) {
                counter.put_off(self.now, &promise.name, name);
            }
        }
        !promises.is_empty()
    }

    fn end(&mut self, key: CounterKey, name: &HoldName, spent: u64) {
        self.promises.remove(name);
        if let Some(counter) = self.table.get_mut(key) {
            counter.settle(self.now, name, Some(spent));
            self.shelf.note_end(key, counter, self.now);
        }
    }

    /// Forgets counters with their blocks, promises and rows. Gives how many held something.
    pub(super) fn forget(&mut self, keys: &[CounterKey]) -> u32 {
        let mut forgotten: u32 = 0;
        for key in keys {
            let mut held = self.shelf.forget(*key, self.now);
            if let Some(counter) = self.table.remove(*key) {
                held |= !counter.is_void(self.now);
                self.shelf.unschedule(*key, &counter);
                counter
                    .holds
                    .keys()
                    .for_each(|name| self.promises.remove(&name));
            }
            forgotten = forgotten.saturating_add(u32::from(held));
        }
        forgotten
    }
}
