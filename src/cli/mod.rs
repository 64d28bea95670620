//! The `weir` command: checks a policy, replays logs against it, puts it into KV, prints its JSON
//! Schema. Native only.
//!
//! It reads files and starts `wrangler`; everything it knows about policies is in
//! [`policy`](crate::policy).

mod arguments;
mod check;
mod document;
mod lint;
mod push;
mod replay;
mod wrangler;

pub use document::from_toml;

use arguments::{Arguments, Misuse};
use std::io::{self, Write};
use std::process::ExitCode;

const USAGE: &str = "\
weir: check, try and publish the policy of a Weir

  weir check [FILE] [--env NAME]
      Reads wrangler.toml (or FILE: a wrangler configuration, or a policy in TOML or JSON), and says
      everything that is wrong with it and what would do. --env looks at one environment only.
  weir push [FILE] [--env NAME] [--binding NAME] [--dry-run] [--local | --remote]
      Checks the policy in FILE (default policy.toml), keeps the one in KV as policy:previous, and
      puts the new one, through `npx wrangler kv key`.
  weir replay POLICY LOG... [--json] [--mode MODE] [--tier NAME] [--env NAME] [--attack KIND[:N]]
      Says what POLICY (any file that `check` takes) would have passed and refused of the requests in
      access logs (common, combined, or JSON lines; gzip or plain; - is the input; oldest first).
      --mode overrides the policy's mode. --tier is the tier of everybody who has one. --attack makes
      up N requests instead: flood, network24, network48, scraper or stuffing. Exit code 1 where
      there were lines that are no requests.
  weir schema
      Prints the JSON Schema of a policy.
  weir fields
      Prints a page about every field of a policy.

Exit code: 0 all well (there may be warnings), 1 faults were found, 2 the command was not understood
or something it needs is missing.
";

/// A policy and its logs.
const MAX_FILES: usize = 10_000;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Good,
    /// What was looked at has faults.
    Faulty,
    /// There was nothing to look at, or no way to.
    Unable,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Good => 0,
            Outcome::Faulty => 1,
            Outcome::Unable => 2,
        })
    }
}

/// Runs the command with these arguments (the program's name not among them). What was asked for
/// goes to `out`, everything else to `err`.
pub fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> Outcome {
    let result = match arguments.split_first() {
        Some((command, rest)) => match command.as_str() {
            "check" => with(rest, &["--env"], &[], 1, err, |found, err| {
                check::run(found, out, err)
            }),
            "push" => with(
                rest,
                &["--env", "--binding"],
                &["--dry-run", "--local", "--remote"],
                1,
                err,
                |found, err| push::run(found, out, err),
            ),
            "replay" => with(
                rest,
                &["--mode", "--tier", "--env", "--attack"],
                &["--json"],
                MAX_FILES,
                err,
                |found, err| replay::run(found, out, err),
            ),
            "schema" => out
                .write_all(crate::policy::schema::text().as_bytes())
                .map(|()| Outcome::Good),
            "fields" => out
                .write_all(crate::policy::reference::text().as_bytes())
                .map(|()| Outcome::Good),
            "help" | "--help" | "-h" => out.write_all(USAGE.as_bytes()).map(|()| Outcome::Good),
            "--version" => {
                writeln!(out, "weir {}", env!("CARGO_PKG_VERSION")).map(|()| Outcome::Good)
            }
            other => writeln!(err, "weir: \"{other}\" is no command\n\n{USAGE}")
                .map(|()| Outcome::Unable),
        },
        None => err.write_all(USAGE.as_bytes()).map(|()| Outcome::Unable),
    };
    result.unwrap_or_else(|error| {
        // Where the output has gone (a closed pipe) there is nobody left to tell.
        if error.kind() != io::ErrorKind::BrokenPipe {
            let _ = writeln!(err, "weir: {error}");
        }
        Outcome::Unable
    })
}

fn with(
    arguments: &[String],
    valued: &'static [&'static str],
    flags: &'static [&'static str],
    files: usize,
    err: &mut dyn Write,
    go: impl FnOnce(&Arguments, &mut dyn Write) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    match Arguments::parse(arguments, valued, flags, files) {
        Ok(arguments) => go(&arguments, err),
        Err(Misuse(what)) => {
            writeln!(err, "weir: {what}; `weir help` says what there is")?;
            Ok(Outcome::Unable)
        }
    }
}

#[cfg(test)]
mod tests;
