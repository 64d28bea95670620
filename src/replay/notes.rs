//! What the figures do not include, because the log does not say or a replay cannot know.

use super::entry::Entry;
use crate::admission::Facts;
use crate::policy::{Cost, KeySource, Policy, RequestView};

/// Collects what has to be said.
#[derive(Debug)]
pub struct Notes {
    /// Key sources that no line has shown yet, with the limits they are a key of.
    missing: Vec<(KeySource, Vec<String>)>,
    hosts_matched: bool,
    host_seen: bool,
    standing: Vec<String>,
}

impl Notes {
    /// What a policy asks for.
    #[must_use]
    pub fn of(policy: &Policy) -> Notes {
        let mut missing: Vec<(KeySource, Vec<String>)> = Vec::new();
        let mut reserved = Vec::new();
        for limit in policy.rules.iter().flat_map(|rule| &rule.limits) {
            for part in limit.key.iter().chain(&limit.distinct) {
                for source in &part.alternatives {
                    let always = matches!(
                        source,
                        KeySource::Ip
                            | KeySource::Method
                            | KeySource::Route
                            | KeySource::Path(_)
                            | KeySource::Query(_)
                    );
                    if always {
                        continue;
                    }
                    match missing.iter_mut().find(|(known, _)| known == source) {
                        Some((_, limits)) => limits.push(limit.policy_name.clone()),
                        None => missing.push((source.clone(), vec![limit.policy_name.clone()])),
                    }
                }
            }
            if matches!(limit.cost, Cost::ResponseHeader(_) | Cost::Reserve { .. }) {
                reserved.push(limit.policy_name.clone());
            }
        }
        let mut standing = Vec::new();
        if !reserved.is_empty() {
            standing.push(format!(
                "a log has no response headers: {} counted what was reserved",
                reserved.join(", ")
            ));
        }
        if policy.rules.iter().any(|rule| !rule.concurrency.is_empty()) {
            standing.push("concurrency is not replayed".to_owned());
        }
        if policy.rules.iter().any(|rule| {
            let body = rule.body.as_ref();
            body.is_some_and(|body| body.json.is_some() || body.graphql.is_some())
        }) {
            standing.push(
                "a log has no bodies: they were not inspected, and none cost more than 1"
                    .to_owned(),
            );
        }
        let hosts_matched = policy.rules.iter().any(|rule| rule.matches.hosts.is_some());
        Notes {
            missing,
            hosts_matched,
            host_seen: false,
            standing,
        }
    }

    /// Takes note of what a line shows.
    pub fn see(&mut self, entry: &Entry<'_>) {
        let request = &entry.request;
        self.host_seen |= !request.host().is_empty();
        self.missing.retain(|(source, _)| match source {
            KeySource::Cookie(name) => !request.has_cookie(name),
            KeySource::Header(name) => RequestView::header(request, name).is_none(),
            KeySource::Host => request.host().is_empty(),
            KeySource::Asn => request.asn.is_none(),
            KeySource::Country => request.country.is_none(),
            KeySource::Colo => request.colo.is_none(),
            KeySource::Ja4 => request.ja4.is_none(),
            KeySource::Body(_) => request.body_field("").is_none(),
            KeySource::Ip
            | KeySource::Method
            | KeySource::Route
            | KeySource::Path(_)
            | KeySource::Query(_) => false,
        });
    }

    /// All that has to be said.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = self
            .missing
            .iter()
            .map(|(source, limits)| {
                let mut limits = limits.clone();
                limits.sort();
                limits.dedup();
                format!(
                    "no line has {}: {} counted by what else is in the key, or by address",
                    named(source),
                    limits.join(", ")
                )
            })
            .collect();
        if self.hosts_matched && !self.host_seen {
            told.push("no line has a host: rules that match on one held for nothing".to_owned());
        }
        told.extend(self.standing.iter().cloned());
        told
    }
}

fn named(source: &KeySource) -> String {
    match source {
        KeySource::Cookie(name) => format!("a cookie \"{name}\""),
        KeySource::Header(name) => format!("a header \"{name}\""),
        KeySource::Body(name) => format!("a body with \"{name}\""),
        KeySource::Host => "a host".to_owned(),
        KeySource::Asn => "an ASN".to_owned(),
        KeySource::Country => "a country".to_owned(),
        KeySource::Colo => "a data centre".to_owned(),
        KeySource::Ja4 => "a JA4".to_owned(),
        KeySource::Ip => "an address".to_owned(),
        KeySource::Method | KeySource::Route | KeySource::Path(_) | KeySource::Query(_) => {
            "that key".to_owned()
        }
    }
}
