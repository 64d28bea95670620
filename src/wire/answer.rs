//! Answers as text.

use super::codec::{self, Fields, MAX_ITEMS, Writer};
use super::{Acquired, Answer, Charged, Outcome, Stats};
use crate::time::Span;

const CONFORMS: u64 = 1;
const PROVISIONAL: u64 = 2;
const BLOCKED: u64 = 4;

/// Slot keys that one `Stats` names; more are left out, so that the header stays small.
pub const MAX_STATS_SLOTS: usize = 128;

impl Answer {
    /// The message, to stand as one header value.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Answer::Charged(charged) => write_charged(charged),
            Answer::Done(done) => one_number(b'd', u64::from(*done)),
            Answer::Forgotten(counters) => one_number(b'f', u64::from(*counters)),
            Answer::Acquired(acquired) => write_acquired(acquired),
            Answer::Stats(stats) => write_stats(stats),
            Answer::Unintelligible => one_number(b'u', 0),
        }
    }

    /// Reads a message. None for another version, an unknown kind, or anything damaged: the caller
    /// then has no answer, as if the object had not been reached.
    #[must_use]
    pub fn decode(text: &str) -> Option<Answer> {
        let (kind, mut head, items) = codec::read(text)?;
        Some(match kind {
            b'c' => Answer::Charged(Charged {
                admitted: head.number(0)? & 1 != 0,
                rows: head.small()?,
                faults: head.small()?,
                outcomes: items.items(MAX_ITEMS, read_outcome)?,
            }),
            b'd' => Answer::Done(head.number(0)? & 1 != 0),
            b'f' => Answer::Forgotten(head.small()?),
            b'a' => Answer::Acquired(read_acquired(&mut head)?),
            b's' => Answer::Stats(Stats {
                counters: head.small()?,
                running: head.small()?,
                waiting: head.small()?,
                rows: head.number(0)?,
                faults: head.number(0)?,
                slots: items.items(MAX_STATS_SLOTS, |from| {
                    Some((from.key()?, from.small()?, from.small()?))
                })?,
            }),
            b'u' => Answer::Unintelligible,
            _ => return None,
        })
    }
}

fn one_number(kind: u8, number: u64) -> String {
    let mut to = Writer::new(kind);
    to.number(number, 0);
    to.finish()
}

fn write_charged(charged: &Charged) -> String {
    let mut to = Writer::new(b'c');
    to.number(u64::from(charged.admitted), 0);
    to.number(u64::from(charged.rows), 0);
    to.number(u64::from(charged.faults), 0);
    for outcome in &charged.outcomes {
        to.section();
        let conforms = if outcome.conforms { CONFORMS } else { 0 };
        let provisional = if outcome.provisional { PROVISIONAL } else { 0 };
        let blocked = if outcome.blocked { BLOCKED } else { 0 };
        to.number(conforms | provisional | blocked, 0);
        to.number(outcome.remaining, 0);
        to.span(outcome.reset);
        to.number(outcome.permits, 0);
        to.span(outcome.lapse);
        to.span(outcome.retry_after);
        to.span(outcome.remember);
    }
    to.finish()
}

fn read_outcome(from: &mut Fields<'_>) -> Option<Outcome> {
    let flags = from.number(0)?;
    Some(Outcome {
        conforms: flags & CONFORMS != 0,
        provisional: flags & PROVISIONAL != 0,
        blocked: flags & BLOCKED != 0,
        remaining: from.number(0)?,
        reset: from.span()?,
        permits: from.number(0)?,
        lapse: from.span()?,
        retry_after: from.span()?,
        remember: from.span()?,
    })
}

fn write_acquired(acquired: &Acquired) -> String {
    let (which, number) = match acquired {
        Acquired::Granted { waited } => (1, waited.as_micros()),
        Acquired::Full { item } => (2, u64::from(*item)),
        Acquired::TimedOut { item } => (3, u64::from(*item)),
        Acquired::Gone => (4, 0),
    };
    let mut to = Writer::new(b'a');
    to.number(which, 0);
    to.number(number, 0);
    to.finish()
}

fn read_acquired(head: &mut Fields<'_>) -> Option<Acquired> {
    Some(match head.number(0)? {
        1 => Acquired::Granted {
            waited: Span::from_micros(head.number(0)?),
        },
        2 => Acquired::Full {
            item: head.small()?,
        },
        3 => Acquired::TimedOut {
            item: head.small()?,
        },
        4 => Acquired::Gone,
        _ => return None,
    })
}

fn write_stats(stats: &Stats) -> String {
    let mut to = Writer::new(b's');
    to.number(u64::from(stats.counters), 0);
    to.number(u64::from(stats.running), 0);
    to.number(u64::from(stats.waiting), 0);
    to.number(stats.rows, 0);
    to.number(stats.faults, 0);
    for (key, running, waiting) in stats.slots.iter().take(MAX_STATS_SLOTS) {
        to.section();
        to.key(*key);
        to.number(u64::from(*running), 0);
        to.number(u64::from(*waiting), 0);
    }
    to.finish()
}
