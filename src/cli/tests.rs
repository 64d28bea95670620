mod advice;

use super::*;
use std::path::PathBuf;

/// A file of its own for one test, gone when the test is over.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let dir = std::env::temp_dir().join(format!("weir-cli-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join(name);
        std::fs::write(&path, text).expect("a file");
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs the command; the file's name is left out of what it says.
fn said(arguments: &[&str], file: Option<&File>) -> (Outcome, String) {
    let mut all: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
    let path = file.map(|file| file.0.to_string_lossy().into_owned());
    all.extend(path.clone());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = run(&all, &mut out, &mut err);
    out.extend(err);
    let text = String::from_utf8(out).expect("text");
    (
        outcome,
        match path {
            Some(path) => text.replace(&path, "FILE"),
            None => text,
        },
    )
}

#[track_caller]
fn check(name: &str, file: &str, outcome: Outcome, message: &str) {
    let file = File::new(name, file);
    assert_eq!(said(&["check"], Some(&file)), (outcome, message.to_owned()));
}

const AROUND: &str = r#"
name = "weir"
compatibility_flags = ["enable_request_signal"]
durable_objects.bindings = [{ name = "COUNTER", class_name = "Counter" }]
migrations = [{ tag = "v1", new_sqlite_classes = ["Counter"] }]
"#;

const RULE: &str = r#"{ name = "r", limits = [{ name = "l", key = "ip", algorithm = "fixed-window", quota = 1, window = "1d" }] }"#;

#[test]
fn a_policy_may_stand_alone_in_toml_or_json() {
    let good = "FILE: good (rules: 1, limits: 1)\n";
    check(
        "alone.toml",
        &format!("rules = [{RULE}]"),
        Outcome::Good,
        good,
    );
    check(
        "alone.json",
        r#"{"rules":[{"name":"r","deadline":"1s"}]}"#,
        Outcome::Good,
        "FILE: good (rules: 1, limits: 0)\n",
    );
    check(
        "bad.json",
        r#"{"rules":[{"name":"r","limits":[{"name":"l","key":"ip","algorithm":"fixed-window","quota":1,"window":"60"}]}],"mod":"off"}"#,
        Outcome::Faulty,
        "FILE: 2 faults\n  rules[0].limits[0].window: \"60\" has no unit; write \"60s\"\n  mod: unknown field; did you mean \"mode\"?\n",
    );
    check(
        "broken.json",
        "{",
        Outcome::Faulty,
        "FILE: 1 fault\n  policy: not JSON: ends early, expected a name in double quotes; write one whole JSON document\n",
    );
}

#[test]
fn numbers_that_json_does_not_have_are_seen_in_toml() {
    check(
        "inf.toml",
        "rules = []\nipv6_prefix = inf",
        Outcome::Faulty,
        "FILE: 1 fault\n  ipv6_prefix: inf is not finite; write a whole number from 32 to 128\n",
    );
}

#[test]
fn every_environment_needs_its_own_policy_and_bindings() {
    let file = format!(
        "{AROUND}\n[vars]\nPOLICY = {{ rules = [{RULE}] }}\n[env.staging]\n[env.live]\nvars.POLICY = '{{\"rules\":[]}}'\ndurable_objects.bindings = [{{ name = \"COUNTER\", class_name = \"Counter\" }}]"
    );
    check(
        "wrangler.toml",
        &file,
        Outcome::Faulty,
        "FILE, top level: good (rules: 1, limits: 1)\n\
         FILE, env.live: good (rules: 0, limits: 0)\n\
         FILE, env.staging: 2 faults\n  \
           env.staging.vars.POLICY: missing; write the policy there (named environments inherit no vars)\n  \
           env.staging.durable_objects.bindings: the binding COUNTER is missing; write { name = \"COUNTER\", class_name = \"Counter\" }\n",
    );
    let file = File::new("one-environment.toml", &file);
    let (outcome, _) = said(&["check", "--env", "live"], Some(&file));
    assert_eq!(outcome, Outcome::Good);
    let (outcome, text) = said(&["check", "--env=lvie"], Some(&file));
    assert_eq!(outcome, Outcome::Unable);
    assert_eq!(
        text,
        "weir: FILE: there is no [env.lvie]; the file has env.live, env.staging\n"
    );
}

