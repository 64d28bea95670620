//! Which requests a matcher holds for.

use super::*;
use std::borrow::Cow;
use std::net::IpAddr;

/// A request in one line: method, host and path; the rest is set by hand.
struct Asked {
    method: &'static str,
    path: String,
    headers: &'static [(&'static str, &'static str)],
    bot: bool,
}

impl RequestView for Asked {
    fn method(&self) -> &str {
        self.method
    }
    fn host(&self) -> &str {
        "www.example.com"
    }
    fn path(&self) -> &str {
        &self.path
    }
    fn ip(&self) -> Option<IpAddr> {
        "192.0.2.7".parse().ok()
    }
    fn country(&self) -> Option<&str> {
        Some("DE")
    }
    fn asn(&self) -> Option<u32> {
        Some(64_500)
    }
    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let found = self.headers.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| Cow::Borrowed(*value))
    }
    fn has_cookie(&self, name: &str) -> bool {
        name == "session"
    }
    fn has_query(&self, name: &str) -> bool {
        name == "u"
    }
    fn is_verified_bot(&self) -> bool {
        self.bot
    }
}

fn request(method: &'static str, path: &str) -> Asked {
    Asked {
        method,
        path: crate::http::path::normalise(path).into_owned(),
        headers: &[("user-agent", "curl/8.9"), ("x-empty", "")],
        bot: false,
    }
}

#[track_caller]
fn check(condition: &str, holds: bool) {
    check_with(condition, &request("GET", "/a/b"), holds);
}

#[track_caller]
fn check_with(condition: &str, request: &Asked, holds: bool) {
    let policy = accepts(&format!(
        "[[rules]]\nname = \"r\"\nmatch = {{ {condition} }}"
    ));
    assert_eq!(
        policy.rules[0].matches.matches(request),
        holds,
        "{condition}"
    );
}

#[test]
fn conditions_hold_for_what_they_name() {
    check("", true);
    check("path = \"/a/:x\"", true);
    check("path = [\"/b\", \"/a/*\"]", true);
    check("path = \"/A/b\"", false);
    check("path = \"/A/b\", case_insensitive = true", true);
    check("host = \"WWW.example.com.:8443\"", true);
    check("host = \"*.example.com\"", true);
    check("host = \"*.www.example.com\"", false);
    check("host = \"example.com\"", false);
    check("ip = \"192.0.2.0/24\"", true);
    check("ip = [\"198.51.100.1\", \"::ffff:192.0.2.7\"]", true);
    check("ip = \"2001:db8::/32\"", false);
    check("country = [\"fr\", \"de\"]", true);
    check("country = \"FR\"", false);
    check("asn = [1, 64500]", true);
    check("asn = 1", false);
    check("header.User-Agent = \"curl/*\"", true);
    check(
        "header = { user-agent = \"curl/*\", x-none = \"*\" }",
        false,
    );
    check("header.x-empty = \"*\"", true);
    check("cookie = [\"session\"]", true);
    check("cookie = [\"session\", \"other\"]", false);
    check("query = \"u\"", true);
    check("query = \"v\"", false);
    check("bot = \"verified\"", false);
    check("not = { path = \"/a/b\" }", false);
    check("not = { path = \"/a/b\", country = \"FR\" }", true);
    check("not = { not = { path = \"/a/b\" } }", true);
}

#[test]
fn methods_compare_exactly_and_get_covers_head() {
    check_with("method = \"GET\"", &request("HEAD", "/"), true);
    check_with("method = \"HEAD\"", &request("GET", "/"), false);
    check_with("method = \"POST\"", &request("HEAD", "/"), false);
    check_with("method = \"GET\"", &request("get", "/"), false);
    check_with("method = \"PROPFIND\"", &request("PROPFIND", "/"), true);
}

/// However many rules there are, the ones that could match are found, and few others.
#[test]
fn the_index_finds_the_rules_that_could_match_and_few_others() {
    let mut toml = String::new();
    for number in 0..200 {
        let path = match number % 4 {
            0 => format!("/api/v1/thing{number}/:id"),
            1 => format!("/Shop%20{number}/*"),
            2 => format!("/a/b/c/d/e/{number}"),
            _ => format!("/:any/{number}"),
        };
        let fold = number % 8 == 1;
        toml += &format!(
            "[[rules]]\nname = \"r{number}\"\nmatch = {{ path = \"{path}\", case_insensitive = {fold} }}\n"
        );
    }
    toml += "[[rules]]\nname = \"all\"\n";
    let policy = accepts(&toml);
    for path in [
        "/",
        "/api/v1/thing8/x",
        "/shop%201/y",
        "/Shop%205",
        "/a/b/c/d/e/2",
        "/q/3",
        "/SHOP%209/Z",
    ] {
        let asked = request("GET", path);
        let all = policy.rules.iter().enumerate();
        let fit: Vec<usize> = all
            .filter(|(_, r)| r.matches.matches(&asked))
            .map(|(i, _)| i)
            .collect();
        let candidates = policy.index.candidates(asked.path());
        assert!(
            fit.iter().all(|rule| candidates.contains(rule)),
            "{path}: {fit:?} of {candidates:?}"
        );
        assert!(candidates.is_sorted());
    }
    assert!(policy.index.candidates("/api/v1/thing8/x").contains(&8));
    // Those that begin with a name could match anything: 50, this one, and the one for all paths.
    assert_eq!(policy.index.candidates("/api/v1/thing8/x").len(), 52);
}
