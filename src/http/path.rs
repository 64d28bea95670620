//! Paths, normalised for matching only: the origin always receives what the client sent.
//!
//! However a path is spelt, it has one normal form, so that a spelling cannot dodge a rule:
//!
//! - Every byte of a segment has one spelling: itself where RFC 3986 (section 3.3, `pchar`) allows
//!   that, else an escape with upper-case digits. Origins decode before they route, so `%40` and
//!   `@` are the same; `%2F` stays what it is and separates nothing. A `%` that starts no escape
//!   is `%25`.
//! - `.` and `..`, also where written with `%2e`, are resolved as the URL standard does, then empty
//!   segments are dropped, and with them a trailing slash. `\` separates, as that standard has it
//!   for http.
//! - The result starts with `/`, and has no other slash at its end.

use std::borrow::Cow;

pub use super::pattern::{Captures, Pattern, PatternFault};
pub use super::url::{UrlParts, normalise_host};

/// The normal form of a path (without query or fragment). Never fails, takes time linear in the
/// input, and yields at most three times its length. Normalising twice changes nothing.
#[must_use]
pub fn normalise(raw: &str) -> Cow<'_, str> {
    if is_normal(raw) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len().saturating_add(1));
    // Where each kept segment begins, empty ones included: `..` takes back the last of them.
    let mut starts: Vec<usize> = Vec::new();
    let body = raw.strip_prefix(['/', '\\']).unwrap_or(raw);
    for segment in body.split(['/', '\\']) {
        let start = out.len();
        out.push('/');
        push_segment(segment, &mut out);
        match out.get(start..) {
            Some("/.") => out.truncate(start),
            Some("/..") => out.truncate(starts.pop().unwrap_or(0)),
            Some("/") => {
                out.truncate(start);
                starts.push(start);
            }
            _ => starts.push(start),
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    Cow::Owned(out)
}

/// A segment of a raw path is `..`, in one of the ways in which the URL standard lets it be written.
#[must_use]
pub fn climbs(raw: &str) -> bool {
    raw.split(['/', '\\']).any(|segment| {
        ["..", ".%2e", "%2e.", "%2e%2e"]
            .iter()
            .any(|double| segment.eq_ignore_ascii_case(double))
    })
}

/// The segments of a normalised path; none for `/`.
pub fn segments(normalised: &str) -> impl Iterator<Item = &str> {
    normalised.split('/').filter(|segment| !segment.is_empty())
}

/// The first segment of a normalised path, empty for `/`: what an index of patterns is keyed by.
#[must_use]
pub fn first_segment(normalised: &str) -> &str {
    segments(normalised).next().unwrap_or("")
}

/// True for most paths of real traffic: they need no copy.
fn is_normal(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    if bytes.first() != Some(&b'/') {
        return false;
    }
    let mut previous = b' ';
    for &byte in bytes {
        // A segment that starts with a dot goes the long way; whether it is `.` shows there.
        if previous == b'/' && (byte == b'/' || byte == b'.') {
            return false;
        }
        if byte != b'/' && !is_pchar(byte) {
            return false;
        }
        previous = byte;
    }
    previous != b'/' || bytes.len() == 1
}

/// Appends a segment in its one spelling.
pub(super) fn push_segment(segment: &str, out: &mut String) {
    for byte in decode(segment) {
        push_byte(byte, out);
    }
}

/// The bytes that a text with escapes stands for, each escape decoded once.
pub(super) fn decode(text: &str) -> impl Iterator<Item = u8> {
    let mut bytes = text.bytes();
    std::iter::from_fn(move || {
        let byte = bytes.next()?;
        if byte == b'%' {
            let mut ahead = bytes.clone();
            let digits = (ahead.next().and_then(hex), ahead.next().and_then(hex));
            if let (Some(high), Some(low)) = digits {
                bytes = ahead;
                return Some(high << 4 | low);
            }
        }
        Some(byte)
    })
}

/// Appends a byte in its one spelling.
pub(super) fn push_byte(byte: u8, out: &mut String) {
    if is_pchar(byte) {
        out.push(char::from(byte));
    } else {
        out.push('%');
        for nibble in [byte >> 4, byte & 15] {
            let digit = char::from_digit(u32::from(nibble), 16).unwrap_or('0');
            out.push(digit.to_ascii_uppercase());
        }
    }
}

/// The value of a hexadecimal digit.
pub(super) fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// RFC 3986, section 3.3, without the escapes.
fn is_pchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte)
}

#[cfg(test)]
mod tests;
