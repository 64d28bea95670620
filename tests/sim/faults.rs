//! What befalls objects: leaving memory, crashes, failing disks, clocks that are
//! set, deploys, and operators.

use weir::admission::Memory;
use weir::wire::Call;

use super::request::Request;

use super::scenario::{MS, SECOND};
use super::world::{Event, World};

/// A mishap of a kind; which object it befalls is decided when it happens.
#[derive(Clone, Copy, Debug)]
pub enum Mishap {
    Crash,
    Break,
    Repair,
    Step,
    Deploy,
    Forget,
    NewPolicy,
    Stall,
    Unreliable,
    Reliable,
    /// An isolate goes, with all that it remembers and all that it was doing.
    Isolate,
}

impl World {
    pub fn plan_mishaps(&mut self) {
        let scenario = self.scenario.clone();
        for (every, mishap) in [
            (scenario.crash_every, Mishap::Crash),
            (scenario.break_every, Mishap::Break),
            (scenario.step_every, Mishap::Step),
            (scenario.deploy_every, Mishap::Deploy),
            (scenario.forget_every, Mishap::Forget),
            (scenario.stall_every, Mishap::Stall),
            (scenario.unreliable_every, Mishap::Unreliable),
            (scenario.isolate_every, Mishap::Isolate),
        ] {
            if every > 0 {
                let first = self.rng.range(0, 2 * every);
                self.at(first, Event::Mishap(mishap));
            }
        }
        if scenario.policies.len() > 1 {
            let when = self.rng.range(0, scenario.end);
            self.at(when, Event::Mishap(Mishap::NewPolicy));
        }
    }

    fn again(&mut self, every: u64, mishap: Mishap) {
        let next = self.now + self.rng.range(every / 2, every * 3 / 2);
        if next < self.scenario.end {
            self.at(next, Event::Mishap(mishap));
        }
    }

    pub fn befall(&mut self, mishap: Mishap) {
        let names: Vec<String> = self.objects.keys().cloned().collect();
        let name = (!names.is_empty()).then(|| self.rng.pick(&names).clone());
        self.trace
            .note(self.now, || format!("{mishap:?} ({name:?})"));
        match mishap {
            Mishap::Crash => {
                self.again(self.scenario.crash_every, mishap);
                if let Some(name) = name {
                    self.crash(&name);
                }
            }
            Mishap::Break => {
                self.again(self.scenario.break_every, mishap);
                if let Some(object) = name.and_then(|name| self.objects.get_mut(&name)) {
                    object.disk.borrow_mut().broken = true;
                    object.broken_since.get_or_insert(self.now);
                }
                let until = self.rng.range(10 * MS, 6 * SECOND);
                self.after(until, Event::Mishap(Mishap::Repair));
            }
            Mishap::Repair => {
                for object in self.objects.values_mut() {
                    object.disk.borrow_mut().broken = false;
                }
            }
            Mishap::Step => {
                self.again(self.scenario.step_every, mishap);
                if let Some(name) = name {
                    self.step_clock(&name);
                }
            }
            Mishap::Deploy => {
                self.again(self.scenario.deploy_every, mishap);
                self.newer_until = self.now + self.rng.range(SECOND, 10 * SECOND);
                if self.rng.permille(300) {
                    self.foreign_until = self.now + self.rng.range(100 * MS, 2 * SECOND);
                }
                for name in names {
                    if self.rng.permille(300) {
                        self.crash(&name);
                    }
                }
            }
            Mishap::Forget => {
                self.again(self.scenario.forget_every, mishap);
                let places: Vec<_> = self.oracle.logs.keys().cloned().collect();
                if !places.is_empty() {
                    let (object, key) = self.rng.pick(&places).clone();
                    if let Some(object) = self.objects.get_mut(&object) {
                        // Isolates may remember a refusal for a while yet.
                        object.upset_at = Some(self.now + SECOND + 500 * MS);
                    }
                    self.send(&object, &Call::Forget { keys: vec![key] }, None);
                }
            }
            Mishap::Stall => {
                self.again(self.scenario.stall_every, mishap);
                let until = self.now + self.rng.range(100 * MS, 4 * SECOND);
                if let Some(object) = name.and_then(|name| self.objects.get_mut(&name)) {
                    object.stalled_until = until;
                }
            }
            Mishap::Unreliable => {
                self.again(self.scenario.unreliable_every, mishap);
                for object in self.objects.values_mut() {
                    object.disk.borrow_mut().unreliable = true;
                }
                let until = self.rng.range(SECOND, 8 * SECOND);
                self.after(until, Event::Mishap(Mishap::Reliable));
            }
            Mishap::Reliable => {
                for object in self.objects.values_mut() {
                    object.disk.borrow_mut().unreliable = false;
                }
            }
            Mishap::Isolate => {
                self.again(self.scenario.isolate_every, mishap);
                let gone = self.rng.range(0, self.scenario.isolates) as usize;
                self.isolates[gone].memory = Memory::new(self.rng.next());
                self.oracle.here.isolate_gone(gone, self.now);
                let here = |request: &Request| request.isolate == gone;
                let all = self.requests.iter();
                let ids: Vec<u64> = all
                    .filter(|(_, request)| here(request))
                    .map(|(id, _)| *id)
                    .collect();
                ids.into_iter().for_each(|id| self.vanish(id));
            }
            Mishap::NewPolicy => {
                for isolate in &mut self.isolates {
                    isolate.policy = 1;
                }
            }
        }
    }

