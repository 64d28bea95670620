//! Slots and queues: never more than their bounds, none lost, and none for who waits no more.

use std::collections::BTreeMap;

use weir::wire::{Acquire, CallId, CounterKey, Slot, Stats};

use crate::object::Object;
use crate::scenario::SECOND;

/// Who has run for so long when its object is lost is stored: a row is due within four seconds, and once
/// more where it had not run for long enough by then.
const STORED_AFTER: u64 = 9 * SECOND + 500_000;

/// What is stored of a lease may be as old as a row and a renewal, so it may end this much after the
/// loss: the lease less both.
const STORED_LEASE: u64 = 3 * SECOND;

/// Requests that ran before the loss may renew their leases after it, for as long as they take, and the
/// clock may be set forward meanwhile: longer than all of that together.
const UNSURE: u64 = 60 * SECOND;

/// A row of slots that failed is written again later than one of counters.
const WRITTEN_LATER: u64 = 3 * SECOND;

type Asked = (String, CallId);

#[derive(Clone, Debug)]
struct Grant {
    slots: Vec<Slot>,
    lease: u64,
    since: u64,
    lapses: u64,
}

#[derive(Debug, Default)]
pub struct Slots {
    /// What was asked, and when by the object's time.
    asked: BTreeMap<Asked, (Acquire, u64)>,
    granted: BTreeMap<Asked, Grant>,
    /// Granted by a memory that is lost since, and surely stored.
    survivors: BTreeMap<Asked, Grant>,
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
        self.asked.insert(
            (object.name.clone(), acquire.id),
            (acquire.clone(), object.shadow),
        );
    }

    pub fn granted(&mut self, object: &Object, id: CallId) {
        let call = (object.name.clone(), id);
        if let Some((acquire, _)) = self.asked.get(&call)
            && !self.granted.contains_key(&call)
        {
            self.grants += 1;
            let lease = acquire.lease.as_micros();
            let grant = Grant {
                slots: acquire.items.clone(),
                lease,
                since: object.shadow,
                lapses: object.shadow + lease,
            };
            self.granted.insert(call, grant);
        }
    }

    /// Somebody who waited is told that it has a slot. Gives what is wrong with that.
    pub fn served(&self, object: &Object, id: CallId) -> Option<String> {
        let call = (object.name.clone(), id);
        let Some((acquire, at)) = self.asked.get(&call) else {
            return Some(format!("a slot for {id:?}, who has left the queue"));
        };
        let waits = acquire.items.iter().map(|slot| slot.max_wait.as_micros());
        let longest = waits.max().unwrap_or(0);
        (object.shadow > at + longest).then(|| {
            let waited = object.shadow - at;
            format!("a slot after {waited} us, and the wait was over after {longest}")
        })
    }

    /// The connection of somebody who waits is closed.
    pub fn left(&mut self, object: &Object, id: CallId) {
        self.asked.remove(&(object.name.clone(), id));
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
        self.survivors.remove(&(object.name.clone(), id));
    }

    /// What ran is known only as far as it was stored.
    pub fn memory_lost(&mut self, object: &Object, now: u64) {
        let of_object = |(name, _): &Asked| *name == object.name;
        let judged = object.broken_since.is_none()
            && object.steps == 0
            && object
                .unwritten
                .is_none_or(|(_, until)| now > until + WRITTEN_LATER);
        for (call, grant) in self.granted.iter().filter(|(call, _)| of_object(call)) {
            if judged && grant.since + STORED_AFTER <= object.shadow {
                let lapses = grant.lapses.min(object.shadow + STORED_LEASE);
                let grant = grant.clone();
                self.survivors
                    .insert(call.clone(), Grant { lapses, ..grant });
            }
        }
        self.granted.retain(|call, _| !of_object(call));
        self.asked.retain(|call, _| !of_object(call));
        self.unsure_until
            .insert(object.name.clone(), object.shadow + UNSURE);
    }

    /// What the object says of itself is what was granted, and within the bounds.
    pub fn check(&mut self, object: &Object, stats: &Stats) -> Option<String> {
        let shadow = object.shadow;
        for grants in [&mut self.granted, &mut self.survivors] {
            grants.retain(|(name, _), grant| *name != object.name || grant.lapses > shadow);
        }
        if object.steps > 0 || object.broken_since.is_some() {
            self.survivors.retain(|(name, _), _| *name != object.name);
        }
        let unsure = self
            .unsure_until
            .get(&object.name)
            .is_some_and(|until| shadow < *until);
        let shown = |key: &CounterKey| stats.slots.iter().find(|(shown, ..)| shown == key);
        for ((name, _), grant) in &self.survivors {
            let forgotten =
                |slot: &&Slot| shown(&slot.key).is_none_or(|(_, running, _)| *running == 0);
            if *name == object.name
                && let Some(slot) = grant.slots.iter().find(forgotten)
            {
                return Some(format!("a slot of {:?} is forgotten", slot.key));
            }
        }
        for (key, running, waiting) in &stats.slots {
            let Some(bound) = self.bounds.get(&(object.name.clone(), *key)) else {
                continue;
            };
            let holds = |((name, _), grant): (&Asked, &Grant)| {
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
