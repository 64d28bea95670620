//! What the rules need of a request's body, all of them together, and what they find in it.

use super::facts::Facts;
use super::plan::{LimitRef, Plan};
use super::refusals::{self, Shaped};
use crate::body::BodyFault;
use crate::policy::{Body, Cost, Limit, Mode, Policy, Rule};
use crate::time::Span;

/// How long a body that is held may take to arrive where no rule says.
const DEFAULT_TIMEOUT: Span = Span::from_secs(30);

/// Most bytes held back of a body that no rule bounds.
const DEFAULT_BUFFER: u64 = 64 << 10;

/// What the rules need of the body, all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyPlan {
    /// There is a body.
    pub present: bool,
    /// Its declared length.
    pub declared: Option<u64>,
    /// The tightest bound that is enforced, and the rule whose it is.
    pub bound: Option<(u64, usize)>,
    /// The tightest bound of all, those in shadow included: more is held for nobody.
    pub hold: Option<u64>,
    /// Most bytes held back of a body that streams.
    pub buffer: u64,
    /// How long a held body may take.
    pub timeout: Span,
    /// The rule whose `timeout` that is; None for the default.
    pub timeout_rule: Option<usize>,
    /// A rule bounds what is in the body.
    pub inspected: bool,
    /// What is in the body has to be known, be it for a rule in shadow.
    pub looked_into: bool,
    /// The first enforced rule that cannot do without looking into the body.
    pub looked_into_by: Option<usize>,
    /// A key or a cost needs the whole body.
    pub needed_whole: bool,
    /// An enforced rule has the body held: for rules in shadow alone none is refused, however slow
    /// it comes and however much is held already.
    pub strict: bool,
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
            buffer: DEFAULT_BUFFER,
            timeout: DEFAULT_TIMEOUT,
            needed_whole: !plan.waiting_for_body.is_empty(),
            ..BodyPlan::default()
        };
        for (index, rule, body) in bodies(policy, plan) {
            out.add(index, body, enforced(rule, mode));
        }
        out.looked_into = out.inspected;
        for at in &plan.waiting_for_body {
            let (LimitRef::Rule { rule, .. }, Some(limit)) = (*at, at.of(policy)) else {
                continue;
            };
            let strict = policy
                .rules
                .get(rule)
                .is_some_and(|rule| enforced(rule, mode));
            out.strict |= strict;
            if looks_into(limit) {
                out.looked_into = true;
                out.looked_into_by = out.looked_into_by.or(strict.then_some(rule));
            }
        }
        out
    }

    fn add(&mut self, index: usize, body: &Body, enforced: bool) {
        self.strict |= enforced;
        if let Some(max) = body.max_bytes {
            if self.hold.is_none_or(|least| max < least) {
                self.hold = Some(max);
            }
            if enforced && self.bound.is_none_or(|(least, _)| max < least) {
                self.bound = Some((max, index));
            }
            if enforced {
                self.buffer = self.buffer.min(body.buffer);
            }
        }
        if let Some(timeout) = body.timeout.filter(|_| enforced)
            && (self.timeout_rule.is_none() || timeout < self.timeout)
        {
            self.timeout = timeout;
            self.timeout_rule = Some(index);
        }
        if (body.json.is_some() || body.graphql.is_some()) && enforced {
            self.inspected = true;
            self.looked_into_by = self.looked_into_by.or(Some(index));
        }
    }

    /// The body has to be read whole before the origin may see any of it.
    #[must_use]
    pub fn is_held_whole(&self) -> bool {
        self.present && (self.needed_whole || self.inspected)
    }

    /// The body has to be watched at all: nothing of it may be left to the platform alone.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        let undeclared = self.declared.is_none() && self.bound.is_some();
        self.is_held_whole() || (self.present && (undeclared || self.timeout_rule.is_some()))
    }

    /// Most bytes that are held back; beyond them a body streams.
    #[must_use]
    pub fn held(&self) -> u64 {
        if self.is_held_whole() {
            self.hold.unwrap_or(self.buffer)
        } else {
            self.buffer
        }
    }
}

/// How a body's bytes have to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As they are.
    Identity,
    /// `gzip`.
    Gzip,
    /// `deflate`: the zlib format, as RFC 9110 says.
    Deflate,
    /// Anything else, several codings on top of each other included.
    Unknown,
}

impl Coding {
    /// The coding that the request's `Content-Encoding` names.
    #[must_use]
    pub fn of(facts: &dyn Facts) -> Coding {
        let Some(value) = facts.header("content-encoding") else {
            return Coding::Identity;
        };
        let is = |name: &str| value.trim().eq_ignore_ascii_case(name);
        if is("") || is("identity") {
            Coding::Identity
        } else if is("gzip") || is("x-gzip") {
            Coding::Gzip
        } else if is("deflate") {
            Coding::Deflate
        } else {
            Coding::Unknown
        }
    }
}

/// What inspection reads besides the body's bytes.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The request's method.
    pub method: &'a str,
    /// The URL's query without `?`.
    pub query: &'a str,
    /// `Content-Type`.
    pub media_type: Option<&'a str>,
}

/// Looks into a body, decoded, for every rule that bounds it. Gives the dearest cost that a rule
/// computes.
///
/// # Errors
///
/// The refusal of the first enforced rule, in policy order, that the body is against.
pub fn inspect(
    policy: &Policy,
    plan: &Plan,
    mode: Mode,
    asked: Asked<'_>,
    bytes: &[u8],
) -> Result<Option<u64>, Box<Shaped>> {
    let mut dearest = None;
    for (index, rule, body) in bodies(policy, plan) {
        match of_rule(body, asked, bytes) {
            Ok(cost) => dearest = dearest.max(cost),
            Err(fault) if enforced(rule, mode) => {
                return Err(Box::new(Shaped {
                    refusal: refusals::of_body_fault(fault),
                    rule: Some(index),
                }));
            }
            Err(_) => {}
        }
    }
    Ok(dearest)
}

fn of_rule(body: &Body, asked: Asked<'_>, bytes: &[u8]) -> Result<Option<u64>, BodyFault> {
    let mut cost = None;
    if let Some(graphql) = &body.graphql {
        cost = graphql.inspect(asked.query, asked.media_type, bytes)?.cost;
    }
    if let Some(json) = &body.json {
        let bodiless = !matches!(asked.method, "POST" | "PUT" | "PATCH");
        if !(bytes.is_empty() && bodiless) {
            cost = json.inspect(bytes)?.cost.or(cost);
        }
    }
    Ok(cost)
}

/// Whether a limit needs what is in the body, not only its length.
fn looks_into(limit: &Limit) -> bool {
    limit.cost == Cost::Body
        || limit
            .key
            .iter()
            .chain(&limit.distinct)
            .any(|part| part.needs_body())
}

/// Whether a rule's faults refuse.
pub(super) fn enforced(rule: &Rule, mode: Mode) -> bool {
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

#[cfg(test)]
mod tests;
