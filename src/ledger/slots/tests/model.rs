//! The obvious model: lists that are searched from the front, one key per call.

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use super::*;
use crate::wire::Slot;

#[derive(Clone)]
struct Running {
    id: CallId,
    key: CounterKey,
    waited: Span,
    lease: Span,
    until: Timestamp,
}

struct Waiting {
    id: CallId,
    slot: Slot,
    since: Timestamp,
    until: Timestamp,
    lease: Span,
}

#[derive(Default)]
pub struct Model {
    running: Vec<Running>,
    waiting: Vec<Waiting>,
    /// (key, value): whose turn it is, the first is next.
    turns: Vec<(CounterKey, Option<u64>)>,
    limits: BTreeMap<CounterKey, u32>,
    ended: Vec<(CallId, Timestamp, Acquired)>,
    pub resolved: Vec<(CallId, Acquired)>,
}

impl Model {
    pub fn acquire(&mut self, call: &Acquire, now: Timestamp) -> Step {
        self.tick(now);
        if let Some(running) = self.running.iter().find(|running| running.id == call.id) {
            return Step::Now(Acquired::Granted {
                waited: running.waited,
            });
        }
        if self.waiting.iter().any(|waiting| waiting.id == call.id) {
            return Step::Waiting;
        }
        let past = |(id, until, _): &&(CallId, Timestamp, Acquired)| *id == call.id && now < *until;
        if let Some((_, _, answer)) = self.ended.iter().find(past) {
            return Step::Now(answer.clone());
        }
        let slot = &call.items[0];
        let limit = if slot.enforce { slot.running } else { u32::MAX };
        self.limits.insert(slot.key, limit);
        self.admit(now);
        if self.count_running(slot.key) < limit {
            self.start(call.id, slot.key, Span::ZERO, call.lease, now);
            return Step::Now(Acquired::Granted { waited: Span::ZERO });
        }
        if !self.has_place(slot) {
            return Step::Now(Acquired::Full { item: 0 });
        }
        if slot.max_wait.is_zero() {
            return Step::Now(Acquired::TimedOut { item: 0 });
        }
        self.waiting.push(Waiting {
            id: call.id,
            slot: slot.clone(),
            since: now,
            until: now + slot.max_wait,
            lease: call.lease,
        });
        if !self.turns.contains(&(slot.key, slot.fair)) {
            self.turns.push((slot.key, slot.fair));
        }
        Step::Waiting
    }

    pub fn release(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        let before = self.running.len();
        self.running.retain(|running| running.id != id);
        let known = self.running.len() < before || self.leave(id, Acquired::Gone);
        self.end(id, Acquired::Gone, now);
        self.admit(now);
        known
    }

    pub fn renew(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        if let Some(running) = self.running.iter_mut().find(|running| running.id == id) {
            running.until = now + running.lease;
            return true;
        }
        self.waiting.iter().any(|waiting| waiting.id == id)
    }

    pub fn gone(&mut self, id: CallId, now: Timestamp) -> bool {
        self.tick(now);
        self.leave(id, Acquired::Gone)
    }

    pub fn tick(&mut self, now: Timestamp) {
        let mut late: Vec<_> = self
            .waiting
            .iter()
            .map(|waiting| (waiting.until, waiting.id))
            .collect();
        late.retain(|(until, _)| *until <= now);
        late.sort();
        for (_, id) in late {
            self.leave(id, Acquired::TimedOut { item: 0 });
            self.end(id, Acquired::TimedOut { item: 0 }, now);
        }
        for running in self.running.clone() {
            if running.until <= now {
                self.running.retain(|other| other.id != running.id);
                self.end(running.id, Acquired::Gone, now);
            }
        }
        self.admit(now);
    }

    /// Who runs or waits.
    pub fn live(&self) -> Vec<CallId> {
        let running = self.running.iter().map(|running| running.id);
        running
            .chain(self.waiting.iter().map(|waiting| waiting.id))
            .collect()
    }

    /// The object left memory and came back.
    pub fn restart(&mut self) {
        self.waiting.clear();
        self.turns.clear();
        self.ended.clear();
    }

    pub fn next_event(&self) -> Option<Timestamp> {
        let running = self.running.iter().map(|running| running.until);
        let waiting = self.waiting.iter().map(|waiting| waiting.until);
        running.chain(waiting).min()
    }

    pub fn stats(&self) -> Vec<(CounterKey, u32, u32)> {
        let running = self.running.iter().map(|running| running.key);
        let waiting = self.waiting.iter().map(|waiting| waiting.slot.key);
        let keys: BTreeSet<CounterKey> = running.chain(waiting).collect();
        let counts = |key| {
            (
                key,
                self.count_running(key),
                self.count_waiting(key, |_| true),
            )
        };
        keys.into_iter().map(counts).collect()
    }

    fn admit(&mut self, now: Timestamp) {
        for (key, limit) in self.limits.clone() {
            while self.count_running(key) < limit {
                let Some(turn) = self.turns.iter().position(|(of, _)| *of == key) else {
                    break;
                };
                let (_, value) = self.turns.remove(turn);
                let first =
                    |waiting: &Waiting| waiting.slot.key == key && waiting.slot.fair == value;
                let first = self
                    .waiting
                    .iter()
                    .position(first)
                    .expect("a turn of somebody");
                let waiting = self.waiting.remove(first);
                if self.count_waiting(key, |fair| fair == value) > 0 {
                    self.turns.push((key, value));
                }
                let waited = now.saturating_since(waiting.since);
                self.start(waiting.id, key, waited, waiting.lease, now);
                self.resolved
                    .push((waiting.id, Acquired::Granted { waited }));
            }
        }
    }

    fn start(&mut self, id: CallId, key: CounterKey, waited: Span, lease: Span, now: Timestamp) {
        self.running.push(Running {
            id,
            key,
            waited,
            lease,
            until: now + lease,
        });
    }

    fn leave(&mut self, id: CallId, answer: Acquired) -> bool {
        let Some(place) = self.waiting.iter().position(|waiting| waiting.id == id) else {
            return false;
        };
        let slot = self.waiting.remove(place).slot;
        if self.count_waiting(slot.key, |fair| fair == slot.fair) == 0 {
            self.turns.retain(|turn| *turn != (slot.key, slot.fair));
        }
        self.resolved.push((id, answer));
        true
    }

    fn end(&mut self, id: CallId, answer: Acquired, now: Timestamp) {
        self.ended.retain(|(_, until, _)| now < *until);
        if self.ended.iter().all(|(other, _, _)| *other != id) {
            self.ended.push((id, now + past::REMEMBER, answer));
        }
    }

    fn has_place(&self, slot: &Slot) -> bool {
        let same_key = self
            .waiting
            .iter()
            .filter(|waiting| waiting.slot.key == slot.key);
        let values: BTreeSet<_> = same_key.map(|waiting| waiting.slot.fair).collect();
        let share = (slot.waiting / (values.len() as u32 + 1)).max(1);
        let own = self.count_waiting(slot.key, |fair| fair == slot.fair);
        self.count_waiting(slot.key, |_| true) < slot.waiting
            && (slot.fair.is_none() || own < share)
    }

    fn count_running(&self, key: CounterKey) -> u32 {
        self.running
            .iter()
            .filter(|running| running.key == key)
            .count() as u32
    }

    fn count_waiting(&self, key: CounterKey, counts: impl Fn(Option<u64>) -> bool) -> u32 {
        let same = |waiting: &&Waiting| waiting.slot.key == key && counts(waiting.slot.fair);
        self.waiting.iter().filter(same).count() as u32
    }
}
