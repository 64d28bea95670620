//! Calls as text.

use super::codec::{self, Fields, MAX_BLOCK_STEPS, MAX_ITEMS, Pieces, Writer};
use super::{Acquire, Call, Charge, Item, Slot};
use crate::limit::{Algorithm, Quota};

const SHADOW: u64 = 1;
const DURABLE: u64 = 2;

impl Call {
    /// The message, to stand behind `/` as the path of a URL.
    #[must_use]
    pub fn encode(&self) -> String {
        self.encode_behind("")
    }

    /// The message behind another text.
    #[must_use]
    pub fn encode_behind(&self, before: &str) -> String {
        let mut to = Writer::after(before, self.kind());
        match self {
            Call::Charge(charge) | Call::Peek(charge) => write_charge(&mut to, charge),
            Call::Refund { id } | Call::Renew { id } | Call::Release { id } => to.id(*id),
            Call::Confirm { id, after } => {
                to.id(*id);
                to.span(*after);
            }
            Call::Settle { id, spent } => {
                to.id(*id);
                for (item, units) in spent {
                    to.section();
                    to.number(u64::from(*item), 0);
                    to.number(*units, 0);
                }
            }
            Call::Forget { keys } => {
                for key in keys {
                    to.section();
                    to.key(*key);
                }
            }
            Call::Acquire(acquire) => write_acquire(&mut to, acquire),
            Call::Stats => {}
        }
        to.finish()
    }

    /// Reads a message. None for another version, an unknown kind, or anything damaged; the object
    /// then answers [`super::Answer::Unintelligible`].
    #[must_use]
    pub fn decode(text: &str) -> Option<Call> {
        let (kind, mut head, items) = codec::read(text)?;
        Some(match kind {
            b'c' => Call::Charge(read_charge(&mut head, items)?),
            b'p' => Call::Peek(read_charge(&mut head, items)?),
            b'r' => Call::Refund { id: head.id()? },
            b'k' => Call::Confirm {
                id: head.id()?,
                after: head.span()?,
            },
            b't' => Call::Settle {
                id: head.id()?,
                spent: items.items(MAX_ITEMS, |from| Some((from.small()?, from.number(0)?)))?,
            },
            b'f' => Call::Forget {
                keys: items.items(MAX_ITEMS, Fields::key)?,
            },
            b'a' => Call::Acquire(read_acquire(&mut head, items)?),
            b'n' => Call::Renew { id: head.id()? },
            b'l' => Call::Release { id: head.id()? },
            b's' => Call::Stats,
            _ => return None,
        })
    }

    fn kind(&self) -> u8 {
        match self {
            Call::Charge(_) => b'c',
            Call::Refund { .. } => b'r',
            Call::Confirm { .. } => b'k',
            Call::Settle { .. } => b't',
            Call::Peek(_) => b'p',
            Call::Forget { .. } => b'f',
            Call::Acquire(_) => b'a',
            Call::Renew { .. } => b'n',
            Call::Release { .. } => b'l',
            Call::Stats => b's',
        }
    }
}

fn write_charge(to: &mut Writer, charge: &Charge) {
    to.id(charge.id);
    to.optional_span(charge.provisional);
    for item in &charge.items {
        to.section();
        to.key(item.key);
        to.number(item.quota.algorithm as u64, 0);
        to.number(item.quota.limit, 0);
        to.span(item.quota.window);
        to.number(item.quota.burst, item.quota.limit);
        to.number(item.cost, 1);
        let shadow = if item.enforce { 0 } else { SHADOW };
        let durable = if item.durable { DURABLE } else { 0 };
        to.number(shadow | durable, 0);
        to.number(item.permits, 0);
        to.key_unless(item.spill, item.key);
        to.optional(item.value);
        to.optional_span(item.reserve);
        to.spans(&item.block);
        to.optional_span(item.taken);
    }
}

fn read_charge(head: &mut Fields<'_>, items: Pieces<'_>) -> Option<Charge> {
    let id = head.id()?;
    let provisional = head.optional_span()?;
    Some(Charge {
        id,
        provisional,
        items: items.items(MAX_ITEMS, read_item)?,
    })
}

fn read_item(from: &mut Fields<'_>) -> Option<Item> {
    let key = from.key()?;
    let algorithm = algorithm(from.number(0)?)?;
    let limit = from.number(0)?;
    let window = from.span()?;
    let burst = from.number(limit)?;
    if limit == 0 || burst == 0 || window.is_zero() {
        return None;
    }
    let cost = from.number(1)?;
    let flags = from.number(0)?;
    let permits = from.number(0)?;
    Some(Item {
        key,
        quota: Quota {
            algorithm,
            limit,
            window,
            burst,
        },
        cost,
        enforce: flags & SHADOW == 0,
        durable: flags & DURABLE != 0,
        permits,
        spill: from.key_or(key)?,
        value: from.optional()?,
        reserve: from.optional_span()?,
        block: from.spans(MAX_BLOCK_STEPS)?,
        taken: from.optional_span()?,
    })
}

fn algorithm(number: u64) -> Option<Algorithm> {
    Some(match number {
        1 => Algorithm::TokenBucket,
        2 => Algorithm::SlidingWindow,
        3 => Algorithm::SlidingCounter,
        4 => Algorithm::FixedWindow,
        5 => Algorithm::Distinct,
        _ => return None,
    })
}

fn write_acquire(to: &mut Writer, acquire: &Acquire) {
    to.id(acquire.id);
    to.span(acquire.lease);
    for slot in &acquire.items {
        to.section();
        to.key(slot.key);
        to.number(u64::from(slot.running), 0);
        to.number(u64::from(slot.waiting), 0);
        to.span(slot.max_wait);
        to.number(if slot.enforce { 0 } else { SHADOW }, 0);
        to.optional(slot.fair);
    }
}

fn read_acquire(head: &mut Fields<'_>, items: Pieces<'_>) -> Option<Acquire> {
    let id = head.id()?;
    let lease = head.span()?;
    let read_slot = |from: &mut Fields<'_>| {
        Some(Slot {
            key: from.key()?,
            running: from.small()?,
            waiting: from.small()?,
            max_wait: from.span()?,
            enforce: from.number(0)? & SHADOW == 0,
            fair: from.optional()?,
        })
    };
    Some(Acquire {
        id,
        lease,
        items: items.items(MAX_ITEMS, read_slot)?,
    })
}
