//! One sequence of bytes for all the ways to write the same value: `1`, `1.0` and `10e-1`; `"a"` and
//! `"\u0061"`; members in any order. Different values have different bytes.

use std::cmp::Ordering;

use super::document::{Document, Kind};

/// The canonical form of a value. Recursion is bounded by the depth that the reader allowed.
pub(crate) fn canonical(document: &Document<'_>, at: u32) -> Vec<u8> {
    let mut out = Vec::new();
    write(document, at, &mut out);
    out
}

fn write(document: &Document<'_>, at: u32, out: &mut Vec<u8>) {
    match document.kind(at) {
        Kind::Null => out.push(b'n'),
        Kind::False => out.push(b'f'),
        Kind::True => out.push(b't'),
        Kind::Number => document.number(at).write_canonical(out),
        Kind::String => write_text(&document.string(at), out),
        Kind::Array => {
            out.push(b'[');
            for item in document.items(at) {
                write(document, item, out);
            }
            out.push(b']');
        }
        Kind::Object => {
            let mut members: Vec<_> = document
                .members(at)
                .map(|(name, value)| (document.string(name), value))
                .collect();
            members.sort_unstable();
            out.push(b'{');
            for (name, value) in members {
                write_text(&name, out);
                write(document, value, out);
            }
            out.push(b'}');
        }
    }
}

/// The length goes first, so that no content can look like the end.
fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The first item that equals an earlier one, and that one: indices into the array. One pass and a
/// sort, whatever the items are.
pub(crate) fn find_repeated(document: &Document<'_>, array: u32) -> Option<(usize, usize)> {
    let mut items: Vec<(Vec<u8>, usize)> = document
        .items(array)
        .enumerate()
        .map(|(index, item)| (canonical(document, item), index))
        .collect();
    items.sort_unstable();
    items
        .windows(2)
        .filter_map(|pair| match pair {
            [(one, first), (other, second)] if one.cmp(other) == Ordering::Equal => {
                Some((*second, *first))
            }
            _ => None,
        })
        .min()
}
