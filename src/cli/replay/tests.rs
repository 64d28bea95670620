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
