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
use crate::policy::{Action, Cost, Mode, Policy, RequestView};
use crate::time::Timestamp;
use crate::wire::names::Namer;
use crate::wire::{Answer, Call, CallId, Charge, Outcome};

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
            namer: Namer::open(),
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
    pub fn judge(&mut self, entry: &Entry, now: Timestamp) -> Judgement {
        let request = &entry.request;
        let tier = self.tier.as_deref().unwrap_or_default();
        let tiers = |_: usize, _: &str| Tier::Named(tier.to_owned());
        let context = Context {
            policy: &self.policy,
            namer: &self.namer,
            mode: self.mode,
            tiers: &tiers,
        };
        let plan = plan::plan(&context, request);
        let mut found = Judgement::default();
        self.deny_in_shadow(&plan, &mut found);
        if let Some(rule) = self.guard(&plan, entry) {
            found.refused.push(self.rows.of_rule(rule));
            found.asked.push(self.rows.of_rule(rule));
            return found;
        }
        self.charge(&plan, entry, now, &mut found);
        found
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
    fn guard(&self, plan: &Plan, entry: &Entry) -> Option<usize> {
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

    fn charge(&mut self, plan: &Plan, entry: &Entry, now: Timestamp, found: &mut Judgement) {
        let applied = &plan.applied;
        let mut objects: Vec<(&str, Vec<usize>)> = Vec::new();
        for (index, one) in applied.iter().enumerate() {
            match objects.iter_mut().find(|(name, _)| *name == one.object) {
                Some((_, covers)) => covers.push(index),
                None => objects.push((&one.object, vec![index])),
            }
        }
        let known = |one: &Applied| one.item.enforce && self.denials.find(&one.item, now).is_some();
        let remembered = applied.iter().any(known);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; applied.len()];
        let mut charges = Vec::with_capacity(objects.len());
        let mut admitted = true;
        for (object, covers) in &objects {
            self.ids = self.ids.wrapping_add(1);
            let id = CallId(self.ids);
            let charge = Charge {
                id,
                // All objects are asked at one instant: what one takes is given back at once where
                // another refuses.
                provisional: None,
                items: covers
                    .iter()
                    .filter_map(|index| Some(applied.get(*index)?.item.clone()))
                    .collect(),
            };
            let ledger = Counters::place(object);
            let Some(Answer::Charged(charged)) =
                self.counters.ask(ledger, &Call::Charge(charge), now)
            else {
                continue;
            };
            admitted &= charged.admitted;
            for (index, outcome) in covers.iter().zip(charged.outcomes) {
                if let Some(place) = outcomes.get_mut(*index) {
                    *place = Some(outcome);
                }
            }
            charges.push((ledger, id, charged.admitted));
        }
        if !remembered {
            let asked = u64::try_from(objects.len()).unwrap_or(u64::MAX);
            self.calls = self.calls.saturating_add(asked);
        }
        for (ledger, id, charged) in &charges {
            if !admitted && *charged {
                self.counters.ask(*ledger, &Call::Refund { id: *id }, now);
                self.calls = self.calls.saturating_add(u64::from(!remembered));
            }
        }
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
            self.settle(applied, &objects, &charges, entry, now);
        }
    }

    /// What the answer decides, as the log has the answer.
    fn settle(
        &mut self,
        applied: &[Applied],
        objects: &[(&str, Vec<usize>)],
        charges: &[(usize, CallId, bool)],
        entry: &Entry,
        now: Timestamp,
    ) {
        for ((_, covers), (ledger, id, _)) in objects.iter().zip(charges) {
            let spent: Vec<(u32, u64)> = (0_u32..)
                .zip(covers)
                .filter_map(|(item, index)| {
                    let one = applied.get(*index)?;
                    let units = settled(one.settle.as_ref()?, one.item.cost, entry)?;
                    Some((item, units))
                })
                .collect();
            if !spent.is_empty() {
                self.counters
                    .ask(*ledger, &Call::Settle { id: *id, spent }, now);
                self.calls = self.calls.saturating_add(1);
            }
        }
    }
}

/// Units that a reservation comes to; None where the log does not say, so that it stands.
fn settled(settle: &Settle, held: u64, entry: &Entry) -> Option<u64> {
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
