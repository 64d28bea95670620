//! `weir replay`.

use super::Outcome;
use super::arguments::Arguments;
use super::document::{self, Document};
use super::wrangler;
use crate::policy::{self, Mode, Policy};
use crate::replay::attack::{Attack, KINDS, Kind};
use crate::replay::{Options, Replay, Report};
use std::io::{self, IsTerminal, Write};

mod read;
mod table;

/// Requests of an attack where nothing else is asked for.
const ATTACK: u64 = 100_000;

/// Replays logs and says what was found.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Outcome> {
    let (policy, options, attack) = match prepare(arguments) {
        Ok(prepared) => prepared,
        Err(message) => {
            writeln!(err, "weir: {message}")?;
            return Ok(Outcome::Unable);
        }
    };
    let mut replay = Replay::new(policy.clone(), options);
    if let Some((kind, requests)) = attack {
        Attack::new(kind, &policy, requests).for_each(|entry| replay.request(&entry));
    }
    let progress = io::stderr().is_terminal();
    let done = read(
        arguments.files.get(1..).unwrap_or_default(),
        &mut replay,
        progress,
        err,
    )?;
    let broken = done.broken;
    replay.lines(&done.counts);
    if let Some((file, error)) = &broken {
        writeln!(err, "weir: {file}: {error}")?;
        if replay.requests() == 0 {
            return Ok(Outcome::Unable);
        }
        writeln!(err, "weir: the figures are of what came before that")?;
    }
    let report = replay.report();
    if arguments.has("--json") {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        table::write(&report, out)?;
    }
    complain(&report, err)?;
    Ok(if broken.is_some() {
        Outcome::Unable
    } else if report.lines.unreadable > 0 {
        Outcome::Faulty
    } else {
        Outcome::Good
    })
}

type Prepared = (Policy, Options, Option<(Kind, u64)>);

fn prepare(arguments: &Arguments) -> Result<Prepared, String> {
    let file = arguments.file().ok_or("name a policy, then logs")?;
    let policy = policy_of(file, arguments.value("--env"))?;
    let mode =
        match arguments.value("--mode") {
            None => None,
            Some(text) => Some(Mode::parse(text).ok_or_else(|| {
                format!("--mode \"{text}\" is none; write enforce, shadow or off")
            })?),
        };
    let tier = arguments.value("--tier").map(str::to_owned);
    let tiers: Vec<&str> = policy
        .rules
        .iter()
        .flat_map(|rule| &rule.limits)
        .filter_map(|limit| limit.tier.as_ref())
        .flat_map(|tier| tier.quotas.iter().map(|(name, _)| name.as_str()))
        .collect();
    if let Some(name) = &tier
        && !tiers.contains(&name.as_str())
    {
        return Err(format!("--tier \"{name}\" is in no limit's quotas"));
    }
    let attack = match arguments.value("--attack") {
        None => None,
        Some(text) => {
            let (name, requests) = match text.split_once(':') {
                None => (text, Some(ATTACK)),
                Some((name, count)) => (name, count.parse().ok()),
            };
            let kinds = KINDS.map(|(name, _)| name).join(", ");
            let kind = Kind::parse(name).zip(requests).ok_or_else(|| {
                format!("--attack \"{text}\" is none; write one of {kinds}, and perhaps a number: flood:100000")
            })?;
            Some(kind)
        }
    };
    if arguments.files.len() < 2 && attack.is_none() {
        return Err("name a log behind the policy, or - to read one from the input".to_owned());
    }
    Ok((policy, Options { mode, tier }, attack))
}

/// The policy of a file. Of a wrangler configuration, that of its top or of one environment;
/// whether the rest of it is fit to be deployed does not matter here.
fn policy_of(file: &str, environment: Option<&str>) -> Result<Policy, String> {
    let faulty = |faults: Vec<policy::Fault>| {
        let faults = faults.iter().map(|fault| format!("\n  {fault}"));
        format!("{file} has faults:{}", faults.collect::<String>())
    };
    let node = match document::read(file)?.map_err(faulty)? {
        Document::Policy(node) => node,
        Document::Wrangler(node) => {
            let all = wrangler::environments(&node, environment);
            let all = all.map_err(|message| format!("{file}: {message}"))?;
            let node = all.first().and_then(wrangler::Environment::policy_node);
            let node = node.ok_or_else(|| format!("{file} has no vars.POLICY there"))?;
            match node {
                policy::Node::Text(text) => return policy::parse(text).map_err(faulty),
                node => node.clone(),
            }
        }
    };
    policy::check(&node).map_err(faulty)
}

/// Reads the logs into the replay, and tells how far it is.
fn read<'a>(
    files: &'a [String],
    replay: &mut Replay,
    progress: bool,
    err: &mut dyn Write,
) -> io::Result<read::Done<'a>> {
    let mut shown = 0;
    let done = read::read(files, |block, at| {
        replay.block(block);
        let step = replay.requests() / 50_000;
        if progress && step != shown {
            shown = step;
            let percent = at.taken.saturating_mul(100).checked_div(at.total);
            let percent = percent.map_or_else(String::new, |part| format!(", {part} %"));
            write!(
                err,
                "\r\x1b[K{}: {} requests{percent}",
                at.file,
                replay.requests()
            )?;
            err.flush()?;
        }
        Ok(())
    });
    if progress {
        write!(err, "\r\x1b[K")?;
    }
    done
}

/// What the figures lack.
fn complain(report: &Report, err: &mut dyn Write) -> io::Result<()> {
    let lines = &report.lines;
    if lines.unreadable > 0 {
        writeln!(
            err,
            "weir: {} of {} lines are no requests:",
            lines.unreadable, lines.read
        )?;
        for bad in &lines.first_unreadable {
            writeln!(err, "  {}:{}: {}", bad.file, bad.line, bad.why)?;
        }
        let told = u64::try_from(lines.first_unreadable.len()).unwrap_or(u64::MAX);
        let rest = lines.unreadable.saturating_sub(told);
        if rest > 0 {
            writeln!(err, "  and {rest} more")?;
        }
    }
    // A log is written as requests end, so that a little disorder is its nature.
    if lines.most_late_s > 60 {
        writeln!(
            err,
            "weir: {} requests are earlier than one before them, by up to {} s, and counted at the later time; name the oldest log first",
            lines.late, lines.most_late_s
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
