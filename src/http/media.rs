//! Media types (RFC 9110 section 8.3.1) and content codings (section 8.4.1), as far as they decide
//! something here.

use std::borrow::Cow;

/// Type and subtype without parameters, as written. Compare without regard to case.
#[must_use]
pub fn essence(content_type: &str) -> &str {
    let end = content_type.find(';').unwrap_or(content_type.len());
    content_type
        .get(..end)
        .unwrap_or("")
        .trim_matches([' ', '\t'])
}

/// Whether a Content-Type is one of a list of essences. A body without Content-Type matches none;
/// nor do several types joined by the runtime, since which of them the origin takes is unknown.
#[must_use]
pub fn is_listed(content_type: Option<&str>, list: &[String]) -> bool {
    content_type.is_some_and(|found| {
        let found = essence(found);
        list.iter().any(|listed| listed.eq_ignore_ascii_case(found))
    })
}

/// True for JSON itself and for types with the suffix `+json` (RFC 6839).
#[must_use]
pub fn is_json(content_type: &str) -> bool {
    let essence = essence(content_type).to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// The value of a parameter such as `charset` or `boundary`, without its quotes. `None` where it is
/// absent or given twice.
#[must_use]
pub fn parameter<'a>(content_type: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut found = None;
    let mut rest = content_type.split_once(';')?.1;
    loop {
        let (own, after) = match rest
            .find(['=', ';'])
            .and_then(|at| rest.split_at_checked(at))
        {
            Some((own, after)) if after.starts_with('=') => (own, after.get(1..).unwrap_or("")),
            // A parameter without a value is none.
            Some((_, after)) => {
                rest = after.get(1..).unwrap_or("");
                continue;
            }
            None => break,
        };
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let end = after.find(';').unwrap_or(after.len());
                let (value, after) = after.split_at_checked(end)?;
                (Cow::Borrowed(value.trim_matches([' ', '\t'])), after)
            }
        };
        if own.trim_matches([' ', '\t']).eq_ignore_ascii_case(name)
            && found.replace(value).is_some()
        {
            return None;
        }
        rest = match after.split_once(';') {
            Some((_, rest)) => rest,
            None => break,
        };
    }
    found
}

/// What a quoted string says, and what follows its closing quote. `None` where it never closes.
fn unquote(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                let (raw, after) = text.split_at_checked(at)?;
                let value = if crate::text::has(raw, b'\\') {
                    Cow::Owned(out)
                } else {
                    Cow::Borrowed(raw)
                };
                return Some((value, after.strip_prefix('"')?));
            }
            '\\' => out.push(chars.next()?.1),
            _ => out.push(char),
        }
    }
    None
}

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `gzip` or its old name `x-gzip`.
    Gzip,
    /// `deflate`: the zlib format, in practice sometimes without its header.
    Deflate,
    /// One that is not decoded here.
    Other,
}

/// The codings of a Content-Encoding in the order in which they were applied: undo the last first.
/// `identity` and empty members are none.
pub fn codings(content_encoding: &str) -> impl Iterator<Item = Coding> {
    content_encoding
        .split(',')
        .map(|member| member.trim_matches([' ', '\t']))
        .filter(|member| !member.is_empty() && !member.eq_ignore_ascii_case("identity"))
        .map(|member| match member.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            _ => Coding::Other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn types_compare_by_essence_without_case() {
        let list = ["application/json".to_owned(), "text/plain".to_owned()];
        for (found, expected) in [
            (Some("application/json"), true),
            (Some("Application/JSON ; charset=utf-8"), true),
            (Some("text/plain;"), true),
            (Some("text/html"), false),
            (Some("application/json, text/plain"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(is_listed(found, &list), expected, "{found:?}");
        }
        assert!(is_json("application/problem+JSON; a=b"));
        assert!(!is_json("text/json5"));
    }

    #[track_caller]
    fn check_boundary(content_type: &str, expected: Option<&str>) {
        let found = parameter(content_type, "boundary");
        assert_eq!(found.as_deref(), expected, "{content_type:?}");
    }

    #[test]
    fn parameters_may_be_quoted() {
        check_boundary("multipart/form-data; boundary=abc", Some("abc"));
        check_boundary("multipart/form-data;BOUNDARY=\"a;b\"; x=y", Some("a;b"));
        check_boundary("a/b; x=\"; boundary=no\"; boundary=yes", Some("yes"));
        check_boundary("a/b; flag; boundary=\"a\\\"b\\\\c\"", Some("a\"b\\c"));
        check_boundary("a/b; boundary=1; boundary=2", None);
        check_boundary("a/b; boundary=\"open", None);
        check_boundary("a/b; boundary", None);
        check_boundary("a/b", None);
    }

    #[test]
    fn codings_come_in_order() {
        let list = |text| codings(text).collect::<Vec<_>>();
        assert_eq!(list(""), []);
        assert_eq!(list("identity"), []);
        assert_eq!(list("GZip"), [Coding::Gzip]);
        assert_eq!(
            list("deflate, x-gzip,, br"),
            [Coding::Deflate, Coding::Gzip, Coding::Other]
        );
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC*|[a/;=\"\\\\ é]{0,24}") {
            let _ = (essence(&text), parameter(&text, "a"), codings(&text).count());
        }
    }
}
