//! A request that its counters let through: its slots, its time at the origin, and its end.

use weir::admission::plan::Settle;
use weir::admission::{Reply, slots};
use weir::time::Span;
use weir::wire::{Acquire, Acquired, Answer, Call, CallId};

use super::object::Return;
use super::scenario::{MS, SECOND};
use super::world::{Event, World};

/// How long a slot is leased, and how often the lease is renewed.
const LEASE: Span = Span::from_secs(12);
const RENEW: u64 = 2 * SECOND;

impl World {
    /// Asks the next object for slots; once there is none left, the origin gets the request.
    pub fn next_slot(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Some((object, call)) = request.slots.get(request.slot_at).cloned() else {
            return self.go_to_origin(id);
        };
        let slots = request
            .plan
            .slots
            .iter()
            .filter(|slot| slot.object == object);
        let items: Vec<_> = slots.map(|slot| slot.slot.clone()).collect();
        let wait = items
            .iter()
            .map(|slot| slot.max_wait.as_micros())
            .max()
            .unwrap_or(0);
        let back = Return {
            request: id,
            round: request.number,
            index: 0,
        };
        let round = request.number;
        self.after(wait + SECOND, Event::Late { request: id, round });
        self.send(
            &object,
            &Call::Acquire(Acquire {
                id: call,
                items,
                lease: LEASE,
            }),
            Some(back),
        );
    }

    /// It waits in a queue: its charges stay open until it has its turn.
    pub fn queued(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        request.waited = true;
        let timeout = self.policies[request.policy].counter_timeout;
        let waits = request.plan.slots.iter().map(|slot| slot.slot.max_wait);
        let longest = waits.max().unwrap_or_default() + timeout + timeout;
        let verdict = request.verdict.as_ref();
        let questions = verdict.map(|verdict| verdict.confirm(longest));
        for question in questions.unwrap_or_default() {
            self.send(&question.object, &question.call, None);
        }
    }

    pub fn slot_answered(&mut self, id: u64, reply: Reply) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        if let Reply::Answer(Answer::Acquired(Acquired::Granted { .. })) = reply {
            request.slot_at += 1;
            return self.next_slot(id);
        }
        self.note(|| format!("request {id}: no slot"));
        self.release(id);
        if let Some(request) = self.requests.remove(&id) {
            let charges = request
                .verdict
                .map(|verdict| verdict.charges)
                .unwrap_or_default();
            self.oracle
                .turned_away(&charges, &request.sent, &request.answers);
            for charge in charges {
                let question = charge.refund();
                self.send(&question.object, &question.call, None);
            }
        }
    }

    fn go_to_origin(&mut self, id: u64) {
        let slotted = !self.requests[&id].slots.is_empty();
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        request.at_origin = true;
        let verdict = request.verdict.clone().unwrap_or_default();
        let worth_it = request.waited || slots::is_scarce(&request.plan, &verdict);
        self.oracle.went(&verdict, &self.objects, self.now);
        if request.plan.before_slots && worth_it {
            for question in verdict.confirm(Span::ZERO) {
                self.send(&question.object, &question.call, None);
            }
        }
        let takes = if slotted && self.rng.permille(300) {
            15 * SECOND
        } else {
            200 * MS
        };
        let takes = self.rng.range(MS, takes);
        self.after(takes, Event::OriginDone(id));
        if slotted {
            self.after(RENEW, Event::Renew(id));
        }
    }

    pub fn renew(&mut self, id: u64) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        for (object, call) in request.slots.clone() {
            self.send(&object, &Call::Renew { id: call }, None);
        }
        self.after(RENEW, Event::Renew(id));
    }

    fn release(&mut self, id: u64) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        for (object, call) in request.slots.clone() {
            self.send(&object, &Call::Release { id: call }, None);
        }
    }

    pub fn origin_done(&mut self, id: u64) {
        self.release(id);
        let Some(request) = self.requests.remove(&id) else {
            return;
        };
        let kept = self.rng.permille(400);
        for reservation in request
            .verdict
            .map(|verdict| verdict.reservations)
            .unwrap_or_default()
        {
            let units = match reservation.settle {
                Settle::Count(_) if !kept => 0,
                _ => reservation.held,
            };
            let spent = vec![(reservation.item, units)];
            self.send(
                &reservation.object,
                &Call::Settle {
                    id: reservation.id,
                    spent,
                },
                None,
            );
        }
    }

    /// The client goes away. Whatever its request would still have done may never happen.
    pub fn leave(&mut self, id: u64) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let at_origin = request.at_origin;
        self.note(|| format!("request {id}: its client has left"));
        if at_origin && self.rng.permille(500) {
            return self.origin_done(id);
        }
        self.vanish(id);
    }

    /// Nothing more happens for a request; where it waits for a slot, its object sees that.
    pub fn vanish(&mut self, id: u64) {
        let Some(request) = self.requests.remove(&id) else {
            return;
        };
        if request.at_origin {
            return;
        }
        for (object, call) in request.slots {
            let seen = self.rng.range(MS, 40 * MS);
            self.after(seen, Event::Gone { object, call });
        }
    }

    /// An object sees that the connection of somebody who asked for slots is closed.
    pub fn gone(&mut self, name: &str, call: CallId) {
        let now = self.now;
        let Some(object) = self.objects.get_mut(name) else {
            return;
        };
        let waited = object.waiting.remove(&call).is_some();
        if !waited || object.ledger.is_none() {
            return;
        }
        object.advance_shadow(now);
        object.last_event = now;
        let clock = object.clock(now);
        if let Some(ledger) = object.ledger.as_mut() {
            ledger.gone(call, clock);
        }
        self.oracle.slots.left(&self.objects[name], call);
        self.arrange(name);
    }
}
