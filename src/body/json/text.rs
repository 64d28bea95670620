//! Strings: what stands between the quotes, decoded.

use std::borrow::Cow;

/// The string that `raw` (between its quotes, already accepted by the reader) stands for.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if !crate::text::has(raw, b'\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let (c, length) = decode_escape(escape.as_bytes()).unwrap_or(('\u{fffd}', 1));
        out.push(c);
        rest = escape.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Does every escape of `raw` stand for a character? Half a surrogate pair does not.
pub(crate) fn is_unicode(raw: &str) -> bool {
    let mut rest = raw;
    while let Some((_, escape)) = rest.split_once('\\') {
        let Some((_, length)) = decode_escape(escape.as_bytes()) else {
            return false;
        };
        rest = escape.get(length..).unwrap_or("");
    }
    true
}

/// Is this an escape of a code unit, whatever it is half of?
pub(crate) fn is_unit(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'u') && bytes.get(1..5).and_then(hex4).is_some()
}

/// What follows a backslash: the character and how many bytes say it. None where it is no escape
/// of RFC 8259, or half of a surrogate pair: no two readers agree on what that is.
pub(crate) fn decode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let c = match bytes.first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return decode_unicode(bytes),
        _ => return None,
    };
    Some((c, 1))
}

fn decode_unicode(bytes: &[u8]) -> Option<(char, usize)> {
    let first = hex4(bytes.get(1..5)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 5));
    }
    if bytes.get(5..7)? != b"\\u" {
        return None;
    }
    let second = hex4(bytes.get(7..11)?)?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, 11))
}

fn hex4(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |value, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        Some(value.wrapping_shl(4) | digit)
    })
}
