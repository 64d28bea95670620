//! A report for a person at a terminal.

use crate::replay::{Report, report::Hit, when};
use std::io::{self, Write};

/// Characters of a bar.
const BAR: u64 = 40;

/// Lines of the course over time.
const COURSE: usize = 24;

/// Writes it.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    match &report.time {
        Some(time) => writeln!(
            out,
            "{} requests from {} to {} UTC",
            report.requests, time.from, time.to
        )?,
        None => writeln!(out, "no requests")?,
    }
    let share = |part: u64| percent(part, report.requests);
    writeln!(
        out,
        "  passed   {:>10}  {}",
        report.passed,
        share(report.passed)
    )?;
    writeln!(
        out,
        "  refused  {:>10}  {}",
        report.refused,
        share(report.refused)
    )?;
    if report.shadow > 0 {
        writeln!(
            out,
            "  would be {:>10}  {}  refused, but for shadow",
            report.shadow,
            share(report.shadow)
        )?;
    }
    rows(report, out)?;
    course(report, out)?;
    let callers = &report.callers;
    let at_least = if callers.at_least { "at least " } else { "" };
    writeln!(
        out,
        "\nclients: {at_least}{} seen, {} refused at least once, {} of those let through more often than refused",
        callers.seen, callers.refused, callers.refused_seldom
    )?;
    if callers.shadow > 0 {
        writeln!(
            out,
            "         {} would be refused, but for shadow",
            callers.shadow
        )?;
    }
    hits("network hit hardest", &report.networks, out)?;
    hits("client hit hardest", &report.clients, out)?;
    if !report.keys.is_empty() {
        writeln!(out, "\n{:<42} {:>10}  limit", "key hit hardest", "refused")?;
        for hit in report.keys.iter().take(10) {
            writeln!(out, "{:<42} {:>10}  {}", hit.key, hit.refused, hit.limit)?;
        }
    }
    writeln!(
        out,
        "\ncounting: about {} USD ({} object calls at 0.15 USD a million, without leases; {} rows written at 1 USD a million)",
        report.cost.usd, report.cost.object_calls, report.cost.rows_written
    )?;
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

fn rows(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let width = report.rows.iter().map(|row| row.name.len()).max();
    let width = width.unwrap_or(0).max(12);
    writeln!(
        out,
        "\n{:<width$} {:>10} {:>10} {:>10} {:>10}",
        "limit", "asked", "passed", "refused", "in shadow"
    )?;
    for row in &report.rows {
        let passed = row
            .asked
            .saturating_sub(row.refused)
            .saturating_sub(row.shadow);
        let kind = if row.kind == "limit" {
            String::new()
        } else {
            format!("  ({})", row.kind)
        };
        writeln!(
            out,
            "{:<width$} {:>10} {:>10} {:>10} {:>10}{kind}",
            row.name, row.asked, passed, row.refused, row.shadow
        )?;
    }
    Ok(())
}

/// Over time: `#` refused, `+` would be, `.` passed.
fn course(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let line = &report.timeline;
    let join = line.requests.len().div_ceil(COURSE).max(1);
    let sums = |counts: &[u64]| -> Vec<u64> {
        counts
            .chunks(join)
            .map(|chunk| chunk.iter().copied().fold(0, u64::saturating_add))
            .collect()
    };
    let (requests, refused, shadow) = (
        sums(&line.requests),
        sums(&line.refused),
        sums(&line.shadow),
    );
    let most = requests.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    let step = line
        .width_s
        .saturating_mul(u64::try_from(join).unwrap_or(1));
    writeln!(
        out,
        "\nevery {step} s  ({:<BAR$} requests   refused",
        "# refused, + in shadow, . passed)",
        BAR = 40
    )?;
    let mut at = line.start_s;
    for ((requests, refused), shadow) in requests.iter().zip(&refused).zip(&shadow) {
        let bar = |part: u64| usize::try_from(part.saturating_mul(BAR).div_ceil(most)).unwrap_or(0);
        let (hit, would) = (bar(*refused), bar(refused.saturating_add(*shadow)));
        let all = bar(*requests);
        let bar = format!(
            "{}{}{}",
            "#".repeat(hit),
            "+".repeat(would.saturating_sub(hit)),
            ".".repeat(all.saturating_sub(would))
        );
        writeln!(
            out,
            "{}  {bar:<40} {requests:>9} {refused:>9}",
            when::show(at)
        )?;
        at = at.saturating_add(step);
    }
    Ok(())
}

fn hits(title: &str, hits: &[Hit], out: &mut dyn Write) -> io::Result<()> {
    if hits.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{title:<42} {:>10} {:>10} {:>10}",
        "refused", "in shadow", "passed"
    )?;
    for hit in hits.iter().take(10) {
        writeln!(
            out,
            "{:<42} {:>10} {:>10} {:>10}",
            hit.name, hit.refused, hit.shadow, hit.passed
        )?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1_000).checked_div(whole).unwrap_or(0);
    format!("{:>3}.{} %", tenths / 10, tenths % 10)
}
