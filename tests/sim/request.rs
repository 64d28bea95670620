//! One request on its way through the real `admission`, as the edge takes it there.

use weir::admission::decide::{self, Round};
use weir::admission::described::Described;
use weir::admission::plan::Plan;
use weir::admission::{Begin, Conclusion, Reply, Verdict};
use weir::time::Timestamp;
use weir::wire::{Answer, Call, CallId};

use super::network::{FAILED, OVERLOADED, RETRYABLE};
use super::object::{Return, START};
use super::report::REPORT_ROUND;
use super::scenario::MS;
use super::world::{Event, World};

/// Rounds of slots are told from rounds of charges by their numbers.
pub const SLOT_ROUND: u32 = 100;

/// After this long a request looks again what another one has learnt, then after twice as long.
const FIRST_LOOK: u64 = 4 * MS;

#[derive(Debug, Default)]
pub struct Request {
    pub client: usize,
    pub isolate: usize,
    pub policy: usize,
    pub described: Described,
    pub plan: Plan,
    /// What was decided before the body was there.
    pub first: Option<(Plan, Verdict)>,
    round: Option<Round>,
    pub number: u32,
    replies: Vec<Option<Reply>>,
    /// Every charge that was answered, for the oracle.
    pub answers: Vec<(CallId, Answer)>,
    /// Every charge that was sent: the object and the id.
    pub sent: Vec<(String, CallId)>,
    /// How many of them before its body was there.
    pub sent_before: usize,
    /// When it came, or its body did, by true time.
    pub started: u64,
    /// When its counters were looked at, or those that had to wait for its body.
    pub begun: u64,
    pub verdict: Option<Verdict>,
    pub slots: Vec<(String, CallId)>,
    pub slot_at: usize,
    /// It has waited for its body or in a queue.
    pub waited: bool,
    pub at_origin: bool,
}

impl World {
    pub fn arrive(&mut self, number: usize) {
        let now = self.now;
        let next = self.clients[number].next_in(now, &mut self.rng);
        if now + next < self.scenario.end {
            self.after(next, Event::Arrive(number));
        }
        self.clients[number].asked += 1;
        if self.rng.permille(150) {
            self.audit_some();
        }
        if self.rng.permille(20) {
            self.look_at_some();
        }
        let described = self.clients[number].request(&mut self.rng);
        let isolate = self.rng.range(0, self.scenario.isolates) as usize;
        let policy = self.isolates[isolate].policy;
        let plan = self.plan(policy, &described, None);
        let id = self.next_token();
        self.note(|| {
            let path = weir::policy::RequestView::path(&described);
            format!(
                "request {id} of client {number} at isolate {isolate}: {path} from {:?}",
                described.ip
            )
        });
        let request = Request {
            client: number,
            isolate,
            policy,
            described,
            plan,
            started: now,
            ..Request::default()
        };
        self.requests.insert(id, request);
        let longest = decide::longest_wait(&self.policies[policy]);
        self.enter(id, longest.as_micros(), FIRST_LOOK);
        if let Some(patience) = self.clients[number].patience(&mut self.rng) {
            self.after(patience, Event::Leave(id));
        }
    }

    /// Begins, unless another request is about to learn what this one would ask.
    pub fn enter(&mut self, id: u64, left: u64, pause: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let clock = Timestamp::from_micros(START + self.now + self.isolates[request.isolate].skew);
        let (isolate, policy) = (
            &mut self.isolates[request.isolate],
            &self.policies[request.policy],
        );
        if left > 0 && isolate.memory.is_asked_about(&request.plan, clock) {
            let pause = pause.min(left);
            let (left, next) = (left - pause, pause + pause);
            self.after(pause, Event::Enter(id, left, next));
            return;
        }
        let since = Timestamp::from_micros(START + request.started + isolate.skew);
        let begin = isolate
            .memory
            .begin_since(policy, &request.plan, since, clock);
        self.begun(id, begin);
    }

    pub fn begun(&mut self, id: u64, begin: Begin) {
        if let Some(request) = self.requests.get_mut(&id) {
            request.begun = self.now;
        }
        match begin {
            Begin::Decided(verdict) => {
                if verdict.remembered {
                    self.check_remembered(id, &verdict);
                }
                self.decided(id, verdict);
            }
            Begin::Ask(round) => {
                if let Some(request) = self.requests.get_mut(&id) {
                    request.round = Some(round);
                }
                self.ask(id);
            }
        }
    }

