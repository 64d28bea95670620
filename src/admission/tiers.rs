//! What this isolate knows of callers' tiers, for as long as the policy lets it.

use sha2::{Digest, Sha256};

use super::live::Read;
use crate::map::Sorted;
use crate::policy::TierSource;
use crate::policy::tier::Tier;
use crate::time::{Span, Timestamp};

/// Values remembered. At about 250 bytes each this is 1 MB at most.
const CAPACITY: usize = 4_096;
/// KV is asked again this long after it failed, or after a look-up that never reported.
const RETRY: Span = Span::from_secs(2);

/// Most bytes of a value in KV: a name or a small object.
pub const MAX_BYTES: usize = 4_096;

/// Tiers by source and value.
#[derive(Debug, Default)]
pub struct Tiers {
    known: Sorted<String, Known>,
}

#[derive(Debug)]
struct Known {
    tier: Tier,
    /// KV has the value: worth more room than one that anybody can make up.
    found: bool,
    fresh_until: Timestamp,
}

/// The key in KV: the lowercase hex SHA-256 of the value, so that no API key is stored.
#[must_use]
pub fn kv_key(value: &str) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(value.as_bytes()) {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
        }
    }
    out
}

impl Tiers {
    /// The tier as it is known, and whether it is stale.
    #[must_use]
    pub fn find(&self, source: &TierSource, value: &str, now: Timestamp) -> (Tier, bool) {
        match self.known.get(&name(source, value)) {
            Some(known) => (known.tier.clone(), known.fresh_until <= now),
            None => (Tier::Unknown, false),
        }
    }

    /// True for the one who is to look a stale tier up again; others use it meanwhile.
    pub fn claim(&mut self, source: &TierSource, value: &str, now: Timestamp) -> bool {
        match self.known.get_mut(&name(source, value)) {
            Some(known) if known.fresh_until <= now => {
                known.fresh_until = now + RETRY;
                true
            }
            _ => false,
        }
    }

    /// A request has waited as long as it may: it takes the last known tier, else the default.
    pub fn gave_up(&mut self, source: &TierSource, value: &str, now: Timestamp) {
        self.take_in(source, value, &Read::Failed, now);
    }

    /// Takes in what KV has.
    pub fn take_in(&mut self, source: &TierSource, value: &str, read: &Read, now: Timestamp) {
        let name = name(source, value);
        let (tier, found) = match read {
            Read::Text(text) => (Tier::read(text), true),
            Read::Absent | Read::TooLarge => (Tier::Named(String::new()), false),
            Read::Failed => {
                if let Some(known) = self.known.get_mut(&name) {
                    known.fresh_until = known.fresh_until.max(now + RETRY);
                    return;
                }
                (Tier::Named(String::new()), false)
            }
        };
        let cache = if *read == Read::Failed {
            RETRY.min(source.cache)
        } else {
            source.cache
        };
        if self.known.len() >= CAPACITY && self.known.get(&name).is_none() {
            self.make_room(now);
        }
        self.known.insert(
            name,
            Known {
                tier,
                found,
                fresh_until: now + cache,
            },
        );
    }

    /// Whoever makes up values must not push out those that KV has.
    fn make_room(&mut self, now: Timestamp) {
        self.known.retain(|known| now < known.fresh_until);
        if self.known.len() >= CAPACITY {
            self.known.retain(|known| known.found);
        }
        if self.known.len() >= CAPACITY {
            self.known = Sorted::default();
        }
    }
}

fn name(source: &TierSource, value: &str) -> String {
    let mut name = kv_key(value);
    name.push_str(&source.kv);
    name
}

#[cfg(test)]
mod tests;
