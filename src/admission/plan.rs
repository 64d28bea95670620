//! From a request and the policy to a flat list of what has to be asked.

mod asks;

use super::Facts;
use super::keys::{Client, KeyValues};
use crate::http::pattern::Captures;
pub use crate::policy::tier::Tier;
use crate::policy::{Action, Cost, CountWhen, Deadline, Limit, Mode, Policy, Rule};
use crate::time::Span;
use crate::wire::Item;
use crate::wire::names::Namer;

/// The rules that hold for a request, and what they ask.
#[derive(Debug, Default)]
pub struct Plan {
    /// Indices of the rules that hold, in policy order, `off` ones left out.
    pub rules: Vec<usize>,
    /// The first `deny` rule that enforces.
    pub denied: Option<usize>,
    /// Limits whose key and cost are known.
    pub applied: Vec<Applied>,
    /// Limits that have to wait for the body.
    pub waiting_for_body: Vec<LimitRef>,
    /// Tiers that have to be looked up first; the plan is then made again.
    pub tiers_wanted: Vec<TierWanted>,
    /// Slots, in the one order that every request takes them in.
    pub slots: Vec<SlotUse>,
    /// A slot may yet refuse what the limits of this plan admit.
    pub before_slots: bool,
    /// The strictest deadline.
    pub deadline: Option<Deadline>,
    /// A CORS preflight: only `deny` rules and the preflight limit hold for it.
    pub preflight: bool,
}

/// Where a limit stands in the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitRef {
    /// `preflight`.
    Preflight,
    /// `rules[rule].limits[limit]`.
    Rule {
        /// Index of the rule.
        rule: usize,
        /// Index of the limit in it.
        limit: usize,
    },
}

impl LimitRef {
    /// The limit itself.
    #[must_use]
    pub fn of(self, policy: &Policy) -> Option<&Limit> {
        match self {
            LimitRef::Preflight => Some(&policy.preflight),
            LimitRef::Rule { rule, limit } => policy.rules.get(rule)?.limits.get(limit),
        }
    }

    /// The rule that it belongs to.
    #[must_use]
    pub fn rule(self, policy: &Policy) -> Option<&Rule> {
        match self {
            LimitRef::Preflight => None,
            LimitRef::Rule { rule, .. } => policy.rules.get(rule),
        }
    }
}

/// One limit as it applies to this request.
#[derive(Clone, Debug)]
pub struct Applied {
    /// Which limit.
    pub limit: LimitRef,
    /// The object's name.
    pub object: String,
    /// Where the object should be made if it is new: a continent, or empty.
    pub hint: String,
    /// What to charge.
    pub item: Item,
    /// The caller's tier, where the limit has tiers.
    pub tier: Option<String>,
    /// What decides after the response how much was spent.
    pub settle: Option<Settle>,
    /// The quota fields show it.
    pub shown: bool,
}

/// What a reservation waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settle {
    /// Kept if the response matches, given back if not.
    Count(CountWhen),
    /// The true cost.
    Cost(Cost),
}

/// A concurrency limit as it applies to this request.
#[derive(Clone, Debug)]
pub struct SlotUse {
    /// Index of the rule.
    pub rule: usize,
    /// Index in its `concurrency`.
    pub concurrency: usize,
    /// The object's name.
    pub object: String,
    /// What to take.
    pub slot: crate::wire::Slot,
}

/// A tier that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierWanted {
    /// Index into [`Policy::tiers`].
    pub source: usize,
    /// The value whose hash is the key in KV.
    pub value: String,
}

/// What planning needs besides the request.
pub struct Context<'a> {
    /// The policy in force.
    pub policy: &'a Policy,
    /// Names objects and counters.
    pub namer: &'a Namer,
    /// `WEIR_MODE` and the policy's own `mode` have the last word over every rule's.
    pub mode: Mode,
    /// What is known of tiers: (index of the source, value).
    pub tiers: &'a dyn Fn(usize, &str) -> Tier,
}

/// Rules that are looked at one by one.
const FEW: usize = 6;

