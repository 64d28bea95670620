//! The event loop: one queue, true time, and whatever is due next.

use std::collections::BTreeMap;

use weir::admission::Memory;
use weir::policy::{self, Policy};
use weir::time::Timestamp;
use weir::wire::CallId;
use weir::wire::names::Namer;

use super::client::Client;
use super::faults::Mishap;
use super::network::Parcel;
use super::object::{Object, Return, START};
use super::oracle::Oracle;
use super::report::Report;
use super::request::Request;
use super::rng::Rng;
use super::scenario::{SECOND, Scenario};
use super::trace::Trace;

const LONGER_THAN_ANY_WINDOW: u64 = 3_600 * SECOND;

/// Something that happens.
#[derive(Debug)]
pub enum Event {
    Arrive(usize),
    /// It looks again whether another request has learnt what it would ask: how long it may yet wait,
    /// and until when it looks next.
    Enter(u64, u64, u64),
    Leave(u64),
    Deliver(Parcel),
    Answer(Return, String),
    /// Everything asked in this round is late by now.
    Late {
        request: u64,
        round: u32,
    },
    Ask(u64),
    /// The body of a request has arrived.
    Body(u64),
    Renew(u64),
    OriginDone(u64),
    Wake {
        object: String,
        token: u64,
    },
    Alarm {
        object: String,
        at: Timestamp,
    },
    Commit {
        object: String,
        mark: u64,
    },
    /// What an object had written behind turns out to have failed.
    WriteFailed {
        object: String,
        row: Option<String>,
        epoch: u32,
    },
    /// The connection over which somebody waited for a slot, or held one, is seen to be closed.
    Gone {
        object: String,
        call: CallId,
    },
    Crash(String),
    Mishap(Mishap),
}

pub struct Isolate {
    pub memory: Memory,
    pub skew: u64,
    pub policy: usize,
}

pub struct World {
    pub scenario: Scenario,
    pub rng: Rng,
    pub now: u64,
    pub policies: Vec<Policy>,
    pub namer: Namer,
    pub isolates: Vec<Isolate>,
    pub clients: Vec<Client>,
    pub objects: BTreeMap<String, Object>,
    pub requests: BTreeMap<u64, Request>,
    pub reports: BTreeMap<u64, Report>,
    pub oracle: Oracle,
    pub trace: Trace,
    /// Messages are in a newer version's form until then.
    pub newer_until: u64,
    /// Objects do not understand a word until then.
    pub foreign_until: u64,
    queue: BTreeMap<(u64, u64), Event>,
    events: u64,
}

/// How a seed ended.
#[derive(Debug)]
pub struct Summary {
    pub violation: Option<String>,
    pub trace: String,
    pub requests: u64,
    pub admissions: u64,
    pub audits: u64,
    pub grants: u64,
    pub permits: u64,
}

/// Plays one seed to its end.
pub fn play(seed: u64, traced: u64) -> Summary {
    let mut world = World::new(seed, traced);
    world.run();
    if world.oracle.violation.is_none() {
        world.check_the_end();
    }
    Summary {
        requests: world.events_of_requests(),
        trace: world.trace.text(),
        violation: world.oracle.violation,
        admissions: world.oracle.admissions,
        audits: world.oracle.audits,
        grants: world.oracle.slots.grants,
        permits: world.oracle.permits,
    }
}

impl World {
    fn new(seed: u64, traced: u64) -> World {
        let mut rng = Rng::new(seed);
        let scenario = Scenario::new(&mut rng);
        let policies = scenario
            .policies
            .iter()
            .map(|text| match policy::parse(text) {
                Ok(policy) => policy,
                Err(faults) => panic!("{text}: {faults:?}"),
            });
        let mut world = World {
            policies: policies.collect(),
            namer: Namer::new(b"simulated"),
            isolates: Vec::new(),
            clients: Vec::new(),
            objects: BTreeMap::new(),
            requests: BTreeMap::new(),
            reports: BTreeMap::new(),
            oracle: Oracle::default(),
            trace: Trace::new(traced),
            newer_until: 0,
            foreign_until: 0,
            queue: BTreeMap::new(),
            events: 0,
            now: 0,
            scenario,
            rng,
        };
        world.trace.note(0, || format!("{:#?}", world.scenario));
        for _ in 0..world.scenario.isolates {
            let isolate = Isolate {
                memory: Memory::new(world.rng.next()),
                skew: world.rng.range(0, world.scenario.skew),
                policy: 0,
            };
            world.isolates.push(isolate);
        }
        for number in 0..world.scenario.clients {
            let client = Client::new(number, world.scenario.busy, &mut world.rng);
            world.clients.push(client);
            let first = world.rng.range(0, SECOND);
            world.at(first, Event::Arrive(number as usize));
        }
        world.plan_mishaps();
        world
    }

