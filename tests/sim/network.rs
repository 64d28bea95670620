//! What lies between isolates and objects: delay, loss, messages that come twice or late, objects
//! that cannot be reached, and two versions of the code that talk to each other.

use weir::ledger::Reply;
use weir::wire::{Acquired, Answer, Call, CallId};

use super::object::{Object, Return};
use super::scenario::{MS, SECOND};
use super::tell;
use super::world::{Event, World};

/// A call on its way.
#[derive(Clone, Debug)]
pub struct Parcel {
    pub object: String,
    pub text: String,
    pub back: Option<Return>,
    pub answer_lost: bool,
}

/// How the edge writes down why there is no answer.
pub const RETRYABLE: &str = "!r";
pub const OVERLOADED: &str = "!o";
pub const FAILED: &str = "!f";

impl World {
    fn delay(&mut self) -> u64 {
        if self.rng.permille(self.scenario.network.slow) {
            self.rng.range(50 * MS, 1_500 * MS)
        } else {
            self.rng.range(MS / 2, 20 * MS)
        }
    }

    /// The text as a newer version might write it: with fields that this one does not know.
    fn in_some_version(&mut self, text: String) -> String {
        if self.now >= self.newer_until || self.rng.permille(400) {
            return text;
        }
        let sections = text
            .split('~')
            .map(|section| format!("{section}................zZ"));
        sections.collect::<Vec<_>>().join("~")
    }

    pub fn send(&mut self, object: &str, call: &Call, back: Option<Return>) {
        let text = self.in_some_version(call.encode());
        let network = self.scenario.network;
        if let Some(back) = back
            && self.rng.permille(network.refused)
        {
            let why = *self.rng.pick(&[RETRYABLE, RETRYABLE, OVERLOADED, FAILED]);
            self.note(|| format!("  {} cannot be reached: {why}", &object[..4]));
            let delay = self.delay();
            self.after(delay, Event::Answer(back, why.to_owned()));
            return;
        }
        if self.rng.permille(network.lost) {
            let names = &self.oracle;
            self.trace.note(self.now, || {
                format!(
                    "  lost on the way to {}: {}",
                    &object[..4],
                    tell::call(call, names)
                )
            });
            return;
        }
        let parcel = Parcel {
            object: object.to_owned(),
            text,
            back,
            answer_lost: self.rng.permille(network.answer_lost),
        };
        if self.rng.permille(network.twice) {
            let delay = self.delay();
            self.after(delay, Event::Deliver(parcel.clone()));
        }
        let delay = self.delay();
        self.after(delay, Event::Deliver(parcel));
    }

    pub fn deliver(&mut self, parcel: Parcel) {
        let stalled = self.objects.get(&parcel.object);
        if let Some(until) = stalled.map(|object| object.stalled_until)
            && until > self.now
        {
            self.at(until, Event::Deliver(parcel));
            return;
        }
        let Parcel {
            object: name,
            text,
            back,
            answer_lost,
        } = parcel;
        if !self.objects.contains_key(&name) {
            let offset = self.rng.range(0, 4 * SECOND) as i64 - 2 * SECOND as i64;
            self.objects
                .insert(name.clone(), Object::new(name.clone(), offset, self.now));
        }
        if self.objects[&name].down_until > self.now {
            if let Some(back) = back {
                let why = *self.rng.pick(&[RETRYABLE, FAILED]);
                self.after(MS, Event::Answer(back, why.to_owned()));
            }
            return;
        }
        self.bring_in(&name);
        let foreign = self.now < self.foreign_until && self.rng.permille(500);
        let Some(call) = Call::decode(&text).filter(|_| !foreign) else {
            self.reply(&name, back, &Answer::Unintelligible, answer_lost);
            return;
        };
        let reply = self.handle(&name, &call);
        // What one event writes, the alarm included, becomes durable together.
        self.arrange(&name);
        match reply {
            Reply::Now(answer) => self.reply(&name, back, &answer, answer_lost),
            Reply::Later(id) => {
                if let Some(back) = back {
                    self.queued(back.request);
                }
                if let (Some(back), Some(object)) = (back, self.objects.get_mut(&name)) {
                    object.waiting.insert(id, back);
                }
            }
        }
    }

