//! Isolates, objects, and the ways between them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::admission::decide::{Question, Round};
use crate::admission::described::Described;
use crate::admission::plan::{Context, Plan, Tier, plan};
use crate::admission::{Begin, Conclusion, Memory, Reply, Verdict};
use crate::ledger::{self, Ledger, MemoryStore};
use crate::policy::{self, Mode, Policy};
use crate::time::{Span, Timestamp};
use crate::wire::Call;
use crate::wire::names::Namer;

pub fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// Numbers below `below`, the same in every run.
pub struct Numbers(pub u32);

impl Numbers {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (u64::from(self.0) * below) >> 32
    }
}

/// What came of a script.
#[derive(Debug, Default)]
pub struct Played {
    pub requests: u64,
    pub passed: u64,
    /// When requests passed, in milliseconds.
    pub passed_ms: Vec<u64>,
    pub calls: u64,
    /// Units that reports told of.
    pub told: u64,
}

impl Played {
    /// Object calls for a thousand requests.
    pub fn calls_in_1000(&self) -> u64 {
        self.calls * 1_000 / self.requests
    }
}

/// One request that waits for objects.
struct Waiting {
    isolate: usize,
    plan: Rc<Plan>,
    round: Round,
    replies: Vec<Option<Reply>>,
}

enum Event {
    Request(u64),
    Ask(u64),
    Deliver(u64, usize),
    Return(u64, usize, Reply),
    Tell(Question),
    /// Reports of an isolate, with when they were sent.
    Report(usize, Timestamp, Vec<Question>),
    Reported(usize, Timestamp, Vec<Question>, Vec<Reply>),
}

/// Everything.
pub struct Stand {
    policy: Policy,
    namer: Namer,
    plans: BTreeMap<u64, Rc<Plan>>,
    pub isolates: Vec<Memory>,
    objects: BTreeMap<String, Ledger<MemoryStore>>,
    waiting: BTreeMap<u64, Waiting>,
    events: BTreeMap<(Timestamp, u64), Event>,
    number: u64,
    /// Each way takes half a millisecond, and up to this many more.
    slowest_ms: u64,
    /// Of a thousand answers to reports, so many are lost.
    pub lost: u64,
    chance: Numbers,
    played: Played,
}

