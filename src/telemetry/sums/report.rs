//! The sums as the lines of a report, which `Totals` reads.

use super::{CALLS, Named, Network, OTHERS, RETRIES, Sums};
use crate::policy::Policy;
use crate::telemetry::Outcome;
use crate::text;

const SOURCES: [&str; 3] = ["local", "lease", "object"];

impl Sums {
    /// Writes down everything and starts anew.
    pub(super) fn write(&mut self, out: &mut String) {
        for (source, values) in SOURCES.iter().zip(&mut self.decisions) {
            let values = std::mem::take(values);
            labelled(out, "weir_decision_seconds", "source", source, &values);
        }
        for (kind, count) in CALLS.iter().zip(&mut self.calls) {
            let count = std::mem::take(count);
            labelled(out, "weir_object_calls_total", "kind", kind, &[count]);
        }
        for (reason, count) in RETRIES.iter().zip(&mut self.retries) {
            let count = std::mem::take(count);
            labelled(out, "weir_object_retries_total", "reason", reason, &[count]);
        }
        for (name, count) in [
            ("weir_rows_written_total", &mut self.rows),
            ("weir_storage_faults_total", &mut self.storage_faults),
            ("weir_telemetry_lost_total", &mut self.lost),
        ] {
            counted(out, &["c", name, ""], &[std::mem::take(count)]);
        }
        let Some(policy) = self.policy.clone() else {
            return;
        };
        let names = names(&policy);
        let name = |cell: usize| names.get(cell).copied().unwrap_or_default();
        for (index, cell) in self.cells.iter_mut().enumerate() {
            let Some(cell) = cell.take() else { continue };
            let (rule, limit) = name(index);
            for (tier, counts) in &cell.tiers {
                let is_plain = |c: &char| !c.is_control() && !"\"\\".contains(*c);
                let tier: String = tier.chars().filter(is_plain).collect();
                for (outcome, count) in Outcome::ALL.iter().zip(counts) {
                    let outcome = outcome.name();
                    counted(out, &["requests", rule, limit, outcome, &tier], &[*count]);
                }
            }
            for (name, values) in [
                ("weir_remaining", cell.remaining.as_slice()),
                ("weir_near_limit_total", &[cell.near]),
            ] {
                if values.iter().any(|value| *value > 0) {
                    let labels = text::join(&["rule=\"", rule, "\",limit=\"", limit, "\""], "");
                    counted(out, &["c", name, &labels], values);
                }
            }
        }
        let rules = policy.rules.len();
        let rule_name = |rule: usize| match policy.rules.get(rule) {
            Some(rule) => rule.name.as_str(),
            None if rule > rules => "*",
            None => "",
        };
        for (rule, counts) in self.rules.iter_mut().enumerate() {
            let counts = std::mem::take(counts);
            counted(out, &["rule", rule_name(rule)], &counts);
        }
        for (rule, network, passed, refused) in self.networks.drain(..) {
            let (asn, country) = shown(network);
            let fields = ["network", rule_name(rule), &asn, &country];
            counted(out, &fields, &[passed, refused]);
        }
        for seen in self.keys.drain(..) {
            let (rule, limit) = name(seen.cell);
            let named = match seen.named {
                Named::Near => "near",
                Named::Outcome(outcome) => outcome.name(),
            };
            let (asn, country) = shown(seen.network);
            let key = seen.key.to_string();
            let object = &seen.object;
            let ask = seen.item.map(|item| item.to_be_found()).unwrap_or_default();
            let fields = [
                "key", rule, limit, named, &key, &asn, &country, object, &ask,
            ];
            counted(out, &fields, &[seen.count]);
        }
        for (cell, object, key) in self.slots.drain(..) {
            let (rule, limit) = name(cell);
            counted(
                out,
                &["slots", rule, limit, &object, &key.to_string()],
                &[1],
            );
        }
        self.passed = 0;
    }
}

/// A network's number and country as text.
fn shown(network: Network) -> (String, String) {
    if network == OTHERS {
        return ("other".to_owned(), "other".to_owned());
    }
    let (asn, country) = network;
    let letters = country.iter().filter(|letter| **letter > 0);
    let country = letters.map(|letter| char::from(*letter)).collect();
    (asn.to_string(), country)
}

/// A counter or histogram with one label.
fn labelled(out: &mut String, family: &str, label: &str, value: &str, values: &[u64]) {
    if values.iter().any(|value| *value > 0) {
        let labels = text::join(&[label, "=\"", value, "\""], "");
        counted(out, &["c", family, &labels], values);
    }
}

/// A line: fields, then numbers; none where all numbers are zero.
fn counted(out: &mut String, fields: &[&str], values: &[u64]) {
    if values.iter().all(|value| *value == 0) {
        return;
    }
    for field in fields {
        out.push_str(field);
        out.push('\t');
    }
    for value in values {
        out.push_str(&value.to_string());
        out.push(' ');
    }
    out.pop();
    out.push('\n');
}

/// Rule and limit of each cell.
fn names(policy: &Policy) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    for rule in &policy.rules {
        let name = rule.name.as_str();
        out.extend(rule.limits.iter().map(|limit| (name, limit.name.as_str())));
        out.extend(
            rule.concurrency
                .iter()
                .map(|slot| (name, slot.name.as_str())),
        );
        out.push((name, ""));
    }
    out.push(("preflight", "preflight"));
    out.push(("", ""));
    out
}
