//! One line for each thing that is refused, with the message that it gets.

use super::*;

mod budgets;
mod keys;
mod requests;
mod values;

/// The document has this fault, and no other.
#[track_caller]
fn rejects(toml: &str, message: &str) {
    rejects_json(&json(toml), message);
}

#[track_caller]
fn rejects_json(json: &str, message: &str) {
    match parse(json) {
        Ok(_) => panic!("accepted: {json}"),
        Err(faults) => assert_eq!(listed(&faults), message),
    }
}

/// A good policy with these fields at its top.
#[track_caller]
fn top(fields: &str, message: &str) {
    rejects(&format!("rules = []\n{fields}"), message);
}

/// A good rule with these fields.
#[track_caller]
fn rule(fields: &str, message: &str) {
    rejects(&format!("[[rules]]\nname = \"r\"\n{fields}"), message);
}

/// A good limit, with these fields instead of its own.
#[track_caller]
fn limit(fields: &str, message: &str) {
    let good =
        "name = \"l\"\nkey = [\"ip\"]\nalgorithm = \"token-bucket\"\nquota = 10\nwindow = \"60s\"";
    rejects(
        &format!(
            "[[rules]]\nname = \"r\"\n[[rules.limits]]\n{}",
            over(good, fields)
        ),
        message,
    );
}

/// A good concurrency limit, with these fields instead of its own.
#[track_caller]
fn slots(fields: &str, message: &str) {
    let good = "name = \"s\"\nkey = [\"ip\"]\nrunning = 2";
    rejects(
        &format!(
            "[[rules]]\nname = \"r\"\n[[rules.concurrency]]\n{}",
            over(good, fields)
        ),
        message,
    );
}

/// The lines of `good` but for those whose fields `fields` has.
fn over(good: &str, fields: &str) -> String {
    let name = |line: &str| line.split('=').next().unwrap_or("").trim().to_owned();
    let own: Vec<String> = fields.lines().map(name).collect();
    let kept = good.lines().filter(|line| !own.contains(&name(line)));
    let written = fields.lines().filter(|line| !line.ends_with("= absent"));
    kept.chain(written).collect::<Vec<_>>().join("\n")
}

#[test]
fn documents_that_are_none() {
    rejects_json(
        "",
        "policy: an empty document; write a table with a list of \"rules\"",
    );
    rejects_json("{}", "rules: missing; write a list of tables");
    rejects_json(
        "[]",
        "policy: a list; write a table with any of headers, ipv6_prefix, client_ip_header, mode, counter_timeout, policy_cache, objects, admin_path, preflight, log_key, tiers, session, rules",
    );
    rejects_json(
        r#"{"rules": ["#,
        "policy: not JSON: ends early, expected a value; write one whole JSON document",
    );
    rejects_json(
        &format!("{{\"rules\":[]}}{}", " ".repeat(1 << 20)),
        "policy: 1048588 bytes; write at most 1048576",
    );
    rejects_json(
        r#"{"rules":[],"rules":[]}"#,
        "rules: \"rules\" stands twice; keep one of them",
    );
    rejects_json(
        r#"{"rules":[{"name":"r","match":{"host":"a","host":"b"}}]}"#,
        "rules[0].match.host: \"host\" stands twice; keep one of them",
    );
    rejects_json(
        r#"{"rules":[{"name":"\ud800"}]}"#,
        "rules[0].name: a string that is no Unicode text; write escapes in whole pairs",
    );
    rejects_json(
        &format!(
            "{{\"rules\":[],\"mode\":{}{}}}",
            "[".repeat(500),
            "]".repeat(500)
        ),
        &format!(
            "mode{}: more than 64 levels of lists and tables; write it flatter\nmode: a list; write \"enforce\" or \"shadow\" or \"off\"",
            "[0]".repeat(63)
        ),
    );
}

