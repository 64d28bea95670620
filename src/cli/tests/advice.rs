//! What is legal, but unwise.

use super::*;

#[track_caller]
fn warns(rules: &str, warning: &str) {
    let file = File::new(&format!("{}.toml", warning.len()), rules);
    let expected = if warning.is_empty() {
        String::new()
    } else {
        format!("FILE: warning: {warning}\n")
    };
    let (outcome, text) = said(&["check"], Some(&file));
    let text: String = text
        .lines()
        .filter(|l| !l.contains(": good"))
        .map(|l| format!("{l}\n"))
        .collect();
    assert_eq!((outcome, text), (Outcome::Good, expected));
}

#[test]
fn what_is_legal_but_unwise_is_said() {
    let limits = |limits: &str| format!("rules = [{{ name = \"r\", limits = [{limits}] }}]");
    let window = "algorithm = \"fixed-window\", window = \"1d\"";
    let limit = |name: &str, key: &str, quota: u32| {
        format!("{{ name = \"{name}\", key = {key}, quota = {quota}, {window} }}, ")
    };
    warns(
        &limits(&limit("k", "[\"cookie:s|ip\"]", 1)),
        "rules[0] \"r\": a client that varies its values gets round k: add a limit with key = [\"ip\"]",
    );
    for key in [
        "[\"ip\", \"query:q\"]",
        "[\"header:x-key\", \"method\"]",
        "[\"body:user\"]",
    ] {
        let rule = limits(&limit("k", key, 1)).replace("limits", "body.max_bytes = 9, limits");
        warns(
            &rule,
            "rules[0] \"r\": a client that varies its values gets round k: add a limit with key = [\"ip\"]",
        );
    }
    warns(
        &limits(&limit("k", "[\"path:id\"]", 1))
            .replace("limits", "match.path = \"/a/:id\", limits"),
        "rules[0] \"r\": a client that varies its values gets round k: add a limit with key = [\"ip\"]",
    );
    let both = limit("k", "[\"cookie:s|ip\"]", 1) + &limit("a", "[\"ip\"]", 9);
    warns(&limits(&both), "");
    let two = limit("wide", "[\"ip\"]", 9) + &limit("tight", "[\"ip\"]", 3);
    warns(
        &limits(&two),
        "rules[0] \"r\": \"wide\" can never refuse: \"tight\" always does so first",
    );
    warns(
        "rules = [{ name = \"r\" }]",
        "rules[0] \"r\": has nothing to limit, and does nothing",
    );
    warns(
        "rules = [{ name = \"r\", action = \"deny\" }]",
        "rules[0] \"r\": denies every request of the site",
    );
    warns(
        "rules = [{ name = \"r\", deadline = \"1s\", match.path = \"/_weir/*\" }]",
        "rules[0] \"r\": can match nothing: Weir's own pages are subject to no rule",
    );
    warns(
        "rules = [{ name = \"r\", deadline = \"1s\", match = { path = \"/a\", method = \"GET\" }, skip.method = [\"GET\", \"POST\"] }]",
        "rules[0] \"r\": can match nothing: \"skip\" exempts all that \"match\" names",
    );
    warns(
        "client_ip_header = \"x-real-ip\"\nrules = []",
        "client_ip_header: whoever can reach the Worker directly can write \"x-real-ip\" as they like",
    );
}

#[test]
fn a_policy_too_large_for_a_variable_is_said() {
    let rules: Vec<String> = (0..80)
        .map(|i| RULE.replace("\"r\"", &format!("\"r{i}\"")))
        .collect();
    let file = File::new(
        "large.toml",
        &format!("{AROUND}[vars.POLICY]\nrules = [{}]", rules.join(",")),
    );
    let (outcome, text) = said(&["check"], Some(&file));
    assert_eq!(outcome, Outcome::Good);
    assert!(
        text.contains("bytes as JSON, and Cloudflare takes 5120 in a variable"),
        "{text}"
    );
}