impl Stand {
    pub fn new(limit: &str, slowest_ms: u64, seed: u32) -> Stand {
        let rule = format!(r#"{{"name":"r","match":{{"path":"/*"}},"limits":[{limit}]}}"#);
        Stand {
            policy: policy::parse(&format!(r#"{{"rules":[{rule}]}}"#)).unwrap(),
            namer: Namer::new(b"test"),
            plans: BTreeMap::new(),
            isolates: vec![Memory::new(1)],
            objects: BTreeMap::new(),
            waiting: BTreeMap::new(),
            events: BTreeMap::new(),
            number: 0,
            slowest_ms,
            lost: 0,
            chance: Numbers(seed),
            played: Played::default(),
        }
    }

    /// Plays requests of (milliseconds, client).
    pub fn play(mut self, script: &[(u64, u64)]) -> Played {
        for (ms, client) in script {
            self.then(at(*ms), Event::Request(*client));
        }
        while let Some(((now, _), event)) = self.events.pop_first() {
            self.happen(event, now);
        }
        self.played
    }

    fn then(&mut self, when: Timestamp, event: Event) {
        self.number += 1;
        self.events.insert((when, self.number), event);
    }

    fn on_the_way(&mut self, now: Timestamp, event: Event) {
        let takes = 500 + self.chance.below(self.slowest_ms * 1_000);
        self.then(now + Span::from_micros(takes), event);
    }

    fn happen(&mut self, event: Event, now: Timestamp) {
        match event {
            Event::Request(client) => self.request(client, now),
            Event::Ask(id) => self.ask(id, now),
            Event::Deliver(id, index) => {
                let question = self.waiting[&id].round.questions[index].clone();
                let reply = self.handle(&question, now);
                self.on_the_way(now, Event::Return(id, index, reply));
            }
            Event::Return(id, index, reply) => self.take_in(id, index, reply, now),
            Event::Tell(question) => {
                self.handle(&question, now);
            }
            Event::Report(isolate, sent, questions) => {
                let replies = questions.iter().map(|question| self.handle(question, now));
                let mut replies: Vec<Reply> = replies.collect();
                if self.chance.below(1_000) < self.lost {
                    replies = vec![Reply::TimedOut; replies.len()];
                }
                self.on_the_way(now, Event::Reported(isolate, sent, questions, replies));
            }
            Event::Reported(isolate, sent, questions, replies) => {
                let memory = &mut self.isolates[isolate];
                let next = memory.reported(&self.policy, questions, &replies, (sent, now));
                self.report(isolate, next, now);
            }
        }
    }

    fn request(&mut self, client: u64, now: Timestamp) {
        let make = || {
            let [_, _, a, b] = u32::try_from(client).unwrap().to_be_bytes();
            let request = Described::new("GET", "/").from_ip(&format!("10.0.{a}.{b}"));
            let context = Context {
                policy: &self.policy,
                namer: &self.namer,
                mode: Mode::Enforce,
                tiers: &|_, _| Tier::Unknown,
            };
            Rc::new(plan(&context, &request))
        };
        let plan = Rc::clone(self.plans.entry(client).or_insert_with(make));
        self.played.requests += 1;
        let isolate = self.chance.below(self.isolates.len() as u64) as usize;
        match self.isolates[isolate].begin(&self.policy, &plan, now) {
            Begin::Decided(verdict) => self.decided(isolate, verdict, now),
            Begin::Ask(round) => {
                let (id, replies) = (self.number, Vec::new());
                let waiting = Waiting {
                    isolate,
                    plan,
                    round,
                    replies,
                };
                self.waiting.insert(id, waiting);
                self.ask(id, now);
            }
        }
    }

    fn ask(&mut self, id: u64, now: Timestamp) {
        let waiting = self.waiting.get_mut(&id).unwrap();
        let asked = waiting.round.questions.len();
        waiting.replies = vec![None; asked];
        for index in 0..asked {
            self.played.calls += 1;
            self.on_the_way(now, Event::Deliver(id, index));
        }
    }

    fn take_in(&mut self, id: u64, index: usize, reply: Reply, now: Timestamp) {
        let waiting = self.waiting.get_mut(&id).unwrap();
        waiting.replies[index] = Some(reply);
        if waiting.replies.iter().any(Option::is_none) {
            return;
        }
        let Waiting {
            isolate,
            plan,
            round,
            replies,
        } = self.waiting.remove(&id).unwrap();
        let replies: Vec<Reply> = replies.into_iter().flatten().collect();
        let memory = &mut self.isolates[isolate];
        match memory.conclude(&self.policy, &plan, round, &replies, now) {
            Conclusion::Verdict(verdict) => {
                for question in memory.leases.sweep(now) {
                    self.played.calls += 1;
                    self.on_the_way(now, Event::Tell(question));
                }
                self.decided(isolate, verdict, now);
            }
            Conclusion::Again(round, pause) => {
                let replies = Vec::new();
                let waiting = Waiting {
                    isolate,
                    plan,
                    round,
                    replies,
                };
                self.waiting.insert(id, waiting);
                self.then(now + pause, Event::Ask(id));
            }
        }
    }

    fn decided(&mut self, isolate: usize, verdict: Verdict, now: Timestamp) {
        if verdict.admitted() {
            self.played.passed += 1;
            let ms = now.saturating_since(at(0)).as_micros() / 1_000;
            self.played.passed_ms.push(ms);
        }
        self.report(isolate, verdict.reports, now);
    }

    fn report(&mut self, isolate: usize, questions: Vec<Question>, now: Timestamp) {
        if questions.is_empty() {
            return;
        }
        for question in &questions {
            self.played.calls += 1;
            if let Call::Charge(charge) = &question.call {
                self.played.told += charge.items[0].cost;
            }
        }
        self.on_the_way(now, Event::Report(isolate, now, questions));
    }

    fn handle(&mut self, question: &Question, now: Timestamp) -> Reply {
        let object = self.objects.entry(question.object.clone());
        let object = object.or_insert_with(|| Ledger::open(MemoryStore::default(), now));
        match object.handle(&question.call, now) {
            ledger::Reply::Now(answer) => Reply::Answer(answer),
            ledger::Reply::Later(_) => panic!("it waits"),
        }
    }
}
