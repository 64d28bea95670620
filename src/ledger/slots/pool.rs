//! What belongs to one key: slots in use, places taken, and the line.

use super::line::{Line, Value};
use crate::map::Map;
use crate::wire::Slot;

/// The slots and the places of one key, with the bounds that the latest call brought.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Slots in use, those of calls in shadow included.
    pub running: u32,
    /// How many may be in use at once.
    pub limit: u32,
    /// Calls that wait, here or in another key's line, and will need a slot of this key.
    pub wanted: u32,
    /// The line for this key's slots.
    pub line: Line,
    /// Places taken, by `fair_by` value. A waiter may have a place here and stand in another key's
    /// line, so this is not the length of `line`.
    places: Map<Value, u32>,
    taken: u32,
}

impl Pool {
    /// Takes over the bounds of the latest call. A limit in shadow bounds nobody, those who wait
    /// since it was enforced included.
    pub fn learn(&mut self, slot: &Slot) {
        self.limit = if slot.enforce { slot.running } else { u32::MAX };
    }

    /// Slots not in use.
    pub fn free(&self) -> u32 {
        self.limit.saturating_sub(self.running)
    }

    /// May one more of this call's value wait? A value has at most its share of the places: their
    /// number divided by one more than the number of values waiting, but at least one.
    pub fn has_place(&self, slot: &Slot) -> bool {
        if self.taken >= slot.waiting {
            return false;
        }
        if slot.fair.is_none() {
            return true;
        }
        // At least one, since there are at most as many values as places taken.
        let values = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        let share = slot
            .waiting
            .checked_div(values.saturating_add(1))
            .unwrap_or(0);
        self.places.get(&slot.fair).copied().unwrap_or(0) < share
    }

    /// Takes a place.
    pub fn take_place(&mut self, value: Value) {
        let places = self.places.get_or_insert_with(value, || 0);
        *places = places.saturating_add(1);
        self.taken = self.taken.saturating_add(1);
    }

    /// Gives a place back.
    pub fn give_place(&mut self, value: Value) {
        if let Some(places) = self.places.get_mut(&value) {
            *places = places.saturating_sub(1);
            self.taken = self.taken.saturating_sub(1);
            if *places == 0 {
                self.places.remove(&value);
            }
        }
    }

    /// Places taken.
    pub fn waiting(&self) -> u32 {
        self.taken
    }

    /// Nothing to remember: the next call brings its bounds along.
    pub fn is_idle(&self) -> bool {
        self.running == 0 && self.wanted == 0
    }
}
