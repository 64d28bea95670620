//! What is legal but unwise.

use crate::limit::Algorithm;
use crate::policy::{
    Action, Cost, KeyPart, KeySource, Limit, Matcher, Mode, Policy, Rule, TierSource,
};

/// What an operator should know about a good policy.
pub fn warnings(policy: &Policy) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(header) = &policy.client_ip_header {
        found.push(format!(
            "client_ip_header: whoever can reach the Worker directly can write \"{header}\" as they like"
        ));
    }
    if policy.mode == Mode::Off {
        found.push("mode: \"off\": nothing is counted and nothing refused".to_owned());
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        let mut warn = |message: String| {
            found.push(format!("rules[{index}] \"{}\": {message}", rule.name));
        };
        about_matching(rule, policy, &mut warn);
        about_limits(rule, &policy.tiers, &mut warn);
        for slots in &rule.concurrency {
            if slots.waiting == 0 && !slots.fair_by.is_empty() {
                warn(format!(
                    "\"{}\" has fair_by, but no places to wait",
                    slots.name
                ));
            }
        }
    }
    found
}

fn about_matching(rule: &Rule, policy: &Policy, warn: &mut dyn FnMut(String)) {
    let empty = rule.limits.is_empty()
        && rule.concurrency.is_empty()
        && rule.body.is_none()
        && rule.deadline.is_none()
        && rule.request == Default::default();
    if empty && rule.action == Action::Limit {
        warn("has nothing to limit, and does nothing".to_owned());
    }
    if rule.action == Action::Deny && rule.matches.is_empty() && rule.skip.is_none() {
        warn("denies every request of the site".to_owned());
    }
    let own = |path: &str| {
        path.strip_prefix(&policy.admin_path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut paths = rule.matches.paths.iter().flatten().peekable();
    if paths.peek().is_some() && paths.all(|pattern| own(pattern.as_str())) {
        warn("can match nothing: Weir's own pages are subject to no rule".to_owned());
    }
    if rule
        .skip
        .as_ref()
        .is_some_and(|skip| covers(skip, &rule.matches))
    {
        warn("can match nothing: \"skip\" exempts all that \"match\" names".to_owned());
    }
    if rule
        .matches
        .not
        .as_ref()
        .is_some_and(|not| covers(not, &rule.matches))
    {
        warn("can match nothing: \"not\" takes out all that \"match\" names".to_owned());
    }
}

/// True where every request that `inner` holds for, `outer` holds for too, as far as their
/// conditions are spelt alike.
fn covers(outer: &Matcher, inner: &Matcher) -> bool {
    fn list<T: PartialEq>(outer: &Option<Vec<T>>, inner: &Option<Vec<T>>) -> bool {
        match (outer, inner) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(outer), Some(inner)) => inner.iter().all(|entry| outer.contains(entry)),
        }
    }
    outer.not.is_none()
        && list(&outer.paths, &inner.paths)
        && list(&outer.methods, &inner.methods)
        && list(&outer.hosts, &inner.hosts)
        && list(&outer.ips, &inner.ips)
        && list(&outer.countries, &inner.countries)
        && list(&outer.asns, &inner.asns)
        && outer
            .headers
            .iter()
            .all(|header| inner.headers.contains(header))
        && outer
            .cookies
            .iter()
            .all(|name| inner.cookies.contains(name))
        && outer
            .queries
            .iter()
            .all(|name| inner.queries.contains(name))
        && (!outer.verified_bot || inner.verified_bot)
}

fn about_limits(rule: &Rule, tiers: &[TierSource], warn: &mut dyn FnMut(String)) {
    let anchored = rule.limits.iter().any(|limit| !is_chosen(&limit.key));
    let chosen: Vec<&str> = rule
        .limits
        .iter()
        .filter(|limit| is_chosen(&limit.key))
        .map(|limit| limit.name.as_str())
        .collect();
    if !anchored && !chosen.is_empty() {
        warn(format!(
            "a client that varies its values gets round {}: add a limit with key = [\"ip\"]",
            chosen.join(", ")
        ));
    }
    for (index, limit) in rule.limits.iter().enumerate() {
        let others = rule.limits.iter().enumerate();
        let mut others = others.filter(|(other, _)| *other != index);
        let idle = others.find(|(other, tighter)| {
            always_first(tighter, limit) && !(always_first(limit, tighter) && *other > index)
        });
        if let Some((_, tighter)) = idle {
            warn(format!(
                "\"{}\" can never refuse: \"{}\" always does so first",
                limit.name, tighter.name
            ));
        }
        if let Some(tier) = &limit.tier {
            let source = tiers.get(tier.source).map_or("", |source| &source.default);
            let named = tier.quotas.iter().any(|(name, _)| name == source);
            if !tier.quotas.is_empty() && !named {
                warn(format!(
                    "\"{}\": its quotas lack the default tier \"{source}\", which gets the limit's own quota",
                    limit.name
                ));
            }
        }
    }
}

/// True where clients choose a part of the key: each value that they make up has its own quota,
/// whatever the other parts are.
fn is_chosen(key: &[KeyPart]) -> bool {
    let chosen = |source: &KeySource| {
        matches!(
            source,
            KeySource::Cookie(_)
                | KeySource::Header(_)
                | KeySource::Query(_)
                | KeySource::Path(_)
                | KeySource::Body(_)
        )
    };
    key.iter().any(|part| part.any(chosen))
}

/// True where `tighter` refuses whatever `limit` would refuse.
fn always_first(tighter: &Limit, limit: &Limit) -> bool {
    let plain = |limit: &Limit| {
        limit.tier.is_none() && limit.count.is_none() && limit.algorithm != Algorithm::Distinct
    };
    let cost = |limit: &Limit| match limit.cost {
        Cost::Fixed(units) => Some(units),
        _ => None,
    };
    plain(tighter)
        && plain(limit)
        && cost(tighter).is_some()
        && cost(tighter) == cost(limit)
        && tighter.key == limit.key
        && tighter.scope == limit.scope
        && tighter.algorithm == limit.algorithm
        && tighter.quota.window == limit.quota.window
        && tighter.quota.quota <= limit.quota.quota
        && tighter.quota.burst <= limit.quota.burst
}
