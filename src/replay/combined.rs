//! The common and the combined log format, as Apache httpd and nginx write them:
//! `HOST IDENT USER [TIME] "METHOD URL PROTOCOL" STATUS BYTES "REFERER" "USER-AGENT" ...`
//!
//! A virtual host in front of the address is taken as the host. What follows is ignored.

use std::borrow::Cow;

use super::entry::{Entry, Unreadable};
use super::request::{Request, Text};
use super::scan;
use super::when::Moments;
use crate::http::address::ClientAddress;

/// Reads one line.
///
/// # Errors
/// What the line lacks.
pub fn read<'a>(line: &'a str, moments: &mut Moments) -> Result<Entry<'a>, Unreadable> {
    let (before, rest) = cut(line, b'[').ok_or(Unreadable::Form)?;
    let (time, rest) = cut(rest, b']').ok_or(Unreadable::Form)?;
    let mut words = before.split_ascii_whitespace();
    let first = words.next().ok_or(Unreadable::Address)?;
    let (host, address) = match ClientAddress::parse(first) {
        Some(address) => (None, address),
        None => {
            let second = words.next().and_then(ClientAddress::parse);
            (Some(first), second.ok_or(Unreadable::Address)?)
        }
    };
    let at = moments.read(time).ok_or(Unreadable::Time)?;
    let (line, rest) = quoted(rest).ok_or(Unreadable::Request)?;
    let (method, url) = match line {
        Cow::Borrowed(line) => target(line).map(|(method, url)| (method.into(), url.into())),
        Cow::Owned(line) => {
            let owned = |text: &str| -> Text<'a> { Cow::Owned(text.to_owned()) };
            target(&line).map(|(method, url)| (owned(method), owned(url)))
        }
    }
    .ok_or(Unreadable::Request)?;
    let mut words = rest.trim_start().splitn(3, ' ');
    let status = words.next().and_then(|word| word.parse().ok());
    let response_bytes = words.next().and_then(|word| word.trim().parse().ok());
    let rest = words.next().unwrap_or_default();
    let mut request = Request::new(method, host, url);
    request.address = Some(address);
    if let Some((referer, rest)) = quoted(rest) {
        request = with(request, "referer", referer);
        if let Some((agent, _)) = quoted(rest) {
            request = with(request, "user-agent", agent);
        }
    }
    Ok(Entry {
        at,
        request,
        status,
        response_bytes,
    })
}

/// Method and URL of a request line.
fn target(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_ascii_whitespace();
    let (method, url, _) = (words.next()?, words.next()?, words.next_back()?);
    let named = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
    (method != "-" && method.bytes().all(named)).then_some((method, url))
}

fn with<'a>(request: Request<'a>, name: &'static str, value: Text<'a>) -> Request<'a> {
    if value.is_empty() || value == "-" {
        request
    } else {
        request.header(name.into(), value)
    }
}

/// What is before the first `mark`, and what is behind.
fn cut(text: &str, mark: u8) -> Option<(&str, &str)> {
    let (before, rest) = text.split_at_checked(scan::first(text.as_bytes(), mark)?)?;
    Some((before, rest.get(1..)?))
}

/// The text in the next pair of quotes, and what follows. A backslash keeps the next character from
/// ending it; both servers write a quote inside that way, or as `\x22`.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let text = text.trim_start().strip_prefix('"')?;
    let bytes = text.as_bytes();
    let mut from = 0_usize;
    let mut any = false;
    loop {
        let at = from.saturating_add(scan::either(bytes.get(from..)?, b'"', b'\\')?);
        if bytes.get(at) == Some(&b'\\') {
            any = true;
            from = at.saturating_add(2);
            continue;
        }
        let (inside, rest) = text.split_at_checked(at)?;
        let inside = if any {
            Cow::Owned(unescaped(inside))
        } else {
            Cow::Borrowed(inside)
        };
        return Some((inside, rest.get(1..)?));
    }
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
    fn entry(line: &str) -> Entry<'_> {
        read(line, &mut Moments::default()).expect("a readable line")
    }

    #[track_caller]
    fn refused(line: &str, why: Unreadable) {
        assert_eq!(
            read(line, &mut Moments::default()).map(|_| ()),
            Err(why),
            "{line}"
        );
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
        let address = ClientAddress::parse("203.0.113.7");
        assert_eq!(entry.request.address, address);
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