    /// Sends out the questions of a round.
    pub fn ask(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Some(round) = request.round.clone() else {
            return;
        };
        request.number += 1;
        request.replies = vec![None; round.questions.len()];
        let (number, isolate, policy) = (request.number, request.isolate, request.policy);
        let patience = round.patience(&self.policies[policy], self.clock(isolate));
        self.after(
            patience.as_micros(),
            Event::Late {
                request: id,
                round: number,
            },
        );
        for (index, question) in round.questions.iter().enumerate() {
            if let Call::Charge(charge) = &question.call
                && let Some(request) = self.requests.get_mut(&id)
            {
                request.sent.push((question.object.clone(), charge.id));
                self.oracle.askers.insert(charge.id, isolate);
            }
            let back = Return {
                request: id,
                round: number,
                index,
            };
            self.send(&question.object, &question.call, Some(back));
        }
    }

    pub fn answered(&mut self, back: Return, text: &str) {
        let reply = match text {
            RETRYABLE => Reply::Retryable,
            OVERLOADED => Reply::Overloaded,
            FAILED => Reply::Failed,
            text => Answer::decode(text).map_or(Reply::Failed, Reply::Answer),
        };
        if back.round == REPORT_ROUND {
            return self.report_answered(back.request, reply);
        }
        let Some(request) = self.requests.get_mut(&back.request) else {
            return;
        };
        if request.number != back.round {
            return;
        }
        if back.round >= SLOT_ROUND {
            request.number += 1;
            return self.slot_answered(back.request, reply);
        }
        let Some(place @ None) = request.replies.get_mut(back.index) else {
            return;
        };
        if let (Reply::Answer(answer), Some(round)) = (&reply, &request.round)
            && let Some(question) = round.questions.get(back.index)
            && let Call::Charge(charge) = &question.call
        {
            request.answers.push((charge.id, answer.clone()));
            if let Answer::Charged(charged) = answer {
                let refused = charge.items.iter().zip(&charged.outcomes);
                for (item, _) in refused.filter(|(_, outcome)| !outcome.conforms) {
                    let place = (question.object.clone(), item.key);
                    self.oracle.told.insert((request.isolate, place), self.now);
                }
            }
        }
        *place = Some(reply);
        if request.replies.iter().all(Option::is_some) {
            self.conclude(back.request);
        }
    }

    pub fn late(&mut self, id: u64, round: u32) {
        if round == REPORT_ROUND {
            return self.report_answered(id, Reply::TimedOut);
        }
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        if request.number != round {
            return;
        }
        if round >= SLOT_ROUND {
            request.number += 1;
            return self.slot_answered(id, Reply::TimedOut);
        }
        if request.round.is_some() {
            for reply in request.replies.iter_mut().filter(|reply| reply.is_none()) {
                *reply = Some(Reply::TimedOut);
            }
            self.conclude(id);
        }
    }

    fn conclude(&mut self, id: u64) {
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let Some(round) = request.round.take() else {
            return;
        };
        let replies: Vec<Reply> = request.replies.drain(..).flatten().collect();
        let (isolate, policy) = (request.isolate, request.policy);
        let clock = self.clock(isolate);
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let memory = &mut self.isolates[isolate].memory;
        let conclusion = memory.conclude(
            &self.policies[policy],
            &request.plan,
            round,
            &replies,
            clock,
        );
        let back = memory.leases.sweep(clock);
        for reply in &replies {
            let Reply::Answer(Answer::Charged(charged)) = reply else {
                continue;
            };
            if charged
                .outcomes
                .iter()
                .any(|outcome| outcome.provisional && !outcome.remember.is_zero())
            {
                self.oracle
                    .violate("a refusal by provisional charges is to be remembered".into());
            }
        }
        match conclusion {
            Conclusion::Verdict(verdict) => self.decided(id, verdict),
            Conclusion::Again(round, pause) => {
                request.round = Some(round);
                request.number += 1;
                self.after(pause.as_micros(), Event::Ask(id));
            }
        }
        for question in back {
            self.send(&question.object, &question.call, None);
        }
    }
}
