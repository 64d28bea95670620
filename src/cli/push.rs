//! `weir push`: a new policy into KV, and the present one kept beside it.

use super::arguments::Arguments;
use super::document::{self, Document};
use super::{Outcome, check};
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// The key of the policy in force, and of the one before it.
const KEY: &str = "policy";
const PREVIOUS: &str = "policy:previous";

/// Checks the file, keeps what KV has as the previous one, puts the new one.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Outcome> {
    let file = arguments.file().unwrap_or("policy.toml");
    let unable = |err: &mut dyn Write, message: &str| {
        writeln!(err, "weir: {message}")?;
        Ok(Outcome::Unable)
    };
    let node = match document::read(file) {
        Err(message) => return unable(err, &message),
        Ok(Err(faults)) => {
            let report = super::wrangler::Report {
                faults,
                ..Default::default()
            };
            return check::tell(file, &report, out, err);
        }
        Ok(Ok(Document::Wrangler(_))) => {
            let message =
                format!("{file} is a wrangler configuration; name a file with the policy alone");
            return unable(err, &message);
        }
        Ok(Ok(Document::Policy(node))) => node,
    };
    if check::tell(file, &check::of_policy(&node), out, err)? != Outcome::Good {
        return Ok(Outcome::Faulty);
    }
    let Some(json) = node.to_json() else {
        return unable(err, "the policy has a number that JSON does not have");
    };
    let json = json.to_string();
    let wrangler = Wrangler::new(arguments);
    if arguments.has("--dry-run") {
        writeln!(
            out,
            "would run: {}",
            wrangler.shown(&["get", KEY, "--text"])
        )?;
        writeln!(
            out,
            "would run: {}  (what it got)",
            wrangler.shown(&["put", PREVIOUS])
        )?;
        writeln!(
            out,
            "would run: {}  ({} bytes)",
            wrangler.shown(&["put", KEY]),
            json.len()
        )?;
        return Ok(Outcome::Good);
    }
    // A policy that cannot be read back is not there: wrangler says so with a failure.
    let present = wrangler.run(&["get", KEY, "--text"], Stdio::null())?;
    if present.status.success() && !present.stdout.is_empty() {
        let present = String::from_utf8_lossy(&present.stdout).into_owned();
        if crate::policy::parse(present.trim()).is_ok() {
            if !wrangler.put(PREVIOUS, present.trim())? {
                return unable(
                    err,
                    "the present policy could not be kept; nothing was changed",
                );
            }
            writeln!(out, "kept the present policy as {PREVIOUS}")?;
        } else {
            writeln!(
                err,
                "weir: the policy in KV is not a good one, so {PREVIOUS} stays as it is"
            )?;
        }
    } else {
        writeln!(out, "KV has no policy yet")?;
    }
    if !wrangler.put(KEY, &json)? {
        return unable(
            err,
            "the new policy could not be put; the present one stays in force",
        );
    }
    writeln!(
        out,
        "put {file} as {KEY}: it takes hold within policy_cache and KV's own delay"
    )?;
    Ok(Outcome::Good)
}

/// How to call wrangler.
struct Wrangler {
    suffix: Vec<String>,
}

impl Wrangler {
    fn new(arguments: &Arguments) -> Wrangler {
        let binding = arguments.value("--binding").unwrap_or("POLICY_KV");
        let mut suffix = vec!["--binding".to_owned(), binding.to_owned()];
        if let Some(name) = arguments.value("--env") {
            suffix.extend(["--env".to_owned(), name.to_owned()]);
        }
        // Without either wrangler would write to its local store, which is not what "push" says.
        let place = if arguments.has("--local") {
            "--local"
        } else {
            "--remote"
        };
        suffix.push(place.to_owned());
        Wrangler { suffix }
    }

    fn words<'a>(&'a self, verb: &[&'a str]) -> Vec<&'a str> {
        let fixed = ["wrangler", "kv", "key"].into_iter();
        let suffix = self.suffix.iter().map(String::as_str);
        fixed.chain(verb.iter().copied()).chain(suffix).collect()
    }

    fn shown(&self, verb: &[&str]) -> String {
        format!("npx {}", self.words(verb).join(" "))
    }

    fn run(&self, verb: &[&str], input: Stdio) -> io::Result<std::process::Output> {
        Command::new("npx")
            .args(self.words(verb))
            .stdin(input)
            .stderr(Stdio::inherit())
            .output()
    }

    /// Puts a value through a file: as an argument it would be bounded by the system, and visible
    /// to every process of the machine.
    fn put(&self, key: &str, value: &str) -> io::Result<bool> {
        let name = format!("weir-push-{}-{}", std::process::id(), value.len());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, value)?;
        let path_text = path.to_string_lossy().into_owned();
        let output = self.run(&["put", key, "--path", &path_text], Stdio::null());
        let _ = std::fs::remove_file(&path);
        Ok(output?.status.success())
    }
}
