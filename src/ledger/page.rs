//! The stored form of several counters in one row. Frozen: a new form gets a new version, and old
//! ones stay readable.
//!
//! Version 1, integers big-endian: version (1 byte), the page's place in the order of writing (8),
//! then for each counter its name (16), the length of what follows (2), and its row as
//! [`super::row`] has it. A name is in a page once.

use crate::wire::CounterKey;

const VERSION: u8 = 1;

/// First character of a page's row key; its number follows.
const PAGE: char = 'p';

/// Pages of one object: more than [`MAX_ROWS`](super::MAX_ROWS) counters can fill.
pub(super) const MAX_PAGES: u32 = 32_768;

/// Bytes that stand before each counter's row.
pub(super) const OVERHEAD: usize = 18;

pub(super) fn page_key(number: u32) -> String {
    let mut text = number.to_string();
    text.insert(0, PAGE);
    text
}

pub(super) fn number(row_key: &str) -> Option<u32> {
    let number = row_key.strip_prefix(PAGE)?.parse().ok()?;
    (number < MAX_PAGES && page_key(number) == row_key).then_some(number)
}

/// An empty page.
pub(super) fn start(sequence: u64) -> Vec<u8> {
    let mut out = vec![VERSION];
    out.extend(sequence.to_be_bytes());
    out
}

/// Adds a counter; its row is shorter than 64 KiB.
pub(super) fn push(out: &mut Vec<u8>, key: CounterKey, row: &[u8]) {
    let Ok(length) = u16::try_from(row.len()) else {
        return;
    };
    out.extend(key.0);
    out.extend(length.to_be_bytes());
    out.extend(row);
}

/// A page's place in the order of writing, and what [`next`] reads. None where it has no such start.
pub(super) fn read(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (&[version], rest) = bytes.split_first_chunk()?;
    let (sequence, rest) = rest.split_first_chunk()?;
    (version == VERSION).then_some((u64::from_be_bytes(*sequence), rest))
}

/// The next counter of a page, with its row. None at the end, which has no bytes left if the page is
/// whole.
pub(super) fn next<'a>(rest: &mut &'a [u8]) -> Option<(CounterKey, &'a [u8])> {
    let (key, after) = rest.split_first_chunk()?;
    let (length, after) = after.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (row, after) = after.split_at_checked(length)?;
    *rest = after;
    Some((CounterKey(*key), row))
}
