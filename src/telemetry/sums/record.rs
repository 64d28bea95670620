//! One request's place in the sums.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Named, Network, Sums, observe};
use crate::admission::plan::{Applied, LimitRef};
use crate::admission::refusals::Shaped;
use crate::admission::{Plan, Verdict};
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::limit::Algorithm;
use crate::policy::Policy;
use crate::telemetry::exposition::REMAINING;
use crate::telemetry::{End, Outcome};

/// Passed requests of a report whose network is looked at; of more, one in sixteen.
const LOOKED_AT: u32 = 128;
const SAMPLED: u32 = 16;

impl Sums {
    /// Counts a request. `network` says where it came from, and is asked only where that matters.
    pub fn record(
        &mut self,
        policy: &Rc<Policy>,
        plan: &Plan,
        verdict: &Verdict,
        end: End<'_>,
        network: &dyn Fn() -> Network,
    ) {
        self.adopt(policy);
        // What a refused request took is given back, but where its body was at fault.
        let (refuses, given_back) = match end {
            End::Passed => (false, false),
            End::Refused(shaped) => (true, gives_back(&shaped.refusal)),
        };
        let seen: OnceCell<Network> = OnceCell::new();
        let network = || *seen.get_or_init(network);
        let all = self.first.len().saturating_add(1);
        let mut told = [false; 4];
        for (index, applied) in plan.applied.iter().enumerate() {
            let Some(outcome) = outcome_of(verdict, index, applied, given_back) else {
                continue;
            };
            let cell = self.cell_of(applied.limit);
            self.count(cell, applied.tier.as_deref().unwrap_or_default(), outcome);
            let column = match column(outcome) {
                // What is refused anyway would not be refused for it.
                SHADOW if refuses => 0,
                column => column,
            };
            if let Some(told) = told.get_mut(column) {
                *told = true;
            }
            if let LimitRef::Rule { rule, .. } = applied.limit
                && column > 0
            {
                // Once a rule and kind, however many of its limits say so.
                let before = plan.applied.iter().take(index).enumerate();
                let mut same = before.filter(|(_, other)| is_of(other, rule));
                let is_told = same.any(|(index, other)| {
                    outcome_of(verdict, index, other, given_back).map(self::column) == Some(column)
                });
                if !is_told {
                    self.rule(rule, column);
                }
            }
            let mut named = (column > 0).then_some(Named::Outcome(outcome));
            if let Some(said) = verdict.outcomes.get(index).copied().flatten()
                && outcome != Outcome::FailedOpen
                && self.left(cell, applied, said.remaining, said.conforms)
            {
                named = Some(Named::Near);
            }
            if let Some(named) = named {
                self.key(named, cell, applied, network);
            }
        }
        self.rules_of(plan, end);
        let none = self.first.len();
        match end {
            End::Refused(shaped) => {
                self.network(shaped.rule.unwrap_or(none), network(), 0, 1);
            }
            End::Passed => {
                if self.is_looked_at() {
                    let weight = if self.passed < LOOKED_AT { 1 } else { SAMPLED };
                    let rule = plan.rules.first().copied().unwrap_or(none);
                    self.network(rule, network(), weight.into(), 0);
                }
                self.passed = self.passed.saturating_add(1);
            }
        }
        self.rule(all, usize::from(refuses));
        for column in [2, 3] {
            if told.get(column) == Some(&true) {
                self.rule(all, column);
            }
        }
    }

    fn is_looked_at(&self) -> bool {
        self.passed < LOOKED_AT || self.passed.checked_rem(SAMPLED) == Some(0)
    }

    /// Counts what was left. True where this request crossed 80 % of the quota.
    fn left(&mut self, cell: usize, applied: &Applied, remaining: u64, conforms: bool) -> bool {
        let Some(cell) = self.cell(cell) else {
            return false;
        };
        observe(&mut cell.remaining, &REMAINING, remaining);
        let quota = &applied.item.quota;
        let quota = if quota.algorithm == Algorithm::TokenBucket {
            quota.burst
        } else {
            quota.limit
        };
        let is_near = |left: u64| left.saturating_mul(5) <= quota;
        let before = remaining.saturating_add(applied.item.cost);
        let crossed = conforms && is_near(remaining) && !is_near(before);
        cell.near = cell.near.saturating_add(crossed.into());
        crossed
    }

    /// Counts for whole rules, and what no counter decided.
    fn rules_of(&mut self, plan: &Plan, end: End<'_>) {
        let none = self.first.len();
        match end {
            End::Passed => {
                for rule in &plan.rules {
                    self.rule(*rule, 0);
                    if !plan.applied.iter().any(|applied| is_of(applied, *rule)) {
                        self.count(self.own(Some(*rule)), "", Outcome::Passed);
                    }
                }
                if plan.rules.is_empty() && !plan.preflight {
                    self.rule(none, 0);
                    self.count(self.own(None), "", Outcome::Passed);
                }
            }
            End::Refused(shaped) => {
                let code = shaped.refusal.code;
                if !matches!(code, Code::RateLimited | Code::Unavailable) {
                    let cell = self.refusing(shaped);
                    self.count(cell, "", Outcome::of(code));
                    self.rule(shaped.rule.unwrap_or(none), 1);
                }
            }
        }
    }

    /// The cell of the concurrency limit that refused, else of the rule.
    fn refusing(&self, shaped: &Shaped) -> usize {
        let found = shaped.rule.and_then(|index| {
            let rule = self.policy.as_ref()?.rules.get(index)?;
            let name = shaped.refusal.violated.first()?;
            let mut slots = rule.concurrency.iter();
            let place = slots.position(|slot| slot.policy_name == *name)?;
            self.slot_cell(index, place)
        });
        found.unwrap_or_else(|| self.own(shaped.rule))
    }
}

fn gives_back(refusal: &Refusal) -> bool {
    match refusal.code {
        Code::RateLimited | Code::Unavailable => true,
        Code::Busy => !refusal.violated.is_empty(),
        _ => false,
    }
}

fn outcome_of(
    verdict: &Verdict,
    index: usize,
    applied: &Applied,
    given_back: bool,
) -> Option<Outcome> {
    if verdict.unavailable.contains(&index) {
        return Some(Outcome::FailedClosed);
    }
    if verdict.refused.contains(&index) {
        return Some(Outcome::Refused);
    }
    let said = verdict.outcomes.get(index).copied().flatten();
    if said.is_some_and(|said| !said.conforms) && !applied.item.enforce {
        return Some(Outcome::Shadow);
    }
    // Another limit refused: what this one took is given back.
    if given_back {
        return None;
    }
    if verdict
        .unreached
        .iter()
        .any(|(unreached, _)| *unreached == index)
    {
        return Some(Outcome::FailedOpen);
    }
    said.map(|_| Outcome::Passed)
}

fn is_of(applied: &Applied, index: usize) -> bool {
    matches!(applied.limit, LimitRef::Rule { rule, .. } if rule == index)
}

/// The column of what a rule in shadow would have refused.
const SHADOW: usize = 2;

/// Where a rule's history counts it: passed is counted once for all of its limits.
fn column(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Refused => 1,
        Outcome::Shadow => SHADOW,
        Outcome::FailedOpen | Outcome::FailedClosed => 3,
        _ => 0,
    }
}
