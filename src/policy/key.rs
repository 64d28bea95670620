//! What partitions a quota.

use super::fault::Wrong;
use super::kind::Syntax;
use super::near::near;
use super::syntax;
use crate::text;

/// One part of a key: the first alternative with a value counts; with none, the client's address
/// in a namespace of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// In the order written: `a|b`.
    pub alternatives: Vec<KeySource>,
}

/// Where a key part's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The client's address, cut to its prefix.
    Ip,
    /// A cookie.
    Cookie(String),
    /// A header, lower case.
    Header(String),
    /// A query parameter.
    Query(String),
    /// A `:name` of the pattern that matched.
    Path(String),
    /// A field of the body: a top-level name in a form or JSON object, or a JSON Pointer.
    Body(String),
    /// The request's method.
    Method,
    /// The host, normalised.
    Host,
    /// The pattern that matched.
    Route,
    /// Autonomous system number.
    Asn,
    /// ISO 3166-1 alpha-2.
    Country,
    /// The data centre's IATA code.
    Colo,
    /// TLS fingerprint.
    Ja4,
}

/// Kinds of parts that carry a name after a colon, and what that name is.
const NAMED: &[(&str, &str)] = &[
    ("cookie", "a cookie's name"),
    ("header", "a header's name"),
    ("query", "a parameter's name"),
    ("path", "a \":name\" of the path pattern"),
    ("body", "a field's name or a JSON Pointer"),
];

/// Kinds of parts that stand alone.
const BARE: &[&str] = &[
    "ip", "method", "host", "route", "asn", "country", "colo", "ja4",
];

/// Alternatives of one part. More would be guessing.
const MAX_ALTERNATIVES: usize = 8;

/// Key parts.
pub static KEY_PART: Syntax = Syntax {
    what: "a key part such as \"ip\" or \"header:x-api-key|ip\"",
    check: |text| part(text).map(drop),
    pattern: "^((ip|method|host|route|asn|country|colo|ja4|(cookie|header|query|path|body):[^|]+)(\\||$))+$",
};

impl KeyPart {
    /// True where an alternative fits.
    pub fn any(&self, fits: impl FnMut(&KeySource) -> bool) -> bool {
        self.alternatives.iter().any(fits)
    }

    /// True where the body must be read to know the value.
    #[must_use]
    pub fn needs_body(&self) -> bool {
        self.any(|source| matches!(source, KeySource::Body(_)))
    }
}

/// Reads `a|b`.
pub fn part(text: &str) -> Result<KeyPart, Wrong> {
    let alternatives = text
        .split('|')
        .map(|one| source(one.trim()))
        .collect::<Result<Vec<_>, _>>()?;
    if alternatives.len() > MAX_ALTERNATIVES {
        let expected = format!("write at most {MAX_ALTERNATIVES} alternatives");
        return Err(Wrong::text(text, "has too many alternatives", expected));
    }
    Ok(KeyPart { alternatives })
}

fn source(text: &str) -> Result<KeySource, Wrong> {
    let later = || Wrong::text(text, "is not supported yet", "use another key part");
    let Some((kind, name)) = text.split_once(':') else {
        return Ok(match text {
            "ip" => KeySource::Ip,
            "method" => KeySource::Method,
            "host" => KeySource::Host,
            "route" => KeySource::Route,
            "asn" => KeySource::Asn,
            "country" => KeySource::Country,
            "colo" => KeySource::Colo,
            "ja4" => KeySource::Ja4,
            "" => return Err(Wrong::new("an empty key part", "write one such as \"ip\"")),
            "session" | "jwt" => return Err(later()),
            _ => return Err(unknown(text)),
        });
    };
    match kind {
        "cookie" | "header" | "query" | "path" | "body" if name.is_empty() => {
            let what = NAMED.iter().find(|(known, _)| *known == kind);
            let what = what.map_or("a name", |(_, what)| what);
            Err(Wrong::text(
                text,
                "has no name",
                format!("write {what} after the colon"),
            ))
        }
        "cookie" => syntax::cookie_name(name).map(|()| KeySource::Cookie(name.to_owned())),
        "header" => {
            syntax::header_name(name).map(|()| KeySource::Header(name.to_ascii_lowercase()))
        }
        "query" => syntax::text(name).map(|()| KeySource::Query(name.to_owned())),
        "path" => Ok(KeySource::Path(name.trim_start_matches(':').to_owned())),
        "body" if name.starts_with('/') && !is_pointer(name) => {
            let expected = "write \"~0\" for \"~\" and \"~1\" for \"/\" (RFC 6901)";
            Err(Wrong::text(text, "is no JSON Pointer", expected))
        }
        "body" => syntax::text(name).map(|()| KeySource::Body(name.to_owned())),
        "jwt" | "session" => Err(later()),
        _ => Err(unknown(text)),
    }
}

/// RFC 6901, section 3.
fn is_pointer(text: &str) -> bool {
    text.split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']))
}

fn unknown(text: &str) -> Wrong {
    let (kind, name) = match text.split_once(':') {
        Some((kind, name)) => (kind, Some(name)),
        None => (text, None),
    };
    if name.is_some() && BARE.contains(&kind) {
        return Wrong::text(text, "takes no name", format!("write \"{kind}\""));
    }
    let named = NAMED.iter().find(|(known, _)| *known == kind);
    if let Some((_, what)) = named {
        let expected = format!("write {what} after it, as in \"{kind}:x\"");
        return Wrong::text(text, "has no name", expected);
    }
    let kinds = NAMED.iter().map(|(known, _)| *known);
    let expected = match near(kind, BARE.iter().copied().chain(kinds.clone())) {
        Some(known) => match name {
            Some(name) if !BARE.contains(&known) => format!("did you mean \"{known}:{name}\"?"),
            _ if BARE.contains(&known) => format!("did you mean \"{known}\"?"),
            _ => format!("did you mean \"{known}:…\"?"),
        },
        None => {
            let kinds: Vec<String> = kinds.map(|kind| format!("{kind}:NAME")).collect();
            format!(
                "use {}, {}",
                text::join(BARE, ", "),
                text::join(&kinds, ", ")
            )
        }
    };
    Wrong::text(text, "is no key part", expected)
}
