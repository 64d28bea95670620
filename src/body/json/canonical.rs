//! One sequence of bytes for all the ways to write the same value: `1`, `1.0` and `10e-1`; `"a"` and
//! `"\u0061"`; members in any order. Different values have different bytes.

use std::borrow::Cow;

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
        Kind::String => write_text(document.string(at).as_bytes(), out),
        Kind::Array => {
            out.push(b'[');
            for item in document.items(at) {
                write(document, item, out);
            }
            out.push(b']');
        }
        Kind::Object => {
            let members = sorted_members(document, at);
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
fn write_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(text);
}

/// Members by name, decoded: name and value.
pub(crate) fn sorted_members<'a>(document: &Document<'a>, at: u32) -> Vec<(Cow<'a, [u8]>, u32)> {
    let members = document.members(at).map(|(name, value)| {
        let name = match document.string(name) {
            Cow::Borrowed(name) => Cow::Borrowed(name.as_bytes()),
            Cow::Owned(name) => Cow::Owned(name.into_bytes()),
        };
        (name, value)
    });
    sorted(members.collect())
}

/// The first item that equals an earlier one, and that one: indices into the array. One pass and a
/// sort, whatever the items are.
pub(crate) fn find_repeated(document: &Document<'_>, array: u32) -> Option<(u32, u32)> {
    let items = (0..).zip(document.items(array));
    let forms = items.map(|(index, item)| (Cow::Owned(canonical(document, item)), index));
    let forms = sorted(forms.collect());
    repeated(&forms).map(|(first, again)| (again, first)).min()
}

/// Pairs of neighbours with the same bytes: the two things that go with them.
pub(crate) fn repeated(sorted: &[(Cow<'_, [u8]>, u32)]) -> impl Iterator<Item = (u32, u32)> {
    sorted.windows(2).filter_map(|pair| match pair {
        [(one, first), (other, again)] if one == other => Some((*first, *again)),
        _ => None,
    })
}

/// One sort for names and for whole values: its code is a few kilobytes each time.
#[inline(never)]
fn sorted<'a>(mut pairs: Vec<(Cow<'a, [u8]>, u32)>) -> Vec<(Cow<'a, [u8]>, u32)> {
    pairs.sort_unstable();
    pairs
}
