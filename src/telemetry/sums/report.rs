//! The sums as the lines of a report, which `Totals` reads.

use std::fmt::Write as _;

use super::{CALLS, Sums};
use crate::policy::Policy;
use crate::telemetry::Outcome;

impl Sums {
    /// Writes down everything and starts anew.
    pub(super) fn write(&mut self, out: &mut String) {
        let Some(policy) = self.policy.clone() else {
            return;
        };
        let names = names(&policy);
        let name = |cell: usize| names.get(cell).copied().unwrap_or_default();
        // Writing to a string cannot fail.
        for (index, cell) in self.cells.iter_mut().enumerate() {
            let Some(cell) = cell.take() else { continue };
            let (rule, limit) = name(index);
            let labels = format!("rule=\"{rule}\",limit=\"{limit}\"");
            for (tier, counts) in &cell.tiers {
                let tier: String = tier
                    .chars()
                    .filter(|c| !c.is_control() && !"\"\\".contains(*c))
                    .collect();
                for (outcome, count) in Outcome::ALL.iter().zip(counts).filter(|(_, n)| **n > 0) {
                    let outcome = outcome.name();
                    let _ = writeln!(
                        out,
                        "c\tweir_requests_total\t{labels},outcome=\"{outcome}\",tier=\"{tier}\"\t{count}"
                    );
                }
            }
            series(out, "weir_remaining", &labels, &cell.remaining);
            series(out, "weir_near_limit_total", &labels, &[cell.near]);
        }
        for (source, values) in ["local", "lease", "object"].iter().zip(&mut self.decisions) {
            let labels = format!("source=\"{source}\"");
            series(
                out,
                "weir_decision_seconds",
                &labels,
                &std::mem::take(values),
            );
        }
        for (kind, count) in CALLS.iter().zip(&mut self.calls) {
            let count = std::mem::take(count);
            series(
                out,
                "weir_object_calls_total",
                &format!("kind=\"{kind}\""),
                &[count],
            );
        }
        series(
            out,
            "weir_rows_written_total",
            "",
            &[std::mem::take(&mut self.rows)],
        );
        let rules = policy.rules.len();
        let rule_name = |rule: usize| match policy.rules.get(rule) {
            Some(rule) => rule.name.as_str(),
            None if rule > rules => "*",
            None => "",
        };
        for (rule, counts) in self.rules.iter_mut().enumerate() {
            let [passed, refused, shadow, failed] = std::mem::take(counts);
            if passed > 0 || refused > 0 || shadow > 0 || failed > 0 {
                let rule = rule_name(rule);
                let _ = writeln!(out, "r\t{rule}\t{passed} {refused} {shadow} {failed}");
            }
        }
        for ((rule, asn, country), passed, refused) in self.networks.drain(..) {
            let rule = rule_name(rule);
            let _ = writeln!(out, "n\t{rule}\t{asn}\t{country}\t{passed} {refused}");
        }
        for (kind, cell, key, asn, country, count) in self.keys.drain(..) {
            let (rule, limit) = name(cell);
            let _ = writeln!(
                out,
                "k\t{kind}\t{rule}.{limit}\t{key}\t{asn}\t{country}\t{count}"
            );
        }
        for (cell, object, key) in self.slots.drain(..) {
            let (rule, limit) = name(cell);
            let _ = writeln!(out, "s\t{rule}\t{limit}\t{object}\t{key}");
        }
        self.passed = 0;
    }
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

fn series(out: &mut String, family: &str, labels: &str, values: &[u64]) {
    if values.iter().all(|value| *value == 0) {
        return;
    }
    let _ = write!(out, "c\t{family}\t{labels}\t");
    for (index, value) in values.iter().enumerate() {
        let _ = write!(out, "{}{value}", if index == 0 { "" } else { " " });
    }
    out.push('\n');
}
