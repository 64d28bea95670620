//! One request of the log against the policy: the same plan, guards and counters as in service.

use super::counters::Counters;
use super::entry::Entry;
use super::rows::Rows;
use super::shown;
use crate::admission::Facts;
use crate::admission::body::BodyPlan;
use crate::admission::denial::Denials;
use crate::admission::guard::{self, GuardFault};
use crate::admission::plan::{self, Applied, Context, Plan, Settle, Tier};
use crate::ledger::Spent;
use crate::policy::{Action, Cost, Mode, Policy, RequestView};
use crate::time::Timestamp;
use crate::wire::names::Namer;
use crate::wire::{Call, CallId, Charge, Outcome};

/// What became of one request.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Rows that were asked.
    pub asked: Vec<usize>,
    /// Rows that refuse it.
    pub refused: Vec<usize>,
    /// Rows in shadow that would have.
    pub shadow: Vec<usize>,
    /// Limits among the two, with the key in the clear.
    pub keys: Vec<(usize, String)>,
}

/// Counters and what they are asked through.
#[derive(Debug)]
pub struct Judge {
    policy: Policy,
    rows: Rows,
    mode: Mode,
    tier: Option<String>,
    namer: Namer,
    /// The same names, and those that requests are counted under where objects are full.
    spilling: Namer,
    counters: Counters,
    denials: Denials,
    ids: u64,
    calls: u64,
}

impl Judge {
    /// For a policy. `mode` overrides its own, as `WEIR_MODE` does; `tier` is everybody's whose
    /// tier would have to be looked up, else each source's default.
    #[must_use]
    pub fn new(policy: Policy, mode: Option<Mode>, tier: Option<String>) -> Judge {
        Judge {
            rows: Rows::of(&policy),
            mode: mode.unwrap_or(policy.mode),
            policy,
            tier,
            namer: Namer::open(false),
            spilling: Namer::open(true),
            counters: Counters::new(),
            denials: Denials::default(),
            ids: 0,
            calls: 0,
        }
    }

    /// The rows that judgements speak of.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Calls of objects so far, with one isolate's memory of refusals and without leases.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// There were too many counters at once, and some were forgotten.
    #[must_use]
    pub fn forgot(&self) -> bool {
        self.counters.forgot
    }

    /// Rows written so far, the setting of alarms among them.
    #[must_use]
    pub fn rows_written(&self) -> u64 {
        self.counters.rows_written()
    }

    /// Judges a request at `now`, which never goes back.
    pub fn judge(&mut self, entry: &Entry<'_>, now: Timestamp) -> Judgement {
        let mut plan = self.plan(&self.namer, entry);
        let crowded = |one: &Applied| self.counters.crowded(Counters::place(&one.object));
        if plan.applied.iter().any(crowded) {
            plan = self.plan(&self.spilling, entry);
        }
        let mut found = Judgement::default();
        self.deny_in_shadow(&plan, &mut found);
        if let Some(rule) = self.guard(&plan, entry) {
            found.refused.push(self.rows.of_rule(rule));
            found.asked.push(self.rows.of_rule(rule));
        } else if !plan.applied.is_empty() {
            self.charge(&plan, entry, now, &mut found);
        }
        found
    }

    fn plan(&self, namer: &Namer, entry: &Entry<'_>) -> Plan {
        let tier = self.tier.as_deref().unwrap_or_default();
        let tiers = |_: usize, _: &str| Tier::Named(tier.to_owned());
        let context = Context {
            policy: &self.policy,
            namer,
            mode: self.mode,
            tiers: &tiers,
        };
        plan::plan(&context, &entry.request)
    }

    fn deny_in_shadow(&self, plan: &Plan, found: &mut Judgement) {
        for index in &plan.rules {
            let rule = self.policy.rules.get(*index);
            let shadow = rule.is_some_and(|rule| {
                rule.action == Action::Deny && rule.mode.min(self.mode) == Mode::Shadow
            });
            if shadow {
                found.asked.push(self.rows.of_rule(*index));
                found.shadow.push(self.rows.of_rule(*index));
            }
        }
    }

    /// The rule that refuses without counting. A log seldom says what a body was, so a media type
    /// that is not known is not held against anybody.
    fn guard(&self, plan: &Plan, entry: &Entry<'_>) -> Option<usize> {
        // What is bounded is bounded by a rule.
        plan.rules.first()?;
        let request = &entry.request;
        let declared = request.body_length;
        let present = declared.is_some_and(|length| length > 0);
        let bounds = BodyPlan::new(&self.policy, plan, self.mode, present, declared);
        let typed = present && RequestView::header(request, "content-type").is_some();
        let known = BodyPlan {
            present: typed,
            ..bounds.clone()
        };
        if let Some(refusal) = guard::check(&self.policy, plan, self.mode, request, &known) {
            // Only what was really looked at.
            debug_assert!(typed || refusal.fault != GuardFault::MediaType);
            return Some(refusal.rule);
        }
        let (max, rule) = bounds.bound.filter(|_| present)?;
        (declared? > max).then_some(rule)
    }

