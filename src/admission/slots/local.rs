//! `on_error = "local"`: slots kept by this isolate while their object cannot be reached.
//!
//! Best effort: what runs already by the object's leave is not known here, and nobody waits.

use crate::time::{Span, Timestamp};
use crate::wire::{CallId, CounterKey, Slot};

/// Requests kept here at once; beyond, they are refused. An isolate serves fewer.
const CAPACITY: usize = 2_048;

/// What ends a request without a word frees its slot after this long. Nothing renews it, so it is
/// longer than a lease.
const LAPSE: Span = Span::from_secs(120);

/// The slots that this isolate keeps.
#[derive(Debug, Default)]
pub struct LocalSlots {
    held: Vec<(CallId, Timestamp, Vec<CounterKey>)>,
}

impl LocalSlots {
    /// Takes a slot of every item, or none and says which item is in the way.
    ///
    /// # Errors
    ///
    /// The index of the first item without a free slot.
    pub fn take(&mut self, id: CallId, items: &[Slot], now: Timestamp) -> Result<(), u32> {
        self.held.retain(|(_, until, _)| *until > now);
        if self.held.len() >= CAPACITY {
            return Err(0);
        }
        for (item, slot) in (0..).zip(items) {
            let holds = |keys: &[CounterKey]| keys.contains(&slot.key);
            let running = self.held.iter().filter(|(.., keys)| holds(keys)).count();
            if slot.enforce && running >= usize::try_from(slot.running).unwrap_or(usize::MAX) {
                return Err(item);
            }
        }
        let keys = items.iter().map(|slot| slot.key).collect();
        self.held.push((id, now + LAPSE, keys));
        Ok(())
    }

    /// Gives them back.
    pub fn release(&mut self, id: CallId) {
        self.held.retain(|(held, ..)| *held != id);
    }
}
