//! How often objects are asked for what visitors do, and what passes: whole scripts, played against
//! real objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::admission::decide::{Question, Round};
use crate::admission::described::Described;
use crate::admission::plan::{Context, Plan, Tier, plan};
use crate::admission::{Begin, Conclusion, Memory, Reply};
use crate::ledger::{self, Ledger, MemoryStore};
use crate::policy::{self, Mode, Policy};
use crate::time::{Span, Timestamp};
use crate::wire::names::Namer;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + ms)
}

/// Numbers below `below`, the same in every run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (u64::from(self.0) * below) >> 32
    }
}

/// What came of a script.
#[derive(Debug, Default)]
struct Played {
    requests: u64,
    passed: u64,
    calls: u64,
    given_back: u64,
}

impl Played {
    /// Object calls for a thousand requests.
    fn calls_in_1000(&self) -> u64 {
        (self.calls + self.given_back) * 1_000 / self.requests
    }
}

/// One request that waits for objects.
struct Waiting {
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
}

/// One isolate, its objects, and the ways between them.
struct Stand {
    policy: Policy,
    namer: Namer,
    plans: BTreeMap<u64, Rc<Plan>>,
    memory: Memory,
    objects: BTreeMap<String, Ledger<MemoryStore>>,
    waiting: BTreeMap<u64, Waiting>,
    events: BTreeMap<(Timestamp, u64), Event>,
    number: u64,
    /// Each way takes between half a millisecond and this many of them.
    slowest_ms: u64,
    chance: Numbers,
    played: Played,
}

impl Stand {
    fn new(limit: &str, slowest_ms: u64, seed: u32) -> Stand {
        let rule = format!(r#"{{"name":"r","match":{{"path":"/*"}},"limits":[{limit}]}}"#);
        Stand {
            policy: policy::parse(&format!(r#"{{"rules":[{rule}]}}"#)).unwrap(),
            namer: Namer::new(b"test"),
            plans: BTreeMap::new(),
            memory: Memory::new(1),
            objects: BTreeMap::new(),
            waiting: BTreeMap::new(),
            events: BTreeMap::new(),
            number: 0,
            slowest_ms,
            chance: Numbers(seed),
            played: Played::default(),
        }
    }

    /// Plays requests of (milliseconds, client).
    fn play(mut self, script: &[(u64, u64)]) -> Played {
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
        match self.memory.begin(&self.policy, &plan, now) {
            Begin::Decided(verdict) => self.played.passed += u64::from(verdict.admitted()),
            Begin::Ask(round) => {
                let (id, replies) = (self.number, Vec::new());
                let waiting = Waiting {
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
            plan,
            round,
            replies,
        } = self.waiting.remove(&id).unwrap();
        let replies: Vec<Reply> = replies.into_iter().flatten().collect();
        match self
            .memory
            .conclude(&self.policy, &plan, round, &replies, now)
        {
            Conclusion::Verdict(verdict) => {
                self.played.passed += u64::from(verdict.admitted());
            }
            Conclusion::Again(round, pause) => {
                let replies = Vec::new();
                let waiting = Waiting {
                    plan,
                    round,
                    replies,
                };
                self.waiting.insert(id, waiting);
                self.then(now + pause, Event::Ask(id));
            }
        }
        for question in self.memory.leases.sweep(now) {
            self.played.given_back += 1;
            self.on_the_way(now, Event::Tell(question));
        }
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

fn limit(algorithm: &str, quota: u64) -> String {
    format!(
        r#"{{"name":"ip","key":["ip"],"algorithm":"{algorithm}","quota":{quota},"window":"60s"}}"#
    )
}

/// Visitors that make 30 to 60 requests within ten seconds each, in pages of five.
fn pages(seconds: u64) -> Vec<(u64, u64)> {
    let mut number = Numbers(7);
    let mut script = Vec::new();
    for start in (0..(seconds - 10) * 1000).step_by(150) {
        let (client, count) = (number.below(1 << 14), 30 + number.below(31));
        let mut page = start;
        for place in 0..count {
            if place % 5 == 0 {
                page = start + 10_000 * place / count;
            }
            script.push((page + number.below(300), client));
        }
    }
    script
}

/// Two hundred clients at random, 600 requests a second, in spells of (milliseconds).
fn crowd(spells: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut number = Numbers(3);
    let mut script = Vec::new();
    for (start_ms, end_ms) in spells {
        for place in 0..(end_ms - start_ms) * 3 / 5 {
            script.push((start_ms + place * 5 / 3, number.below(200)));
        }
    }
    script
}

#[test]
fn visitors_that_turn_pages_cost_few_calls() {
    for algorithm in ["token-bucket", "sliding-window"] {
        let played = Stand::new(&limit(algorithm, 120), 2, 1).play(&pages(30));
        assert_eq!(played.passed, played.requests, "{played:?}");
        assert!(played.calls_in_1000() < 100, "{algorithm}: {played:?}");
    }
}

#[test]
fn a_crowd_that_comes_back_costs_a_call_each() {
    let spells = [(0, 2_200), (20_000, 22_200), (40_000, 42_200)];
    let first = Stand::new(&limit("token-bucket", 1_000_000), 2, 1).play(&crowd(&spells[..1]));
    let all = Stand::new(&limit("token-bucket", 1_000_000), 2, 1).play(&crowd(&spells));
    assert_eq!(all.passed, all.requests);
    assert!(first.calls <= 2 * 200 + 20, "{first:?}");
    assert!(all.calls - first.calls <= 2 * 200 + 20, "{first:?} {all:?}");
}

#[test]
fn one_isolate_admits_the_whole_quota_of_a_burst_in_whatever_order_answers_come() {
    for seed in 0..300 {
        let mut number = Numbers(seed);
        let (quota, lasts_ms) = (20 + number.below(80), 1 + number.below(200));
        let script: Vec<_> = (0..quota * 2)
            .map(|_| (number.below(lasts_ms), 1))
            .collect();
        let algorithm = ["sliding-window", "fixed-window"][(seed % 2) as usize];
        let played = Stand::new(&limit(algorithm, quota), 1 + number.below(60), seed).play(&script);
        assert_eq!(played.passed, quota, "seed {seed}: {played:?}");
    }
}
