//! `weir check`.

use super::arguments::Arguments;
use super::document::{self, Document};
use super::wrangler::{self, Report};
use super::{Outcome, lint};
use crate::policy;
use std::io::{self, Write};

/// Checks a file and says what was found.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Outcome> {
    let file = arguments.file().unwrap_or("wrangler.toml");
    let document = match document::read(file) {
        Ok(document) => document,
        Err(message) => {
            writeln!(err, "weir: {message}")?;
            return Ok(Outcome::Unable);
        }
    };
    let reports = match document {
        Err(faults) => {
            let report = Report {
                faults,
                ..Report::default()
            };
            vec![(String::new(), report)]
        }
        Ok(Document::Policy(node)) => vec![(String::new(), of_policy(&node))],
        Ok(Document::Wrangler(node)) => {
            match wrangler::environments(&node, arguments.value("--env")) {
                Err(message) => {
                    writeln!(err, "weir: {file}: {message}")?;
                    return Ok(Outcome::Unable);
                }
                Ok(environments) => environments
                    .iter()
                    .map(|environment| (format!(", {}", environment.label), environment.check()))
                    .collect(),
            }
        }
    };
    let mut outcome = Outcome::Good;
    for (label, report) in &reports {
        if tell(&format!("{file}{label}"), report, out, err)? == Outcome::Faulty {
            outcome = Outcome::Faulty;
        }
    }
    Ok(outcome)
}

/// A policy that stands by itself.
pub fn of_policy(node: &policy::Node) -> Report {
    match policy::check(node) {
        Ok(policy) => Report {
            policy: Some(policy),
            ..Report::default()
        },
        Err(faults) => Report {
            faults,
            ..Report::default()
        },
    }
}

/// Writes one report.
pub fn tell(
    label: &str,
    report: &Report,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Outcome> {
    let lints = report
        .policy
        .as_ref()
        .map(lint::warnings)
        .unwrap_or_default();
    for warning in report.warnings.iter().chain(&lints) {
        writeln!(err, "{label}: warning: {warning}")?;
    }
    if report.faults.is_empty() {
        let (rules, limits) = report.policy.as_ref().map_or((0, 0), |policy| {
            let limits = policy.rules.iter().map(|rule| rule.limits.len());
            (policy.rules.len(), limits.sum())
        });
        writeln!(out, "{label}: good (rules: {rules}, limits: {limits})")?;
        return Ok(Outcome::Good);
    }
    let count = report.faults.len();
    writeln!(
        err,
        "{label}: {count} {}",
        if count == 1 { "fault" } else { "faults" }
    )?;
    for fault in &report.faults {
        writeln!(err, "  {fault}")?;
    }
    Ok(Outcome::Faulty)
}
