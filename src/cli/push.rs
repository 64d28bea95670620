//! `weir push`: a new policy into KV, and the present one kept beside it.

use super::arguments::Arguments;
use super::document::{self, Document};
use super::{Outcome, check};
use std::fs;
use std::io::{self, Write};
use std::process::{Command, Output, Stdio};

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
    match wrangler.present()? {
        Present::Good(text) if json_of(&text).is_some_and(|present| present == json) => {
            writeln!(out, "KV has this policy already; nothing was changed")?;
            return Ok(Outcome::Good);
        }
        Present::Good(text) => {
            if !wrangler.put(PREVIOUS, &text)? {
                return unable(
                    err,
                    "the present policy could not be kept; nothing was changed",
                );
            }
            writeln!(out, "kept the present policy as {PREVIOUS}")?;
        }
        Present::Bad => writeln!(
            err,
            "weir: the policy in KV is not a good one, so {PREVIOUS} stays as it is"
        )?,
        Present::None => writeln!(out, "KV has no policy yet")?,
        Present::Unknown(said) => {
            err.write_all(&said)?;
            return unable(
                err,
                "what KV has at present could not be read; nothing was changed",
            );
        }
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

/// A document written as this command writes it.
fn json_of(text: &str) -> Option<String> {
    let node = crate::policy::node_from_json(text).ok()?;
    Some(node.to_json()?.to_string())
}

/// What KV has under [`KEY`].
enum Present {
    /// A policy that loads.
    Good(String),
    /// Something that does not.
    Bad,
    /// Nothing.
    None,
    /// There is no telling; what wrangler said about it.
    Unknown(Vec<u8>),
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

    fn run(&self, verb: &[&str]) -> io::Result<Output> {
        Command::new("npx")
            .args(self.words(verb))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| io::Error::new(error.kind(), format!("npx: {error}")))
    }

    /// What is there now. A failure to get it has many causes, and for a key that is absent wrangler
    /// fails on the real store and prints a sentence on the local one: the list of keys tells.
    fn present(&self) -> io::Result<Present> {
        let got = self.run(&["get", KEY, "--text"])?;
        let text = std::str::from_utf8(&got.stdout).unwrap_or_default().trim();
        if got.status.success() && crate::policy::parse(text).is_ok() {
            return Ok(Present::Good(text.to_owned()));
        }
        let listed = self.run(&["list", "--prefix", KEY])?;
        Ok(match has_key(&listed) {
            None => Present::Unknown(listed.stderr),
            Some(false) => Present::None,
            Some(true) if got.status.success() => Present::Bad,
            Some(true) => Present::Unknown(got.stderr),
        })
    }

    /// Puts a value through a file: as an argument it would be bounded by the system, and visible
    /// to every process of the machine.
    fn put(&self, key: &str, value: &str) -> io::Result<bool> {
        let name = format!("weir-push-{}-{}", std::process::id(), value.len());
        let path = std::env::temp_dir().join(name);
        // What lies there already is not ours, and where it leads nobody knows.
        let _ = fs::remove_file(&path);
        fs::File::create_new(&path)?.write_all(value.as_bytes())?;
        let path_text = path.to_string_lossy().into_owned();
        let output = self.run(&["put", key, "--path", &path_text]);
        let _ = fs::remove_file(&path);
        let output = output?;
        if !output.status.success() {
            io::stderr().write_all(&output.stderr)?;
        }
        Ok(output.status.success())
    }
}

/// Whether a list of keys has [`KEY`]; none where it is no list.
fn has_key(listed: &Output) -> Option<bool> {
    if !listed.status.success() {
        return None;
    }
    let keys: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).ok()?;
    let name = |key: &serde_json::Value| key.get("name").is_some_and(|name| name == KEY);
    Some(keys.iter().any(name))
}
