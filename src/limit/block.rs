//! Staying refused for a while, and for longer each time, once a quota was exceeded.

use super::codec::{Reader, put_varint};
use crate::time::{Span, Timestamp};

/// The stored form's version.
const VERSION: u8 = 1;

/// Whether a key is blocked, and how far it has escalated. The default has never been blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The end of the latest block.
    until: Timestamp,
    /// How many steps have been taken without a quiet spell between them.
    taken: u32,
}

impl Block {
    /// What remains of the block in force at `now`; None where there is none.
    #[must_use]
    pub fn blocked(&self, now: Timestamp) -> Option<Span> {
        (self.until > now).then(|| self.until.saturating_since(now))
    }

    /// The quota itself has just refused a request. Starts the next block of `steps` and gives its
    /// length.
    ///
    /// Inside a block this is no new violation, and gives what remains. After a quiet spell as long
    /// as the longest step, counted from the block's end, escalation starts over. None where
    /// `steps` is empty and no block is in force.
    pub fn on_refusal(&mut self, now: Timestamp, steps: &[Span]) -> Option<Span> {
        if let Some(remaining) = self.blocked(now) {
            return Some(remaining);
        }
        let taken = if self.void_at(steps) <= now {
            0
        } else {
            self.taken
        };
        let index = usize::try_from(taken).unwrap_or(usize::MAX);
        let step = *steps.get(index).or(steps.last())?;
        self.until = now + step;
        self.taken = taken.saturating_add(1);
        Some(step)
    }

    /// From when on this decides as if there had never been a block.
    #[must_use]
    pub fn void_at(&self, steps: &[Span]) -> Timestamp {
        let quiet = steps.iter().max().copied().unwrap_or_default();
        if self.taken == 0 {
            Timestamp::ZERO
        } else {
            self.until + quiet
        }
    }

    /// Appends the stored form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        put_varint(out, self.until.as_micros());
        put_varint(out, u64::from(self.taken));
    }

    /// Reads what [`Block::encode`] wrote, and gives the bytes after it; None for anything else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(Block, &[u8])> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != VERSION {
            return None;
        }
        let until = Timestamp::from_micros(reader.varint()?);
        let taken = u32::try_from(reader.varint()?).ok()?;
        Some((Block { until, taken }, reader.rest()))
    }
}

#[cfg(test)]
mod tests;