/// Finds the rules that hold and lists what they ask.
#[must_use]
pub fn plan(context: &Context<'_>, facts: &dyn Facts) -> Plan {
    let policy = context.policy;
    let mut plan = Plan {
        preflight: facts.is_preflight(),
        ..Plan::default()
    };
    if context.mode == Mode::Off {
        return plan;
    }
    let client = Client::of(facts.caller(), policy);
    for index in candidates(policy, facts) {
        let Some(rule) = policy.rules.get(index) else {
            continue;
        };
        if rule.mode == Mode::Off {
            continue;
        }
        let Some(captures) = holds(rule, facts) else {
            continue;
        };
        plan.add_rule(context, facts, &client, index, rule, captures);
    }
    if plan.preflight {
        let limit = LimitRef::Preflight;
        plan.add_limit(context, facts, &client, limit, None);
    }
    plan
}

/// Lists what the limits ask that had to wait for the body. Its rules are those of `first`.
#[must_use]
pub fn plan_after_body(context: &Context<'_>, facts: &dyn Facts, first: &Plan) -> Plan {
    let mut plan = Plan {
        before_slots: first.before_slots,
        ..Plan::default()
    };
    let client = Client::of(facts.caller(), context.policy);
    for limit in &first.waiting_for_body {
        let captures = limit
            .rule(context.policy)
            .and_then(|rule| holds(rule, facts))
            .flatten();
        plan.add_limit(context, facts, &client, *limit, captures);
    }
    plan
}

/// The values of a limit's key for this request, as a person reads them. None of a part that has to
/// be read from a body that is not known.
#[must_use]
pub fn key_in_clear(policy: &Policy, limit: LimitRef, facts: &dyn Facts) -> Vec<String> {
    let client = Client::of(facts.caller(), policy);
    let captures = limit
        .rule(policy)
        .and_then(|rule| holds(rule, facts))
        .flatten();
    limit
        .of(policy)
        .and_then(|limit| KeyValues::resolve(&limit.key, facts, &client, captures).ok())
        .map(|values| values.in_clear())
        .unwrap_or_default()
}

impl Plan {
    fn add_rule<'a>(
        &mut self,
        context: &Context<'a>,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        index: usize,
        rule: &'a Rule,
        captures: Option<Captures<'a>>,
    ) {
        let enforced = rule.mode.min(context.mode) == Mode::Enforce;
        if rule.action == Action::Deny {
            self.rules.push(index);
            if enforced && self.denied.is_none() {
                self.denied = Some(index);
            }
            return;
        }
        if self.preflight {
            return;
        }
        self.rules.push(index);
        if let Some(deadline) = rule.deadline.filter(|_| enforced) {
            let strictest = self.deadline.get_or_insert(deadline);
            strictest.headers = sooner(strictest.headers, deadline.headers);
            strictest.total = sooner(strictest.total, deadline.total);
        }
        for limit in 0..rule.limits.len() {
            let limit = LimitRef::Rule { rule: index, limit };
            self.add_limit(context, facts, client, limit, captures);
        }
        for concurrency in 0..rule.concurrency.len() {
            self.add_slot(context, facts, client, (index, concurrency), captures);
        }
    }
}

/// The rules to look at, in the operator's order. A few are looked at faster than looked up.
fn candidates(policy: &Policy, facts: &dyn Facts) -> Vec<usize> {
    if policy.rules.len() <= FEW {
        (0..policy.rules.len()).collect()
    } else {
        policy.index.candidates(facts.path())
    }
}

/// Whether a rule holds for the request: then the captures of the path pattern that matched, if it
/// has any pattern.
fn holds<'a>(rule: &'a Rule, facts: &'a dyn Facts) -> Option<Option<Captures<'a>>> {
    let skipped = || rule.skip.as_ref().is_some_and(|skip| skip.matches(facts));
    if !rule.matches.matches(facts) || skipped() {
        return None;
    }
    let patterns = rule.matches.paths.as_deref().unwrap_or_default();
    Some(
        patterns
            .iter()
            .find_map(|pattern| pattern.matches(facts.path())),
    )
}

fn sooner(a: Option<Span>, b: Option<Span>) -> Option<Span> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}
