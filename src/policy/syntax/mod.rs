//! The syntaxes of the strings in a document, key parts excepted.

use super::fault::Wrong;
use super::kind::Syntax;

mod place;

pub use place::{COUNTRY, HOST, NETWORK, ORIGIN, PREFIX, host, network, origin, prefix};

/// Longest name of a rule, limit or tier.
const MAX_NAME: usize = 64;
/// Longest string of any other kind.
const MAX_TEXT: usize = 1_024;
/// Longest body of a refusal.
const MAX_BODY: usize = 65_536;

/// Methods that people mean when they write them in lower case.
const METHODS: &[&str] = &[
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
];

/// Header names that belong to the connection or to the body, never to an operator's wish.
const RESERVED_HEADERS: &[&str] = &[
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "keep-alive",
    "retry-after",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Names of rules, limits and tiers.
pub static NAME: Syntax = Syntax {
    what: "a name of letters, digits, \"-\" and \"_\"",
    check: name,
    pattern: "^[A-Za-z0-9_-]{1,64}$",
};

/// Header names.
pub static HEADER: Syntax = Syntax {
    what: "a header name",
    check: header_name,
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
};

/// Header names that `respond` may set.
pub static RESPONSE_HEADER: Syntax = Syntax {
    what: "a header name",
    check: response_header,
    pattern: HEADER.pattern,
};

/// Values of headers.
pub static HEADER_VALUE: Syntax = Syntax {
    what: "a header value of visible ASCII characters and blanks",
    check: header_value,
    pattern: "^[ -~]*$",
};

/// Cookie names.
pub static COOKIE: Syntax = Syntax {
    what: "a cookie name",
    check: cookie_name,
    pattern: HEADER.pattern,
};

/// Any string that says something.
pub static TEXT: Syntax = Syntax {
    what: "a string that is not empty",
    check: text,
    pattern: "^.+$",
};

/// The body of a refusal.
pub static BODY: Syntax = Syntax {
    what: "a string",
    check: body,
    pattern: "",
};

/// Names of bindings.
pub static BINDING: Syntax = Syntax {
    what: "the name of a KV binding",
    check: binding,
    pattern: "^[A-Za-z_$][A-Za-z0-9_$]*$",
};

/// Methods.
pub static METHOD: Syntax = Syntax {
    what: "a method such as \"GET\"",
    check: method,
    pattern: HEADER.pattern,
};

/// Media types.
pub static MEDIA_TYPE: Syntax = Syntax {
    what: "a media type such as \"application/json\"",
    check: media_type,
    pattern: "^[^/;\\s]+/[^/;\\s]+$",
};

fn bounded(text: &str, most: usize) -> Result<(), Wrong> {
    if text.is_empty() {
        return Err(Wrong::new(
            "an empty string",
            "write something, or leave it out",
        ));
    }
    if text.len() > most {
        return Err(Wrong::text(
            text,
            "is too long",
            format!("write at most {most} bytes"),
        ));
    }
    Ok(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn name(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_NAME)?;
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if text.bytes().all(good) {
        return Ok(());
    }
    Err(Wrong::text(
        text,
        "is no name",
        "use letters, digits, \"-\" and \"_\"",
    ))
}

/// RFC 9110, section 5.1.
pub fn header_name(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_TEXT)?;
    if is_token(text) {
        return Ok(());
    }
    let expected = "use letters, digits and \"-\", as in \"x-api-key\"";
    Err(Wrong::text(text, "is no header name", expected))
}

fn response_header(text: &str) -> Result<(), Wrong> {
    header_name(text)?;
    let lower = text.to_ascii_lowercase();
    if RESERVED_HEADERS.contains(&lower.as_str()) {
        let expected = "leave it out";
        return Err(Wrong::text(text, "is set by Weir itself", expected));
    }
    Ok(())
}

fn header_value(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_TEXT)?;
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) && text.trim() == text {
        return Ok(());
    }
    let expected = "use visible ASCII characters and blanks between them";
    Err(Wrong::text(text, "is no header value", expected))
}

/// RFC 6265, section 4.1.1.
pub fn cookie_name(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_TEXT)?;
    if is_token(text) {
        return Ok(());
    }
    Err(Wrong::text(
        text,
        "is no cookie name",
        "use letters, digits, \"-\" and \"_\"",
    ))
}

/// A string that says something, of bounded length.
pub fn text(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_TEXT)
}

fn body(text: &str) -> Result<(), Wrong> {
    if text.len() > MAX_BODY {
        let found = format!("{} bytes", text.len());
        return Err(Wrong::new(found, format!("write at most {MAX_BODY}")));
    }
    Ok(())
}

fn binding(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_NAME)?;
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    if text.bytes().all(good) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(());
    }
    let expected = "write the \"binding\" of one of wrangler.toml's [[kv_namespaces]]";
    Err(Wrong::text(text, "is no binding", expected))
}

fn method(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_NAME)?;
    if !is_token(text) {
        return Err(Wrong::text(
            text,
            "is no method",
            "write one such as \"GET\"",
        ));
    }
    let upper = text.to_ascii_uppercase();
    if upper != text && METHODS.contains(&upper.as_str()) {
        let expected = format!("methods compare exactly; write \"{upper}\"");
        return Err(Wrong::text(
            text,
            "is not the method that clients send",
            expected,
        ));
    }
    Ok(())
}

fn media_type(text: &str) -> Result<(), Wrong> {
    bounded(text, 255)?;
    match text.split_once('/') {
        Some((kind, subtype))
            if is_token(kind) && is_token(subtype) && !crate::text::has(text, b'*') =>
        {
            Ok(())
        }
        _ => {
            let expected = "write one type without parameters, such as \"application/json\"";
            Err(Wrong::text(text, "is no media type", expected))
        }
    }
}

/// Terms of a computed cost.
pub static TERM: Syntax = Syntax {
    what: "a JSON Pointer such as \"/pageSize\", or \"/accounts#\"",
    check: term,
    pattern: "^(/.*|#)$",
};

fn term(text: &str) -> Result<(), Wrong> {
    bounded(text, MAX_TEXT)?;
    if text == "#" || text.starts_with('/') {
        return Ok(());
    }
    let expected = format!("a JSON Pointer starts with \"/\"; write \"/{text}\"");
    Err(Wrong::text(text, "is no JSON Pointer", expected))
}
