//! Decisions that need no counter: deny lists, the size of URL and headers, and what the headers
//! say of the body. They come before anything that costs a call.

use super::Facts;
use super::plan::Plan;
use crate::http::media;
use crate::policy::{Body, Mode, Policy, Rule};
use crate::time::Span;

/// How long a body that is held may take to arrive where no rule says.
const DEFAULT_TIMEOUT: Span = Span::from_secs(30);

/// A refusal by a guard, and the rule whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// Index of the rule.
    pub rule: usize,
    /// What it refuses.
    pub fault: GuardFault,
}

/// What a guard refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardFault {
    /// `action = "deny"`.
    Denied,
    /// Path and query are longer than allowed.
    UrlTooLong {
        /// Bytes allowed.
        max: u64,
    },
    /// Header names and values are longer than allowed.
    HeadersTooLarge {
        /// Bytes allowed.
        max: u64,
    },
    /// The body's media type is not in the list.
    MediaType,
    /// The body is declared longer than allowed.
    BodyTooLarge {
        /// Bytes allowed.
        max: u64,
    },
}

/// What the rules need of the body, all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyPlan {
    /// There is a body.
    pub present: bool,
    /// Its declared length.
    pub declared: Option<u64>,
    /// The tightest bound, and the rule whose it is.
    pub bound: Option<(u64, usize)>,
    /// Most bytes held back of an undeclared body before it streams.
    pub buffer: u64,
    /// How long a held body may take.
    pub timeout: Span,
    /// The rule whose `timeout` that is; None for the default.
    pub timeout_rule: Option<usize>,
    /// Rules that look into the body.
    pub inspected_by: Vec<usize>,
    /// A key or a cost needs the whole body.
    pub needed_whole: bool,
}

impl BodyPlan {
    /// Puts the rules' bounds together.
    #[must_use]
    pub fn new(
        policy: &Policy,
        plan: &Plan,
        mode: Mode,
        present: bool,
        declared: Option<u64>,
    ) -> BodyPlan {
        let mut out = BodyPlan {
            present,
            declared,
            bound: None,
            buffer: u64::MAX,
            timeout: DEFAULT_TIMEOUT,
            timeout_rule: None,
            inspected_by: Vec::new(),
            needed_whole: !plan.waiting_for_body.is_empty(),
        };
        for (index, rule, body) in bodies(policy, plan) {
            let enforced = enforced(rule, mode);
            if let Some(max) = body.max_bytes.filter(|_| enforced || out.needed_whole) {
                if out.bound.is_none_or(|(least, _)| max < least) {
                    out.bound = Some((max, index));
                }
                out.buffer = out.buffer.min(body.buffer);
            }
            if let Some(timeout) = body.timeout.filter(|_| enforced)
                && (out.timeout_rule.is_none() || timeout < out.timeout)
            {
                out.timeout = timeout;
                out.timeout_rule = Some(index);
            }
            if (body.json.is_some() || body.graphql.is_some()) && enforced {
                out.inspected_by.push(index);
            }
        }
        out
    }

    /// The body has to be read whole before the origin may see any of it.
    #[must_use]
    pub fn is_held_whole(&self) -> bool {
        self.present && (self.needed_whole || !self.inspected_by.is_empty())
    }

    /// The body has to be watched at all: nothing of it may be left to the platform alone.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        let undeclared = self.declared.is_none() && self.bound.is_some();
        self.is_held_whole() || (self.present && (undeclared || self.timeout_rule.is_some()))
    }
}

/// The first guard that refuses, in policy order.
#[must_use]
pub fn check(
    policy: &Policy,
    plan: &Plan,
    mode: Mode,
    facts: &dyn Facts,
    body: &BodyPlan,
) -> Option<Guarded> {
    if let Some(rule) = plan.denied {
        return Some(Guarded {
            rule,
            fault: GuardFault::Denied,
        });
    }
    plan.rules.iter().find_map(|index| {
        let rule = policy.rules.get(*index)?;
        if !enforced(rule, mode) {
            return None;
        }
        let fault = rule_fault(rule, facts, body)?;
        Some(Guarded {
            rule: *index,
            fault,
        })
    })
}

fn rule_fault(rule: &Rule, facts: &dyn Facts, body: &BodyPlan) -> Option<GuardFault> {
    if let Some(max) = rule.request.max_url_bytes
        && facts.url_bytes() > max
    {
        return Some(GuardFault::UrlTooLong { max });
    }
    if let Some(max) = rule.request.max_header_bytes
        && facts.header_bytes() > max
    {
        return Some(GuardFault::HeadersTooLarge { max });
    }
    let bounds = rule.body.as_ref().filter(|_| body.present)?;
    if let Some(allowed) = &bounds.content_types
        && !media::is_listed(facts.header("content-type").as_deref(), allowed)
    {
        return Some(GuardFault::MediaType);
    }
    let max = bounds.max_bytes?;
    (body.declared? > max).then_some(GuardFault::BodyTooLarge { max })
}

fn enforced(rule: &Rule, mode: Mode) -> bool {
    rule.mode.min(mode) == Mode::Enforce
}

fn bodies<'a>(
    policy: &'a Policy,
    plan: &'a Plan,
) -> impl Iterator<Item = (usize, &'a Rule, &'a Body)> {
    plan.rules.iter().filter_map(|index| {
        let rule = policy.rules.get(*index)?;
        Some((*index, rule, rule.body.as_ref()?))
    })
}
