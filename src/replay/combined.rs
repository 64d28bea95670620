//! The common and the combined log format, as Apache httpd and nginx write them:
//! `HOST IDENT USER [TIME] "METHOD URL PROTOCOL" STATUS BYTES "REFERER" "USER-AGENT" ...`
//!
//! A virtual host in front of the address is taken as the host. What follows is ignored.

use std::borrow::Cow;

use super::entry::{Entry, Unreadable};
use super::when;
use crate::admission::described::Described;
use crate::http::address::ClientAddress;

/// Reads one line.
///
/// # Errors
/// What the line lacks.
pub fn read(line: &str) -> Result<Entry, Unreadable> {
    let (before, rest) = line.split_once('[').ok_or(Unreadable::Form)?;
    let (time, rest) = rest.split_once(']').ok_or(Unreadable::Form)?;
    let mut words = before.split_ascii_whitespace();
    let first = words.next().ok_or(Unreadable::Address)?;
    let is_address = |text: &&str| ClientAddress::parse(text).is_some();
    let (host, ip) = if is_address(&first) {
        ("", first)
    } else {
        let second = words.next().filter(is_address);
        (first, second.ok_or(Unreadable::Address)?)
    };
    let at = when::parse(time).ok_or(Unreadable::Time)?;
    let (request, rest) = quoted(rest).ok_or(Unreadable::Request)?;
    let mut words = request.split_ascii_whitespace();
    let (method, url) = (words.next(), words.next());
    let (Some(method), Some(url), Some(_)) = (method, url, words.next_back()) else {
        return Err(Unreadable::Request);
    };
    if !method
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        || method == "-"
    {
        return Err(Unreadable::Request);
    }
    let mut words = rest.trim_start().splitn(3, ' ');
    let status = words.next().and_then(|word| word.parse().ok());
    let response_bytes = words.next().and_then(|word| word.trim().parse().ok());
    let rest = words.next().unwrap_or_default();
    let mut described = if host.is_empty() || url.contains("://") {
        Described::new(method, url)
    } else {
        Described::new(method, &format!("https://{host}{url}"))
    };
    described.ip = Some(ip.to_owned());
    if let Some((referer, rest)) = quoted(rest) {
        described = with(described, "referer", &referer);
        if let Some((agent, _)) = quoted(rest) {
            described = with(described, "user-agent", &agent);
        }
    }
    Ok(Entry {
        at,
        request: described,
        status,
        response_bytes,
    })
}

fn with(described: Described, name: &str, value: &str) -> Described {
    if value.is_empty() || value == "-" {
        described
    } else {
        described.header(name, value)
    }
}

/// The text in the next pair of quotes, and what follows. A backslash keeps the next character from
/// ending it; both servers write a quote inside that way, or as `\x22`.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let text = text.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let mut any = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => {
                escaped = true;
                any = true;
            }
            b'"' => {
                let (inside, rest) = text.split_at(at);
                let inside = if any {
                    Cow::Owned(unescaped(inside))
                } else {
                    Cow::Borrowed(inside)
                };
                return Some((inside, rest.get(1..)?));
            }
            _ => {}
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"")
        .replace("\\x22", "\"")
        .replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::Facts;
    use crate::policy::RequestView;

    #[track_caller]
    fn entry(line: &str) -> Entry {
        read(line).expect("a readable line")
    }

    #[track_caller]
    fn refused(line: &str, why: Unreadable) {
        assert_eq!(read(line).map(|_| ()), Err(why), "{line}");
    }

    #[test]
    fn a_common_line() {
        let entry = entry(
            r#"203.0.113.7 - frank [10/Oct/2000:13:55:36 -0700] "GET /a/b?u=%61 HTTP/1.0" 200 2326"#,
        );
        assert_eq!(entry.at.as_micros(), 971_211_336_000_000);
        assert_eq!(
            (entry.status, entry.response_bytes),
            (Some(200), Some(2326))
        );
        assert_eq!(entry.request.method(), "GET");
        assert_eq!(entry.request.path(), "/a/b");
        assert_eq!(Facts::query(&entry.request, "u").as_deref(), Some("a"));
        assert_eq!(entry.request.ip.as_deref(), Some("203.0.113.7"));
    }

    #[test]
    fn a_combined_line_with_a_virtual_host_and_more_behind() {
        let entry = entry(
            r#"shop.example:443 2001:db8::1 - - [10/Oct/2000:13:55:36 -0700] "POST /x HTTP/2.0" 204 - "https://e/" "a \"b\" c" "198.51.100.1" 0.003"#,
        );
        assert_eq!(entry.request.host(), "shop.example");
        assert_eq!((entry.status, entry.response_bytes), (Some(204), None));
        let header = |name| RequestView::header(&entry.request, name).map(Cow::into_owned);
        assert_eq!(header("referer").as_deref(), Some("https://e/"));
        assert_eq!(header("user-agent").as_deref(), Some(r#"a "b" c"#));
    }

    #[test]
    fn what_is_missing_is_named() {
        let time = "[10/Oct/2000:13:55:36 -0700]";
        refused("", Unreadable::Form);
        refused("garbage", Unreadable::Form);
        refused(
            &format!(r#"host.example - - {time} "GET / HTTP/1.1" 200 1"#),
            Unreadable::Address,
        );
        refused(
            r#"192.0.2.1 - - [then] "GET / HTTP/1.1" 200 1"#,
            Unreadable::Time,
        );
        refused(
            &format!(r#"192.0.2.1 - - {time} "-" 408 0"#),
            Unreadable::Request,
        );
        refused(
            &format!(r#"192.0.2.1 - - {time} "\x16\x03\x01" 400 0"#),
            Unreadable::Request,
        );
        refused(
            &format!(r#"192.0.2.1 - - {time} "GET / HTTP/1.1"#),
            Unreadable::Request,
        );
    }
}
