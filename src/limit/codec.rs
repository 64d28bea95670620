//! The stored form of a [`State`]: a version, the algorithm's number, then its fields as varints
//! (LEB128, shortest form only). Frozen by a test: rows outlive deployments.
//!
//! What was held is stored as spent: whoever reads it back knows nothing of the promises.

use super::sliding_window::Entry;
use super::{
    Algorithm, Distinct, FixedWindow, MAX_ENTRIES, Quota, SlidingCounter, SlidingWindow, State,
    TokenBucket,
};
use crate::time::Timestamp;

const VERSION: u8 = 1;

impl State {
    /// Appends the stored form: everything held counts as spent at `now`, and what `now` has made
    /// void is left out.
    pub fn encode(&self, quota: &Quota, now: Timestamp, out: &mut Vec<u8>) {
        let mut state = self.clone();
        state.settle_all(quota, now);
        state.trim(quota, now);
        out.push(VERSION);
        put_varint(out, state.algorithm() as u64);
        match &state {
            State::TokenBucket(bucket) => {
                put_varint(out, bucket.tat.as_micros());
                put_varint(out, bucket.tat_ticks);
            }
            State::SlidingWindow(log) => {
                let entries = log.entries();
                put_count(out, entries.len());
                let mut times = Deltas::default();
                for entry in entries {
                    put_varint(out, times.next(entry.at));
                    put_varint(out, entry.units);
                }
            }
            State::SlidingCounter(pair) => {
                put_varint(out, pair.index);
                put_varint(out, pair.current);
                put_varint(out, pair.previous);
            }
            State::FixedWindow(window) => {
                put_varint(out, window.index);
                put_varint(out, window.spent);
            }
            State::Distinct(values) => {
                let entries = values.entries();
                put_count(out, entries.len());
                let mut times = Deltas::default();
                for (last, value) in entries {
                    put_varint(out, times.next(last));
                    out.extend_from_slice(&value.to_le_bytes());
                }
            }
        }
    }

    /// Reads what [`State::encode`] wrote, and gives the bytes after it. None for anything else:
    /// another version, damage, or more entries than there may be.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(State, &[u8])> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != VERSION {
            return None;
        }
        let state = match Algorithm::from_number(reader.varint()?)? {
            Algorithm::TokenBucket => State::TokenBucket(TokenBucket {
                tat: reader.timestamp()?,
                tat_ticks: reader.varint()?,
                ..TokenBucket::default()
            }),
            Algorithm::SlidingWindow => State::SlidingWindow(reader.log()?),
            Algorithm::SlidingCounter => State::SlidingCounter(SlidingCounter {
                index: reader.varint()?,
                current: reader.varint()?,
                previous: reader.varint()?,
                ..SlidingCounter::default()
            }),
            Algorithm::FixedWindow => State::FixedWindow(FixedWindow {
                index: reader.varint()?,
                spent: reader.varint()?,
                ..FixedWindow::default()
            }),
            Algorithm::Distinct => State::Distinct(reader.distinct()?),
        };
        Some((state, reader.rest()))
    }
}

impl Algorithm {
    /// The algorithm that is wired and stored as this number.
    #[must_use]
    pub fn from_number(number: u64) -> Option<Algorithm> {
        let all = [
            Algorithm::TokenBucket,
            Algorithm::SlidingWindow,
            Algorithm::SlidingCounter,
            Algorithm::FixedWindow,
            Algorithm::Distinct,
        ];
        all.into_iter()
            .find(|algorithm| *algorithm as u64 == number)
    }
}

/// Ascending instants as steps from one to the next, the first from the epoch.
#[derive(Default)]
struct Deltas(Timestamp);

impl Deltas {
    fn next(&mut self, at: Timestamp) -> u64 {
        let delta = at.saturating_since(self.0);
        self.0 = at;
        delta.as_micros()
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    put_varint(out, u64::try_from(count).unwrap_or(u64::MAX));
}

/// Appends a number in LEB128.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Reads from the front of some bytes; whatever is not there is None.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number: u64 = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            let shifted = part << shift;
            if shifted >> shift != part {
                return None;
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                let shortest = byte != 0 || shift == 0;
                return shortest.then_some(number);
            }
        }
        None
    }

    fn timestamp(&mut self) -> Option<Timestamp> {
        self.varint().map(Timestamp::from_micros)
    }

    /// A number of entries, each of which takes at least `least` bytes of what is left.
    fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        let fits = count.checked_mul(least)? <= self.0.len();
        (fits && count <= MAX_ENTRIES).then_some(count)
    }

    fn later(&mut self, than: Timestamp) -> Option<Timestamp> {
        let us = than.as_micros().checked_add(self.varint()?)?;
        Some(Timestamp::from_micros(us))
    }

    fn log(&mut self) -> Option<SlidingWindow> {
        let count = self.count(2)?;
        let mut entries = Vec::with_capacity(count);
        let mut at = Timestamp::ZERO;
        let mut sum: u64 = 0;
        for index in 0..count {
            let next = self.later(at)?;
            let units = self.varint()?;
            if units == 0 || (index > 0 && next == at) {
                return None;
            }
            sum = sum.checked_add(units)?;
            at = next;
            entries.push(Entry { at, units });
        }
        Some(SlidingWindow::from_entries(entries.into_iter()))
    }

    fn distinct(&mut self) -> Option<Distinct> {
        let count = self.count(9)?;
        let mut values = Distinct::default();
        let mut last = Timestamp::ZERO;
        for _ in 0..count {
            last = self.later(last)?;
            let (value, rest) = self.0.split_first_chunk()?;
            self.0 = rest;
            if !values.restore(last, u64::from_le_bytes(*value)) {
                return None;
            }
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests;