    fn charge(&mut self, plan: &Plan, entry: &Entry<'_>, now: Timestamp, found: &mut Judgement) {
        let applied = &plan.applied;
        let known = |one: &Applied| one.item.enforce && self.denials.find(&one.item, now).is_some();
        let remembered = applied.iter().any(known);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; applied.len()];
        let mut asked = Vec::with_capacity(applied.len());
        for (first, one) in applied.iter().enumerate() {
            let mut earlier = applied.iter().take(first);
            if earlier.any(|other| other.object == one.object) {
                continue;
            }
            self.ids = self.ids.wrapping_add(1);
            let charge = Charge {
                id: CallId(self.ids),
                // All objects are asked at one instant: what one takes is given back at once where
                // another refuses.
                provisional: None,
                items: of_object(applied, &one.object)
                    .map(|(_, one)| one.item.clone())
                    .collect(),
            };
            let ledger = Counters::place(&one.object);
            let Some((charged, spent)) = self.counters.charge(ledger, &charge, now) else {
                continue;
            };
            let of_object = of_object(applied, &one.object);
            for ((index, _), outcome) in of_object.zip(charged.outcomes) {
                if let Some(place) = outcomes.get_mut(index) {
                    *place = Some(outcome);
                }
            }
            asked.push(Asked {
                object: &one.object,
                ledger,
                id: charge.id,
                admitted: charged.admitted,
                spent,
            });
        }
        if !remembered {
            let asked = u64::try_from(asked.len()).unwrap_or(u64::MAX);
            self.calls = self.calls.saturating_add(asked);
        }
        let admitted = asked.iter().all(|one| one.admitted);
        for (one, outcome) in applied.iter().zip(&outcomes) {
            let Some(outcome) = outcome else { continue };
            let row = self.rows.of_limit(one.limit);
            found.asked.push(row);
            if outcome.conforms {
                if admitted {
                    self.denials.forget(&one.item.key);
                }
                continue;
            }
            self.denials.remember(&one.item, outcome, now, now);
            let which = if one.item.enforce {
                &mut found.refused
            } else {
                &mut found.shadow
            };
            which.push(row);
            let key = shown::key(&self.policy, one.limit, &entry.request);
            found.keys.push((row, key));
        }
        if admitted {
            self.settle(applied, &asked, entry, now);
            return;
        }
        for one in asked.into_iter().filter(|one| one.admitted) {
            self.counters.refund(one.ledger, one.id, one.spent, now);
            self.calls = self.calls.saturating_add(u64::from(!remembered));
        }
    }

    /// What the answer decides, as the log has the answer.
    fn settle(
        &mut self,
        applied: &[Applied],
        asked: &[Asked<'_>],
        entry: &Entry<'_>,
        now: Timestamp,
    ) {
        if applied.iter().all(|one| one.settle.is_none()) {
            return;
        }
        for one in asked {
            let spent: Vec<(u32, u64)> = (0_u32..)
                .zip(of_object(applied, one.object))
                .filter_map(|(item, (_, one))| {
                    let units = settled(one.settle.as_ref()?, one.item.cost, entry)?;
                    Some((item, units))
                })
                .collect();
            if !spent.is_empty() {
                let call = Call::Settle { id: one.id, spent };
                self.counters.ask(one.ledger, &call, now);
                self.calls = self.calls.saturating_add(1);
            }
        }
    }
}

/// One object that was asked.
struct Asked<'a> {
    object: &'a str,
    ledger: usize,
    id: CallId,
    admitted: bool,
    spent: Spent,
}

/// What applies to a request and is counted in one object, with its place in the plan.
fn of_object<'a>(
    applied: &'a [Applied],
    object: &'a str,
) -> impl Iterator<Item = (usize, &'a Applied)> {
    let all = applied.iter().enumerate();
    all.filter(move |(_, one)| one.object == object)
}

/// Units that a reservation comes to; None where the log does not say, so that it stands.
fn settled(settle: &Settle, held: u64, entry: &Entry<'_>) -> Option<u64> {
    match settle {
        Settle::Count(when) => {
            let kept = when.status.contains(&entry.status?);
            Some(if kept { held } else { 0 })
        }
        Settle::Cost(Cost::ResponseBytes) => entry.response_bytes,
        Settle::Cost(Cost::Bytes) => entry.request.body_bytes(),
        Settle::Cost(_) => None,
    }
}