    /// Memory is gone, and whatever was not durable yet.
    pub fn crash(&mut self, name: &str) {
        let down = self.rng.range(0, 1_500 * MS);
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        object.disk.borrow_mut().crash();
        object.alarm_lost |= object.unwritten_since(now).is_some();
        if object.ledger.is_some() {
            object.note_leaving(now);
            self.oracle.memory_lost(object, false, now);
            self.oracle.slots.memory_lost(object, now);
            object.lose_memory();
        }
        object.upset_at = Some(now + down);
        object.down_until = now + down;
        object.gate = 0;
        let unsent = std::mem::take(&mut object.gated);
        for (_, event) in unsent.into_iter().filter(|(gate, _)| *gate > now) {
            self.cancel(event);
        }
        self.set_alarm(name);
    }

    fn step_clock(&mut self, name: &str) {
        let forward = self.rng.permille(500);
        let by = *self.rng.pick(&[5 * MS, 300 * MS, 2 * SECOND, 15 * SECOND]) as i64;
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        object.offset += if forward { by } else { -by };
        object.shaken |= !forward;
        object.upset_at = Some(now);
        object.steps += 1;
        self.trace
            .note(now, || format!("  by {by} us, forward: {forward}"));
        self.set_alarm(name);
    }

    /// Has the object in memory, as the platform would.
    pub fn bring_in(&mut self, name: &str) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        if object.is_due_to_leave(now) {
            object.note_leaving(now);
            self.trace.note(now, || {
                format!("  {} was idle and had left memory", &name[..4])
            });
            self.oracle.memory_lost(object, true, now);
            self.oracle.slots.memory_lost(object, now);
            object.lose_memory();
        }
        if let Some(back) = object.load(now) {
            if object.disk.borrow().broken {
                // It starts empty, and nobody can know better.
                for ((_, _), log) in self
                    .oracle
                    .logs
                    .iter_mut()
                    .filter(|((owner, _), _)| owner == name)
                {
                    log.entries
                        .iter_mut()
                        .for_each(|entry| entry.forgiven = true);
                    log.block_until = 0;
                }
            }
            if back > 0 {
                self.oracle.set_back(object, back);
            }
            self.trace
                .note(now, || format!("  {} comes into memory", &name[..4]));
            self.audit_all(name);
        }
    }
}
