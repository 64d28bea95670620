//! The stored form of a counter. Frozen: a new form gets a new version, and old ones stay readable.
//!
//! Version 1, integers big-endian: version (1 byte), algorithm (1), limit, window, burst, when it
//! was written, when it is void, what the alarm is set to (zero: nothing), the longest step of its
//! block (8 each; times in microseconds), then the block and the state in their own stored forms.

use super::counter::Counter;
use crate::limit::{Algorithm, Block, Quota, State};
use crate::time::{Span, Timestamp};
use crate::wire::CounterKey;

const VERSION: u8 = 1;

/// First character of a counter's row key; the counter's name follows.
const COUNTER: char = 'c';

/// A counter as stored.
#[derive(Debug)]
pub(super) struct Row {
    pub written_at: Timestamp,
    pub void_at: Timestamp,
    /// The alarm that was set when the row was written: spares a row of its own.
    pub alarm: Option<Timestamp>,
    pub counter: Counter,
}

pub(super) fn row_key(key: CounterKey) -> String {
    let mut text = key.to_text();
    text.insert(0, COUNTER);
    text
}

pub(super) fn counter_key(row_key: &str) -> Option<CounterKey> {
    CounterKey::from_text(row_key.strip_prefix(COUNTER)?)
}

/// What is promised is stored as spent: nobody can give it back to an object that has forgotten.
pub(super) fn encode(
    counter: &Counter,
    now: Timestamp,
    void_at: Timestamp,
    alarm: Option<Timestamp>,
) -> Vec<u8> {
    let quota = &counter.quota;
    let mut out = vec![VERSION, quota.algorithm as u8];
    for number in [
        quota.limit,
        quota.window.as_micros(),
        quota.burst,
        now.as_micros(),
        void_at.as_micros(),
        alarm.unwrap_or_default().as_micros(),
        counter.longest_step.as_micros(),
    ] {
        out.extend(number.to_be_bytes());
    }
    counter.block.encode(&mut out);
    counter.state.encode(quota, now, &mut out);
    out
}

/// Reads what [`encode`] wrote; None for anything else.
pub(super) fn decode(bytes: &[u8]) -> Option<Row> {
    let (&[version, algorithm], mut rest) = bytes.split_first_chunk()?;
    if version != VERSION {
        return None;
    }
    let algorithm = Algorithm::from_number(u64::from(algorithm))?;
    let mut number = || {
        let (bytes, after) = rest.split_first_chunk()?;
        rest = after;
        Some(u64::from_be_bytes(*bytes))
    };
    let limit = number()?;
    let window = Span::from_micros(number()?);
    let burst = number()?;
    let written_at = Timestamp::from_micros(number()?);
    let void_at = Timestamp::from_micros(number()?);
    let alarm = Timestamp::from_micros(number()?);
    let longest_step = Span::from_micros(number()?);
    if limit == 0 || window.is_zero() || burst == 0 {
        return None;
    }
    let (block, rest) = Block::decode(rest)?;
    let (state, rest) = State::decode(rest)?;
    if !rest.is_empty() || state.algorithm() != algorithm {
        return None;
    }
    let mut counter = Counter::new(Quota {
        algorithm,
        limit,
        window,
        burst,
    });
    counter.state = state;
    counter.block = block;
    counter.longest_step = longest_step;
    counter.saved_at = written_at;
    let alarm = (alarm > Timestamp::ZERO).then_some(alarm);
    Some(Row {
        written_at,
        void_at,
        alarm,
        counter,
    })
}