#[test]
fn more_rules_than_there_may_be() {
    let rules = vec![r#"{"name":"r"}"#; 10_000].join(",");
    rejects_json(
        &format!("{{\"rules\":[{rules}]}}"),
        "rules: 10000 entries; write at most 1000",
    );
}

#[test]
fn fields_of_the_policy() {
    top(
        "ruels = []",
        "ruels: unknown field; did you mean \"rules\"?",
    );
    top(
        "headers = [\"draft-9\"]",
        "headers[0]: \"draft-9\" is unknown; did you mean \"draft-6\"?",
    );
    top(
        "headers = [\"draft-8\", \"draft-8\"]",
        "headers[1]: \"draft-8\" stands twice; name each once",
    );
    top(
        "ipv6_prefix = 129",
        "ipv6_prefix: 129 is too large; write a whole number from 32 to 128",
    );
    top(
        "ipv6_prefix = 0",
        "ipv6_prefix: 0 is zero; write a whole number from 32 to 128",
    );
    top(
        "ipv6_prefix = \"64\"",
        "ipv6_prefix: \"64\" is text; write the number without quotes",
    );
    top(
        "ipv6_prefix = true",
        "ipv6_prefix: true; write a whole number from 32 to 128",
    );
    top(
        "client_ip_header = \"bad name\"",
        "client_ip_header: \"bad name\" is no header name; use letters, digits and \"-\", as in \"x-api-key\"",
    );
    top(
        "mode = \"shadows\"",
        "mode: \"shadows\" is unknown; did you mean \"shadow\"?",
    );
    top(
        "counter_timeout = 300",
        "counter_timeout: 300 has no unit; write \"300s\"",
    );
    top(
        "counter_timeout = \"1m\"",
        "counter_timeout: \"1m\" is too long; write 10ms to 10s",
    );
    top(
        "policy_cache = \"29s\"",
        "policy_cache: \"29s\" is too short; write 30s to 1d",
    );
    top(
        "objects.shards = 0",
        "objects.shards: 0 is zero; write a whole number from 1 to 4096",
    );
    top(
        "objects.shard = 1",
        "objects.shard: unknown field; did you mean \"shards\"?",
    );
    top(
        "admin_path = \"weir\"",
        "admin_path: \"weir\" is no path for Weir's pages; write a path of plain segments, such as \"/_weir\"",
    );
    top(
        "admin_path = \"/\"",
        "admin_path: \"/\" is no path for Weir's pages; write a path of plain segments, such as \"/_weir\"",
    );
    top("log_key = \"yes\"", "log_key: \"yes\"; write true or false");
    top(
        "session.cookie = \"s\"",
        "session: not supported yet; leave it out",
    );
    top(
        "preflight.quota = -1",
        "preflight.quota: -1 is negative; write a whole number from 1 to 1000000000000",
    );
    top(
        "preflight.key = [\"path:id\"]",
        "preflight.key[0]: part of a rule's path, which is not known here; use a part that every request has",
    );
    rejects_json(
        r#"{"rules":{}}"#,
        "rules.name: missing; write a name of letters, digits, \"-\" and \"_\"",
    );
}

#[test]
fn tiers() {
    top(
        "tiers.\"a b\" = { key = \"ip\", kv = \"T\", default = \"free\" }",
        "tiers.\"a b\": \"a b\" is no name; use letters, digits, \"-\" and \"_\"",
    );
    top(
        "tiers.t = { key = \"ip\", default = \"free\" }",
        "tiers.t.kv: missing; write the name of a KV binding",
    );
    top(
        "tiers.t = { key = \"ip\", kv = \"T\" }",
        "tiers.t.default: missing; write a name of letters, digits, \"-\" and \"_\"",
    );
    top(
        "tiers.t = { key = \"body:x\", kv = \"T\", default = \"free\" }",
        "tiers.t.key: a field of the body, which is not read here; use a part that every request has, such as \"header:x-api-key\"",
    );
    top(
        "tiers.t = { key = \"ip\", kv = \"no-binding\", default = \"free\" }",
        "tiers.t.kv: \"no-binding\" is no binding; write the \"binding\" of one of wrangler.toml's [[kv_namespaces]]",
    );
    top(
        "tiers.t = { key = \"ip\", kv = \"T\", default = \"free\", cache = \"0s\" }",
        "tiers.t.cache: \"0s\" is zero; write 1s to 1d",
    );
}
