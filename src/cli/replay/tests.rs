use super::*;
use std::path::PathBuf;

/// A directory of its own for one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("weir-replay-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        Dir(dir)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn said(arguments: &[&str]) -> (Outcome, String, String) {
    let mut all = vec!["replay".to_owned()];
    all.extend(arguments.iter().map(|&argument| argument.to_owned()));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = crate::cli::run(&all, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (outcome, text(out), text(err))
}

const POLICY: &str = r#"rules = [{ name = "r", limits = [{ name = "l", key = "ip", algorithm = "fixed-window", quota = 1, window = "1d" }] }]"#;

fn log(lines: usize) -> String {
    "192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 10\n".repeat(lines)
}

#[test]
fn plain_and_packed_logs_are_told_apart_by_what_is_in_them() {
    let dir = Dir::new("gzip");
    let policy = dir.write("policy.toml", POLICY.as_bytes());
    let plain = dir.write("a.log", log(2).as_bytes());
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(log(3).as_bytes()).expect("memory");
    let packed = dir.write("b.log", &packer.finish().expect("memory"));
    let (outcome, out, err) = said(&[&policy, &plain, &packed, "--json"]);
    assert_eq!((outcome, err.as_str()), (Outcome::Good, ""));
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&report["requests"], &report["refused"]),
        (&5.into(), &4.into())
    );
    assert_eq!(report["rows"][0]["name"], "r.l");
}

#[test]
fn the_table_has_the_figures_and_bad_lines_their_place() {
    let dir = Dir::new("table");
    let policy = dir.write("policy.toml", POLICY.as_bytes());
    let file = dir.write("a.log", format!("{}what?\n{}", log(1), log(2)).as_bytes());
    let (outcome, out, err) = said(&[&policy, &file]);
    assert_eq!(outcome, Outcome::Faulty);
    assert!(
        out.starts_with("3 requests from 2026-01-05 12:00:00 to 2026-01-05 12:00:00 UTC\n"),
        "{out}"
    );
    assert!(out.contains("  refused           2   66.6 %\n"), "{out}");
    assert!(
        out.contains("\nr.l                   3          1          2          0\n"),
        "{out}"
    );
    assert_eq!(
        err,
        format!(
            "weir: 1 of 4 lines are no requests:\n  {file}:2: neither the common log format nor a JSON object\n"
        )
    );
}

