//! The parts of a request's URL, split by hand: the text comes from the runtime, which has already
//! parsed it by the URL standard, and a URL library would cost a third of the size budget.

use std::borrow::Cow;

/// A URL in parts. Nothing is decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlParts<'a> {
    /// `https`; empty where the text has none.
    pub scheme: &'a str,
    /// Host and port as written, without credentials.
    pub authority: &'a str,
    /// The host for comparing: see [`normalise_host`].
    pub host: Cow<'a, str>,
    /// Path and query as sent: what a bound on URL bytes measures.
    pub target: &'a str,
    /// The raw path; `/` where the text has none.
    pub path: &'a str,
    /// The raw query without its `?`; empty where there is none.
    pub query: &'a str,
}

impl<'a> UrlParts<'a> {
    /// Splits `https://host:port/path?query#fragment`. Total: a text without `://` is taken as path
    /// and query alone.
    #[must_use]
    pub fn split(url: &'a str) -> UrlParts<'a> {
        let url = url.split_once('#').map_or(url, |(before, _)| before);
        let (scheme, rest) = match crate::text::split_once(url, "://") {
            Some((scheme, rest)) if !scheme.contains(['/', '?', '\\']) => (scheme, Some(rest)),
            _ => ("", None),
        };
        let (authority, target) = match rest {
            Some(rest) => {
                let mut bytes = rest.bytes();
                let end = bytes.position(|byte| matches!(byte, b'/' | b'?' | b'\\'));
                rest.split_at(end.unwrap_or(rest.len()))
            }
            None => ("", url),
        };
        let authority = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        UrlParts {
            scheme,
            authority,
            host: normalise_host(authority),
            target,
            path: if path.is_empty() { "/" } else { path },
            query,
        }
    }
}

/// A host for comparing: in lower case, without port and without the final dot of a name that is
/// written absolutely. An IPv6 address keeps its brackets.
#[must_use]
pub fn normalise_host(authority: &str) -> Cow<'_, str> {
    let name = match authority.rsplit_once(':') {
        Some((before, port))
            if port.bytes().all(|byte| byte.is_ascii_digit())
                && (!crate::text::has(before, b':') || before.ends_with(']')) =>
        {
            before
        }
        _ => authority,
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(url: &str, expected: [&str; 6]) {
        let parts = UrlParts::split(url);
        let found = [
            parts.scheme,
            parts.authority,
            &parts.host,
            parts.target,
            parts.path,
            parts.query,
        ];
        assert_eq!(found, expected, "{url:?}");
    }

    #[test]
    fn a_url_falls_apart_at_the_right_places() {
        check(
            "https://Example.com:8443/a/b?c=d?e/#f",
            [
                "https",
                "Example.com:8443",
                "example.com",
                "/a/b?c=d?e/",
                "/a/b",
                "c=d?e/",
            ],
        );
        check("http://h", ["http", "h", "h", "", "/", ""]);
        check("http://h?q", ["http", "h", "h", "?q", "/", "q"]);
        check("http://u:p@h./x", ["http", "h.", "h", "/x", "/x", ""]);
        check(
            "http://[::1]:80/",
            ["http", "[::1]:80", "[::1]", "/", "/", ""],
        );
        check(
            "https://h/go?to=https://other/",
            [
                "https",
                "h",
                "h",
                "/go?to=https://other/",
                "/go",
                "to=https://other/",
            ],
        );
        check(
            "/go?to=http://x",
            ["", "", "", "/go?to=http://x", "/go", "to=http://x"],
        );
        check("", ["", "", "", "", "/", ""]);
    }

    #[test]
    fn hosts_compare_without_case_port_or_final_dot() {
        for (host, expected) in [
            ("EXAMPLE.com.:443", "example.com"),
            ("example.com:", "example.com"),
            ("[2001:DB8::1]", "[2001:db8::1]"),
            ("[::1]:8080", "[::1]"),
            ("a:b", "a:b"),
            (".", ""),
        ] {
            assert_eq!(normalise_host(host), expected, "{host}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(url in "\\PC*|[a:/?#@.\\[\\]é]{0,16}") {
            let parts = UrlParts::split(&url);
            prop_assert!(url.contains(parts.query));
            prop_assert!(parts.target.len() <= url.len());
        }
    }
}