#[test]
fn an_origin_that_requests_cannot_be_put_behind_is_a_fault() {
    let with =
        |origin: &str| format!("{AROUND}[vars]\nORIGIN = {origin:?}\nPOLICY = {{ rules = [] }}\n");
    for sound in [
        "https://origin.example.com",
        "http://127.0.0.1:3000/base/",
        "",
    ] {
        let file = File::new("origin.toml", &with(sound));
        let (_, text) = said(&["check"], Some(&file));
        assert!(!text.contains("ORIGIN"), "{text}");
    }
    for faulty in [
        "shop.test",
        "//x",
        " ",
        "https://",
        "http:///x",
        "http://o/b?x=1",
        "http://o/b#f",
    ] {
        check(
            "origin.toml",
            &with(faulty),
            Outcome::Faulty,
            &format!(
                "FILE, top level: 1 fault\n  vars.ORIGIN: {faulty:?}; write the origin's URL, with its scheme and without query or fragment, as in \"https://origin.example.com\"\n"
            ),
        );
    }
}

#[test]
fn what_the_counters_need_is_checked() {
    let bare = "main = \"x\"\nvars.POLICY = { rules = [] }\n";
    let (_, text) = said(&["check"], Some(&File::new("no-binding.toml", bare)));
    assert!(
        text.contains("durable_objects.bindings: the binding COUNTER is missing"),
        "{text}"
    );
    assert!(
        text.contains("migrations: no migration creates the class Counter"),
        "{text}"
    );
    assert!(
        text.contains("warning: compatibility_flags lacks"),
        "{text}"
    );
    let old = AROUND.replace("new_sqlite_classes", "new_classes") + "vars.POLICY = { rules = [] }";
    check(
        "old-class.toml",
        &old,
        Outcome::Faulty,
        "FILE, top level: 1 fault\n  migrations: the class Counter is under new_classes, which gives it no SQLite; write { tag = \"v1\", new_sqlite_classes = [\"Counter\"] }\n",
    );
    let tier = format!(
        "{AROUND}[vars.POLICY]\nrules = []\ntiers.t = {{ key = \"ip\", kv = \"PLANS\", default = \"free\" }}"
    );
    check(
        "tier.toml",
        &tier,
        Outcome::Faulty,
        "FILE, top level: 1 fault\n  vars.POLICY.tiers.t.kv: no KV namespace is bound as \"PLANS\"; write it under kv_namespaces\n",
    );
}

#[test]
fn misuse_is_not_taken_for_a_fault() {
    let misuse = |arguments: &[&str], message: &str| {
        let (outcome, text) = said(arguments, None);
        assert_eq!(outcome, Outcome::Unable);
        assert!(text.starts_with(message), "{text}");
    };
    misuse(&[], "weir: check, try and publish");
    misuse(&["chekc"], "weir: \"chekc\" is no command");
    misuse(
        &["check", "--evn", "x"],
        "weir: \"--evn\" is no option of this command",
    );
    misuse(&["check", "--env"], "weir: --env needs a value");
    misuse(&["check", "a", "b"], "weir: \"b\" is one file too many");
    misuse(
        &["check", "/nonexistent/x.toml"],
        "weir: /nonexistent/x.toml: ",
    );
}

#[test]
fn a_dry_push_says_what_it_would_do() {
    let file = File::new("push.toml", &format!("rules = [{RULE}]"));
    let (outcome, text) = said(
        &["push", "--dry-run", "--env", "live", "--local"],
        Some(&file),
    );
    assert_eq!(outcome, Outcome::Good);
    let suffix = "--binding POLICY_KV --env live --local";
    let expected = format!(
        "FILE: good (rules: 1, limits: 1)\n\
         would run: npx wrangler kv key get policy --text {suffix}\n\
         would run: npx wrangler kv key put policy:previous {suffix}  (what it got)\n\
         would run: npx wrangler kv key put policy {suffix}  (110 bytes)\n"
    );
    assert_eq!(text, expected);
    let bad = File::new("bad-push.toml", "rules = 1");
    assert_eq!(said(&["push", "--dry-run"], Some(&bad)).0, Outcome::Faulty);
}