#[test]
fn a_wrangler_configuration_is_asked_for_its_policy() {
    let dir = Dir::new("wrangler");
    let text = format!(
        "name = \"w\"\nvars.ORIGIN = \"https://o\"\n[vars.POLICY]\n{POLICY}\n[env.x.vars.POLICY]\nrules = []\n"
    );
    let policy = dir.write("wrangler.toml", text.as_bytes());
    let file = dir.write("a.log", log(2).as_bytes());
    let refused = |arguments: &[&str]| {
        let (_, out, _) = said(&[&[policy.as_str(), &file, "--json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        report["refused"].clone()
    };
    assert_eq!(refused(&[]), 1);
    assert_eq!(refused(&["--mode", "shadow"]), 0);
    assert_eq!(refused(&["--env", "x"]), 0);
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let dir = Dir::new("misuse");
    let policy = dir.write("policy.toml", POLICY.as_bytes());
    let bad = dir.write("bad.toml", b"rules = 1");
    #[track_caller]
    fn misuse(arguments: &[&str], message: &str) {
        let (outcome, _, err) = said(arguments);
        assert_eq!(outcome, Outcome::Unable);
        assert!(err.contains(message), "{err}");
    }
    misuse(&[], "name a policy, then logs");
    misuse(
        &[&policy],
        "name a log behind the policy, or - to read one from the input",
    );
    misuse(&[&policy, "/nonexistent/log"], "/nonexistent/log: ");
    misuse(&[&bad, "-"], "has faults:\n  rules: ");
    misuse(&[&policy, "-", "--mode", "on"], "--mode \"on\" is none");
    misuse(
        &[&policy, "-", "--tier", "pro"],
        "--tier \"pro\" is in no limit's quotas",
    );
    misuse(
        &[&policy, "--attack", "flod"],
        "write one of flood, network24, network48, scraper, stuffing",
    );
}

#[test]
fn an_attack_needs_no_log() {
    let dir = Dir::new("attack");
    let policy = dir.write("policy.toml", POLICY.as_bytes());
    let (outcome, out, _) = said(&[&policy, "--attack", "flood:1000"]);
    assert_eq!(outcome, Outcome::Good);
    assert!(
        out.starts_with("1000 requests from 2026-01-05 09:00:00 to "),
        "{out}"
    );
}

/// What a log of such bytes comes to: requests, lines that are none, and the outcome.
#[track_caller]
fn comes_to(name: &str, bytes: &[u8], expected: (u64, u64, Outcome), complaint: &str) {
    let dir = Dir::new(name);
    let policy = dir.write("policy.toml", POLICY.as_bytes());
    let file = dir.write("a.log", bytes);
    let (outcome, out, err) = said(&[&policy, &file, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
    let number = |value: &serde_json::Value| value.as_u64().unwrap_or_default();
    let found = (
        number(&report["requests"]),
        number(&report["lines"]["unreadable"]),
        outcome,
    );
    assert_eq!(found, expected, "{name}: {err}");
    assert!(err.contains(complaint), "{name}: {err}");
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

#[test]
fn any_bytes_are_a_log() {
    comes_to("empty", b"", (0, 0, Outcome::Good), "");
    comes_to("blank", b"\n\r\n \n# no line\n", (0, 0, Outcome::Good), "");
    comes_to(
        "marked",
        &[b"\xef\xbb\xbf", log(1).as_bytes()].concat(),
        (1, 0, Outcome::Good),
        "",
    );
    comes_to(
        "last",
        log(2).trim_end().as_bytes(),
        (2, 0, Outcome::Good),
        "",
    );
    let latin1 = log(1).replace("GET /", "GET /caf\u{1}").into_bytes();
    let latin1: Vec<u8> = latin1
        .into_iter()
        .map(|byte| if byte == 1 { 0xe9 } else { byte })
        .collect();
    comes_to("latin-1", &latin1, (1, 0, Outcome::Good), "");
    comes_to(
        "binary",
        &[0, 255, 10, 254, 10, 0],
        (0, 3, Outcome::Faulty),
        ":3: neither",
    );
    let long = "x".repeat(10_000_000);
    let text = format!("{}{long}\n{}", log(1), log(1));
    comes_to(
        "long",
        text.as_bytes(),
        (2, 1, Outcome::Faulty),
        ":2: longer than 64 KiB",
    );
    comes_to(
        "json",
        b"{}\n{\"time\"\n[]\n",
        (0, 3, Outcome::Faulty),
        ":2: not valid JSON",
    );
    let back = log(1) + &log(1).replace("12:00:00", "11:00:00");
    comes_to(
        "late",
        back.as_bytes(),
        (2, 0, Outcome::Good),
        "1 requests are earlier than one before them, by up to 3600 s",
    );
}

#[test]
fn a_packed_log_that_breaks_off_is_told_with_what_there_was_of_it() {
    let whole = packed(log(1_000).as_bytes());
    let (half, _) = whole.split_at(whole.len() / 2 - 40);
    comes_to(
        "half",
        half,
        (499, 1, Outcome::Unable),
        "the figures are of what came before that",
    );
    comes_to(
        "head",
        whole.get(..5).unwrap_or_default(),
        (0, 0, Outcome::Unable),
        "a.log: ",
    );
    comes_to(
        "twice",
        &[whole.clone(), whole.clone()].concat(),
        (2_000, 0, Outcome::Good),
        "",
    );
    comes_to(
        "more",
        &[whole, b"garbage".to_vec()].concat(),
        (1_000, 0, Outcome::Unable),
        "a.log: ",
    );
}

#[test]
fn what_a_terminal_would_obey_is_not_repeated_to_it() {
    let dir = Dir::new("escape");
    let policy = POLICY.replace("key = \"ip\"", "key = \"query:u\"");
    let policy = dir.write("policy.toml", policy.as_bytes());
    let line = log(1).replace("GET /", "GET /?u=%1b]0;owned%07%e2%80%ae");
    let file = dir.write("a.log", line.repeat(3).as_bytes());
    let (outcome, out, _) = said(&[&policy, &file]);
    assert_eq!(outcome, Outcome::Good);
    assert!(
        out.contains("query:u=\u{fffd}]0;owned\u{fffd}\u{fffd} "),
        "{out}"
    );
    assert!(!out.contains(|char: char| char.is_control() && char != '\n'));
}
