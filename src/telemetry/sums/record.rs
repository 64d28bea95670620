//! One request's place in the sums.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Sums, observe};
use crate::admission::plan::{Applied, LimitRef};
use crate::admission::refusals::Shaped;
use crate::admission::{Plan, Verdict};
use crate::http::code::Code;
use crate::policy::Policy;
use crate::telemetry::exposition::REMAINING;
use crate::telemetry::{End, Outcome};
use crate::wire::CounterKey;

/// Passed requests of a report whose network is looked at; of more, one in sixteen.
const LOOKED_AT: u32 = 128;
const SAMPLED: u32 = 16;

impl Sums {
    /// Counts a request. `network` reads its network's number and country.
    pub fn record(
        &mut self,
        policy: &Rc<Policy>,
        plan: &Plan,
        verdict: &Verdict,
        end: End<'_>,
        network: &dyn Fn() -> (u32, String),
    ) {
        self.adopt(policy);
        let code = match end {
            End::Passed => None,
            End::Refused(shaped) => Some(shaped.refusal.code),
        };
        let given_back = matches!(code, Some(Code::RateLimited | Code::Unavailable));
        let refuses = code.is_some();
        let seen: OnceCell<(u32, String)> = OnceCell::new();
        let network = || seen.get_or_init(network);
        let mut touched: Vec<(usize, usize)> = Vec::new();
        for (index, applied) in plan.applied.iter().enumerate() {
            let Some(outcome) = outcome_of(verdict, index, applied, given_back) else {
                continue;
            };
            let cell = self.cell_of(applied.limit);
            self.count(cell, applied.tier.as_deref().unwrap_or_default(), outcome);
            if let LimitRef::Rule { rule, .. } = applied.limit {
                touched.push((rule, column(outcome)));
            }
            let mut kind = kind(outcome);
            if let Some(said) = verdict.outcomes.get(index).copied().flatten()
                && outcome != Outcome::FailedOpen
                && self.left(cell, applied, said.remaining, said.conforms)
            {
                kind = Some('n');
            }
            if let Some(kind) = kind {
                if matches!(kind, 'o' | 'c') {
                    // It is the limit that fails, whoever calls.
                    self.key(kind, cell, CounterKey([0; 16]), 0, "");
                } else {
                    let (asn, country) = network();
                    self.key(kind, cell, applied.item.key, *asn, country);
                }
            }
        }
        self.rules_of(plan, end, &touched);
        for slot in &plan.slots {
            self.slot(slot.rule, slot.concurrency, &slot.object, slot.slot.key);
        }
        match end {
            End::Refused(shaped) => {
                let rule = shaped.rule.unwrap_or(self.first.len());
                let (asn, country) = network().clone();
                self.network((rule, asn, country), 0, 1);
            }
            End::Passed if self.is_looked_at() => {
                let weight = if self.passed < LOOKED_AT { 1 } else { SAMPLED };
                let rule = plan.rules.first().copied().unwrap_or(self.first.len());
                let (asn, country) = network().clone();
                self.network((rule, asn, country), weight.into(), 0);
            }
            End::Passed => {}
        }
        let all = self.first.len().saturating_add(1);
        self.rule(all, usize::from(refuses));
        for kind in [2, 3] {
            if touched.iter().any(|(_, column)| *column == kind) {
                self.rule(all, kind);
            }
        }
        if !refuses {
            self.passed = self.passed.saturating_add(1);
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
        let (quota, _) = crate::http::fields::shown(&applied.item.quota);
        let is_near = |left: u64| left.saturating_mul(5) <= quota;
        let before = remaining.saturating_add(applied.item.cost);
        let crossed = conforms && is_near(remaining) && !is_near(before);
        cell.near = cell.near.saturating_add(crossed.into());
        crossed
    }

    /// Counts for whole rules, and what no counter decided.
    fn rules_of(&mut self, plan: &Plan, end: End<'_>, touched: &[(usize, usize)]) {
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
        // Once a rule and kind, however many of its limits say so.
        for (at, (rule, column)) in touched.iter().enumerate() {
            let seen = touched
                .iter()
                .take(at)
                .any(|known| known == &(*rule, *column));
            if *column > 0 && !seen {
                self.rule(*rule, *column);
            }
        }
    }

    /// The cell of the concurrency limit that refused, else of the rule.
    fn refusing(&self, shaped: &Shaped) -> usize {
        let own = self.own(shaped.rule);
        let found = shaped.rule.and_then(|index| {
            let rule = self.policy.as_ref()?.rules.get(index)?;
            let name = shaped.refusal.violated.first()?;
            let place = rule
                .concurrency
                .iter()
                .position(|slot| slot.policy_name == *name)?;
            Some(
                self.first
                    .get(index)?
                    .saturating_add(rule.limits.len())
                    .saturating_add(place),
            )
        });
        found.unwrap_or(own)
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

/// The kind of a key that is worth naming.
fn kind(outcome: Outcome) -> Option<char> {
    match outcome {
        Outcome::Refused => Some('r'),
        Outcome::Shadow => Some('s'),
        Outcome::FailedOpen => Some('o'),
        Outcome::FailedClosed => Some('c'),
        _ => None,
    }
}

/// Where a rule's history counts it: passed is counted once for all of its limits.
fn column(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Refused => 1,
        Outcome::Shadow => 2,
        Outcome::FailedOpen | Outcome::FailedClosed => 3,
        _ => 0,
    }
}
