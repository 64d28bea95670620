//! From a request to its verdict, with everything that has to be awaited on the way: tiers that are
//! looked up, objects that are asked, and asked again.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use super::serve::Exchange;
use super::{ask, clock, telemetry, tiers};
use crate::admission::decide::Round;
use crate::admission::plan::{self, Context as Planning, Plan, Tier, TierWanted};
use crate::admission::{Begin, Conclusion, Question, Reply, Verdict, second};
use crate::policy::Mode;
use crate::telemetry::Source;
use crate::time::{Span, Timestamp};

/// Reports that one request carries in a row: the next request to this isolate carries on.
const MOST_REPORTS: usize = 8;

impl Exchange {
    /// Finds the rules that hold and what they ask. `looked_up`: tiers that were wanted have been
    /// looked up.
    pub fn plan(&self, mode: Mode, looked_up: bool) -> Plan {
        self.planned(mode, looked_up, |context| plan::plan(context, &self.facts))
    }

    /// Plans with the tiers that are known; once they have been looked up, what is still unknown is
    /// the default.
    fn planned(&self, mode: Mode, looked_up: bool, make: impl Fn(&Planning<'_>) -> Plan) -> Plan {
        let stale = RefCell::new(Vec::new());
        let plan = {
            let memory = self.isolate.memory.borrow();
            let tiers = |source: usize, value: &str| {
                let known = self.policy.tiers.get(source);
                let (tier, is_stale) = known.map_or((Tier::Unknown, false), |known| {
                    memory.tiers.find(known, value, clock::now())
                });
                if is_stale {
                    let value = value.to_owned();
                    stale.borrow_mut().push(TierWanted { source, value });
                }
                match tier {
                    Tier::Unknown if looked_up => Tier::Named(String::new()),
                    tier => tier,
                }
            };
            make(&Planning {
                policy: &self.policy,
                namer: &self.isolate.namer,
                mode,
                tiers: &tiers,
            })
        };
        tiers::refresh(self, &stale.borrow());
        plan
    }

    /// Asks whom the first stride said to ask, until there is a verdict.
    pub async fn decide(&self, plan: &Plan, begin: Begin) -> Verdict {
        let mut round = match begin {
            Begin::Decided(mut verdict) => {
                self.report(std::mem::take(&mut verdict.reports));
                return verdict;
            }
            Begin::Ask(round) => round,
        };
        let asked = clock::now();
        loop {
            let timeout = round.patience(&self.policy, clock::now());
            let replies = ask::ask(&self.env, &round.questions, timeout).await;
            match self.conclude(plan, round, &replies, asked) {
                Conclusion::Verdict(verdict) => return verdict,
                Conclusion::Again(next, pause) => {
                    clock::sleep(pause).await;
                    round = next;
                }
            }
        }
    }

    /// Takes in what came back to a round that was first asked at `asked`.
    pub fn conclude(
        &self,
        plan: &Plan,
        round: Round,
        replies: &[Reply],
        asked: Timestamp,
    ) -> Conclusion {
        let now = clock::now();
        let mut memory = self.isolate.memory.borrow_mut();
        let mut conclusion = memory.conclude(&self.policy, plan, round, replies, now);
        match &mut conclusion {
            Conclusion::Verdict(verdict) => {
                let reports = std::mem::take(&mut verdict.reports);
                telemetry::decided(Source::Object, now.saturating_since(asked));
                let unused = memory.leases.sweep(now);
                drop(memory);
                self.tell(&unused);
                self.report(reports);
            }
            Conclusion::Again(next, pause) => {
                telemetry::retried(&next.questions, *pause > Span::ZERO);
            }
        }
        conclusion
    }

    /// Tells objects what was let through without them, behind the response.
    pub fn report(&self, mut reports: Vec<Question>) {
        if reports.is_empty() {
            return;
        }
        let (env, policy) = (self.env.clone(), Rc::clone(&self.policy));
        let isolate = Rc::clone(&self.isolate);
        self.context.wait_until(&future_to_promise(async move {
            for _ in 0..MOST_REPORTS {
                let sent = clock::now();
                let replies = ask::ask(&env, &reports, policy.counter_timeout).await;
                let times = (sent, clock::now());
                let mut memory = isolate.memory.borrow_mut();
                reports = memory.reported(&policy, reports, &replies, times);
                if reports.is_empty() {
                    break;
                }
            }
            Ok(JsValue::UNDEFINED)
        }));
    }

    /// Asks the limits that had to wait for the body.
    pub async fn second_round(&self, plan: &mut Plan, verdict: &mut Verdict) {
        let planned = |looked_up| {
            self.planned(self.mode(), looked_up, |context| {
                plan::plan_after_body(context, &self.facts, plan)
            })
        };
        let mut more = planned(false);
        if !more.tiers_wanted.is_empty() {
            tiers::look_up(self, &more.tiers_wanted).await;
            more = planned(true);
        }
        // The keys are made: nothing looks at the content again.
        self.facts.forget_content();
        let now = clock::now();
        let begin = self
            .isolate
            .memory
            .borrow_mut()
            .begin(&self.policy, &more, now);
        let after = self.decide(&more, begin).await;
        let kept = second::keep(plan, verdict);
        if after.admitted() && !plan.before_slots {
            self.tell(&kept);
        }
        second::join(plan, verdict, more, after);
        if !verdict.admitted() {
            let mut memory = self.isolate.memory.borrow_mut();
            memory.forgive(verdict, clock::now());
        }
    }
}
