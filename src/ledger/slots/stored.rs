//! The stored form of what runs. Frozen: a new form gets a new version, and old ones stay readable.
//!
//! Version 1, integers big-endian: version (1 byte), number of calls (4), then for each call its id
//! (8), the end of its lease in microseconds since the epoch (8), its lease, how long it waited and
//! since when it runs in microseconds (8 each), the number of its keys (1) and the keys (16 each).

use super::held::{Held, capped};
use super::{MAX_CALLS, MAX_ITEMS, Slots};
use crate::time::{Span, Timestamp};
use crate::wire::{CallId, CounterKey};

const VERSION: u8 = 1;

impl Slots {
    /// What runs at `now`, for [`restore`](Self::restore). Waiters are left out: their connections
    /// end with the object.
    #[must_use]
    pub fn snapshot(&self, now: Timestamp) -> Vec<u8> {
        let held: Vec<_> = self
            .holds
            .iter()
            .filter(|(_, held)| held.until > now)
            .collect();
        let mut out = vec![VERSION];
        out.extend(u32::try_from(held.len()).unwrap_or(u32::MAX).to_be_bytes());
        for (id, held) in held {
            out.extend(id.0.to_be_bytes());
            out.extend(held.until.as_micros().to_be_bytes());
            out.extend(held.lease.as_micros().to_be_bytes());
            out.extend(held.waited.as_micros().to_be_bytes());
            out.extend(held.since.as_micros().to_be_bytes());
            out.push(u8::try_from(held.keys.len()).unwrap_or(u8::MAX));
            for key in &held.keys {
                out.extend(key.0);
            }
        }
        out
    }

    /// From a snapshot. Leases that ended meanwhile are left out, and none lasts longer than if it
    /// were renewed now, should the clock have been set back. None where the bytes are damaged or
    /// of an unknown version: then the caller starts anew, and slots in use are not counted until
    /// the calls that hold them end.
    #[must_use]
    pub fn restore(bytes: &[u8], now: Timestamp) -> Option<Slots> {
        let mut rest = bytes;
        if take::<1>(&mut rest)? != [VERSION] {
            return None;
        }
        let count = usize::try_from(u32::from_be_bytes(take(&mut rest)?)).ok()?;
        if count > MAX_CALLS {
            return None;
        }
        let mut slots = Slots::new();
        for _ in 0..count {
            let (id, held) = call(&mut rest)?;
            if slots.holds.get(id).is_some() {
                return None;
            }
            let until = held.until.min(now + held.lease);
            if until > now {
                slots.hold(id, Held { until, ..held });
            }
        }
        slots.revision = 0;
        rest.is_empty().then_some(slots)
    }

    /// Changes whenever a snapshot would: one that was taken at the same revision is still good.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// When the last lease ends, if nothing is renewed; None where nothing runs.
    #[must_use]
    pub fn last_lapse(&self) -> Option<Timestamp> {
        self.holds.iter().map(|(_, held)| held.until).max()
    }

    /// Does anything run since `then` or longer? What ends soon needs no row: the object cannot
    /// leave memory meanwhile.
    #[must_use]
    pub fn runs_since(&self, then: Timestamp) -> bool {
        self.holds.iter().any(|(_, held)| held.since <= then)
    }
}

fn call(rest: &mut &[u8]) -> Option<(CallId, Held)> {
    let id = CallId(number(rest)?);
    let until = Timestamp::from_micros(number(rest)?);
    let lease = capped(Span::from_micros(number(rest)?));
    let waited = Span::from_micros(number(rest)?);
    let since = Timestamp::from_micros(number(rest)?);
    let [count] = take(rest)?;
    if usize::from(count) > MAX_ITEMS {
        return None;
    }
    let mut keys = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let key = CounterKey(take(rest)?);
        if keys.contains(&key) {
            return None;
        }
        keys.push(key);
    }
    let held = Held {
        keys,
        waited,
        since,
        lease,
        until,
    };
    Some((id, held))
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    take(rest).map(u64::from_be_bytes)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}