    /// Carries out a call, with the oracle looking on.
    fn handle(&mut self, name: &str, call: &Call) -> Reply {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return Reply::Now(Answer::Unintelligible);
        };
        object.last_event = now;
        object.advance_shadow(now);
        let clock = object.clock(now);
        let before = self.oracle.before_repeat(object, call, now);
        let Some(ledger) = object.ledger.as_mut() else {
            return Reply::Now(Answer::Unintelligible);
        };
        let reply = ledger.handle(call, clock);
        self.oracle.after_repeat(object, call, before, now);
        let names = &self.oracle;
        self.trace.note(now, || {
            let reply = match &reply {
                Reply::Now(answer) => tell::answer(answer),
                Reply::Later(_) => "it waits".to_owned(),
            };
            format!("  {} {} -> {reply}", &name[..4], tell::call(call, names))
        });
        let oracle = &mut self.oracle;
        let mut crash = false;
        match (call, &reply) {
            (Call::Charge(charge), Reply::Now(Answer::Charged(charged))) => {
                let first = oracle.charged(object, charge, charged, now);
                oracle.reported(object, charge);
                for (item, outcome) in charge.items.iter().zip(&charged.outcomes) {
                    // A report is told what one more unit would find.
                    let first = first && item.taken.is_none();
                    if first
                        && outcome.blocked
                        && self.scenario.crash_every > 0
                        && self.rng.permille(400)
                    {
                        crash = true;
                    }
                    if first && charge.id.0 % 4 == 0 {
                        oracle.check_wait(object, item, outcome, now);
                    }
                    if first {
                        oracle.check_to_remember(object, item, outcome, now);
                    }
                }
            }
            (Call::Refund { id }, _) => oracle.refunded(object, *id),
            (Call::Settle { id, spent }, _) => oracle.settled(object, *id, spent),
            (Call::Confirm { id, after }, _) => oracle.confirmed(object, *id, *after),
            (Call::Forget { keys }, _) => oracle.forgotten(object, keys),
            (Call::Acquire(acquire), reply) => {
                oracle.slots.asked(object, acquire);
                if let Reply::Now(Answer::Acquired(Acquired::Granted { .. })) = reply {
                    oracle.slots.granted(object, acquire.id);
                }
            }
            (Call::Renew { id }, _) => oracle.slots.renewed(object, *id),
            (Call::Release { id }, _) => oracle.slots.released(object, *id),
            _ => {}
        }
        if crash {
            // What has just begun must be stored already.
            let soon = self.rng.range(20 * MS, SECOND);
            self.after(soon, Event::Crash(name.to_owned()));
        }
        reply
    }

    /// Sends an answer back, not before what it depends on is stored.
    fn reply(&mut self, name: &str, back: Option<Return>, answer: &Answer, lost: bool) {
        let (rng, scenario) = (&mut self.rng, self.scenario.network);
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        if object.disk.borrow().urgent {
            object.disk.borrow_mut().urgent = false;
            object.gate = object.gate.max(self.now + rng.range(0, 5 * MS));
            let mark = object.disk.borrow().mark();
            let (gate, object) = (object.gate, name.to_owned());
            self.at(gate, Event::Commit { object, mark });
        }
        let gate = self.objects[name].gate.max(self.now);
        let Some(back) = back else { return };
        let text = self.in_some_version(answer.encode());
        let slow = self.rng.permille(scenario.slow / 2);
        let delay = if slow {
            self.rng.range(50 * MS, SECOND)
        } else {
            self.rng.range(MS / 2, 20 * MS)
        };
        let text = match lost {
            false => text,
            true if self.rng.permille(500) => RETRYABLE.to_owned(),
            true => return,
        };
        let when = gate + delay;
        let token = self.at(when, Event::Answer(back, text));
        if gate > self.now
            && let Some(object) = self.objects.get_mut(name)
        {
            let now = self.now;
            object.gated.retain(|(gate, _)| *gate > now);
            object.gated.push((gate, (when, token)));
        }
    }

    /// Does what the object's owner has to do after every call.
    pub fn arrange(&mut self, name: &str) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        object.advance_shadow(now);
        let Some(ledger) = object.ledger.as_mut() else {
            return;
        };
        let resolved: Vec<(CallId, Answer)> = ledger.drain_resolved();
        let (wake, alarm) = (ledger.next_wake(), ledger.take_alarm());
        for (id, answer) in resolved {
            let back = self
                .objects
                .get_mut(name)
                .and_then(|object| object.waiting.remove(&id));
            self.trace
                .note(now, || format!("  {} {id:?} -> {answer:?}", &name[..4]));
            if matches!(answer, Answer::Acquired(Acquired::Granted { .. })) {
                let object = &self.objects[name];
                let fault = self.oracle.slots.served(object, id);
                self.oracle.slots.granted(object, id);
                if let Some(fault) = fault {
                    self.oracle.violate(format!("{}: {fault}", &name[..4]));
                }
            }
            self.reply(name, back, &answer, false);
        }
        self.set_timer(name, wake);
        if let Some(at) = alarm {
            self.objects[name].disk.borrow_mut().set_alarm(Some(at));
            let wait = at.saturating_since(self.objects[name].clock(now));
            self.note(|| {
                format!(
                    "  {} sets its alarm, in {} us",
                    &name[..4],
                    wait.as_micros()
                )
            });
            self.set_alarm(name);
        }
        if self.objects[name].disk.borrow().is_staged() {
            let (object, mark) = (name.to_owned(), self.objects[name].disk.borrow().mark());
            let delay = self.rng.range(0, 500 * MS);
            self.after(delay, Event::Commit { object, mark });
        }
        self.check_slots(name);
    }
}