    /// Has something happen at a true time.
    pub fn at(&mut self, when: u64, event: Event) -> u64 {
        self.events += 1;
        self.queue.insert((when.max(self.now), self.events), event);
        self.events
    }

    /// What was to happen then, under this token, happens no more.
    pub fn cancel(&mut self, event: (u64, u64)) {
        self.queue.remove(&event);
    }

    pub fn after(&mut self, span: u64, event: Event) -> u64 {
        self.at(self.now + span, event)
    }

    /// The token that the next event will have.
    pub fn next_token(&self) -> u64 {
        self.events + 1
    }

    pub fn note(&mut self, text: impl FnOnce() -> String) {
        self.trace.note(self.now, text);
    }

    /// What an isolate's clock shows.
    pub fn clock(&self, isolate: usize) -> Timestamp {
        Timestamp::from_micros(START + self.now + self.isolates[isolate].skew)
    }

    fn run(&mut self) {
        while let Some(((when, _), event)) = self.queue.pop_first() {
            self.now = when;
            self.happen(event);
            if self.oracle.violation.is_some() {
                return;
            }
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive(client) => self.arrive(client),
            Event::Enter(request, left, pause) => self.enter(request, left, pause),
            Event::Leave(request) => self.leave(request),
            Event::Deliver(parcel) => self.deliver(parcel),
            Event::Answer(back, text) => self.answered(back, &text),
            Event::Late { request, round } => self.late(request, round),
            Event::Ask(request) => self.ask(request),
            Event::Body(request) => self.body_read(request),
            Event::Renew(request) => self.renew(request),
            Event::OriginDone(request) => self.origin_done(request),
            Event::Wake { object, token } => self.wake(&object, token),
            Event::Alarm { object, at } => self.alarm(&object, at),
            Event::Commit { object, mark } => self.commit(&object, mark),
            Event::WriteFailed { object, row, epoch } => self.write_failed(&object, row, epoch),
            Event::Gone { object, call } => self.gone(&object, call),
            Event::Crash(object) => self.crash(&object),
            Event::Mishap(mishap) => self.befall(mishap),
        }
    }

    fn events_of_requests(&self) -> u64 {
        self.clients.iter().map(|client| client.asked).sum()
    }

    /// Everything is over: nothing runs, waits or is stored, and every counter is as new.
    fn check_the_end(&mut self) {
        self.now += LONGER_THAN_ANY_WINDOW;
        let mut faults = Vec::new();
        let places: Vec<_> = self.oracle.logs.keys().cloned().collect();
        for object in self.objects.values().filter(|object| !object.alarm_lost) {
            let rows = object.disk.borrow().rows();
            if rows > 0 {
                faults.push(format!("{rows} rows are left in {}", object.name));
            }
            if object.disk.borrow().alarm().is_some() {
                faults.push(format!("an alarm is left in {}", object.name));
            }
            let mut ledger = object.look_ahead(self.now);
            let clock = object.clock(self.now);
            if let weir::ledger::Reply::Now(weir::wire::Answer::Stats(stats)) =
                ledger.handle(&weir::wire::Call::Stats, clock)
                && stats.running + stats.waiting > 0
            {
                faults.push(format!("slots are left in {}: {stats:?}", object.name));
            }
            for place in places.iter().filter(|(name, _)| *name == object.name) {
                let Some(log) = self.oracle.logs.get(place) else {
                    continue;
                };
                let outcome = super::oracle::audit::peek(&mut ledger, &log.item, clock);
                let full = log.item.quota.limit.min(log.item.quota.burst);
                if outcome.is_none_or(|outcome| outcome.remaining < full || !outcome.conforms) {
                    let name = self.oracle.name(place.1);
                    faults.push(format!("{name} is not as new: {outcome:?}"));
                }
            }
        }
        if !faults.is_empty() {
            self.oracle
                .violate(format!("at the end: {}", faults.join("; ")));
        }
    }
}
