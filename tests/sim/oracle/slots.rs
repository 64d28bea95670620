//! Slots and queues: never more than their bounds, and none lost.

use std::collections::BTreeMap;

use weir::wire::{Acquire, CallId, CounterKey, Slot, Stats};

use crate::object::Object;

#[derive(Clone, Debug)]
struct Grant {
    slots: Vec<Slot>,
    lease: u64,
    lapses: u64,
}

#[derive(Debug, Default)]
pub struct Slots {
    asked: BTreeMap<(String, CallId), Acquire>,
    granted: BTreeMap<(String, CallId), Grant>,
    bounds: BTreeMap<(String, CounterKey), Slot>,
    /// Until then an object may think that more runs than does: it has read back what ran before.
    unsure_until: BTreeMap<String, u64>,
    pub grants: u64,
}

impl Slots {
    pub fn asked(&mut self, object: &Object, acquire: &Acquire) {
        for slot in &acquire.items {
            self.bounds
                .insert((object.name.clone(), slot.key), slot.clone());
        }
        self.asked
            .insert((object.name.clone(), acquire.id), acquire.clone());
    }

    pub fn granted(&mut self, object: &Object, id: CallId) {
        let call = (object.name.clone(), id);
        if let Some(acquire) = self.asked.get(&call)
            && !self.granted.contains_key(&call)
        {
            self.grants += 1;
            let lease = acquire.lease.as_micros();
            let grant = Grant {
                slots: acquire.items.clone(),
                lease,
                lapses: object.shadow + lease,
            };
            self.granted.insert(call, grant);
        }
    }

    pub fn renewed(&mut self, object: &Object, id: CallId) {
        if let Some(grant) = self.granted.get_mut(&(object.name.clone(), id))
            && grant.lapses > object.shadow
        {
            grant.lapses = object.shadow + grant.lease;
        }
    }

    pub fn released(&mut self, object: &Object, id: CallId) {
        self.granted.remove(&(object.name.clone(), id));
    }

    /// What ran is known only as far as it was stored.
    pub fn memory_lost(&mut self, object: &Object) {
        self.granted.retain(|(name, _), _| *name != object.name);
        self.unsure_until
            .insert(object.name.clone(), object.shadow + 20_000_000);
    }

    /// What the object says of itself is what was granted, and within the bounds.
    pub fn check(&mut self, object: &Object, stats: &Stats) -> Option<String> {
        let shadow = object.shadow;
        self.granted
            .retain(|(name, _), grant| *name != object.name || grant.lapses > shadow);
        let unsure = self
            .unsure_until
            .get(&object.name)
            .is_some_and(|until| shadow < *until);
        for (key, running, waiting) in &stats.slots {
            let Some(bound) = self.bounds.get(&(object.name.clone(), *key)) else {
                continue;
            };
            let holds = |((name, _), grant): (&(String, CallId), &Grant)| {
                *name == object.name && grant.slots.iter().any(|slot| slot.key == *key)
            };
            let live = self.granted.iter().filter(|entry| holds(*entry)).count();
            if bound.enforce && *running > bound.running {
                return Some(format!("{running} of {} slots are taken", bound.running));
            }
            if *waiting > bound.waiting {
                return Some(format!("{waiting} wait in {} places", bound.waiting));
            }
            if !unsure && usize::try_from(*running) != Ok(live) {
                return Some(format!(
                    "{running} slots are taken, {live} were granted and not given back"
                ));
            }
        }
        None
    }
}
