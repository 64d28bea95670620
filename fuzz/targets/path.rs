//! Any bytes as a path and a pattern: nothing panics, and no spelling of a path has a second normal
//! form. The first line is the path, the second the pattern.

use std::fmt::Write;

use weir::http::path::{Pattern, UrlParts, first_segment, normalise, normalise_host, segments};
use weir::http::query;

/// One input.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (raw, pattern) = text.split_once('\n').unwrap_or((&text, ""));
    let normal = normalise(raw);
    assert!(normal.len() <= raw.len() * 3 + 1);
    assert!(normal.starts_with('/') && (normal == "/" || !normal.ends_with('/')));
    assert!(!normal.contains("//") && normal.is_ascii());
    assert!(segments(&normal).all(|segment| segment != "." && segment != ".."));
    assert_eq!(normalise(&normal), normal, "normalised twice");
    assert_eq!(normalise(&escaped(raw)), normal, "every byte escaped");
    matches(pattern, &normal, raw);
    url(raw, pattern);
}

/// Every byte as an escape, but for separators and what starts an escape already.
fn escaped(raw: &str) -> String {
    raw.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'/' | b'\\' | b'%' => out.push(char::from(byte)),
            // What may belong to an escape.
            _ if raw.contains('%') && byte.is_ascii_hexdigit() => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02x}").expect("a String takes all"),
        }
        out
    })
}

fn matches(pattern: &str, normal: &str, raw: &str) {
    for fold in [false, true] {
        let Ok(parsed) = Pattern::parse(pattern, fold) else {
            continue;
        };
        if let Some(found) = parsed.matches(normal) {
            assert!(parsed.names().all(|name| found.get(name).is_some()));
            if let Some(literal) = parsed.first_literal() {
                let first = first_segment(normal);
                assert!(
                    literal == first
                        || (fold && literal.eq_ignore_ascii_case(first))
                        || !first.is_ascii()
                );
            }
            if !fold {
                let wider = Pattern::parse(pattern, true).expect("it parsed before");
                assert!(wider.matches(normal).is_some(), "folding only ever widens");
            }
        }
        if !pattern.contains([':', '*']) {
            assert!(
                parsed.matches(&normalise(pattern)).is_some(),
                "a literal holds for itself"
            );
        }
    }
    // A path that may stand as a pattern is one that holds for it.
    if !raw.contains([':', '*'])
        && let Ok(own) = Pattern::parse(raw, false)
    {
        assert!(own.matches(normal).is_some());
    }
}

fn url(raw: &str, name: &str) {
    for url in [
        raw.to_owned(),
        format!("https://host{raw}"),
        format!("http://{raw}/"),
    ] {
        let parts = UrlParts::split(&url);
        let host = normalise_host(parts.authority);
        assert_eq!(normalise_host(&parts.authority.to_ascii_uppercase()), host);
        if !parts.authority.ends_with('.') && !parts.authority.contains(':') {
            assert_eq!(normalise_host(&format!("{}.:443", parts.authority)), host);
        }
        if query::lookup(parts.query, name).is_some() {
            assert!(query::contains(parts.query, name));
            let twice = format!("{0}&{0}", parts.query);
            assert_eq!(query::lookup(&twice, name), None, "twice is ambiguous");
        }
    }
}
