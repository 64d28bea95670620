//! Keys of a few machine words.

use crate::time::Timestamp;
use crate::wire::{CallId, CounterKey};

/// A key as three words, compared in turn; not an array, whose comparison is a loop of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Words(pub u64, pub u64, pub u64);

/// A key of a few words.
pub trait Key: Copy {
    /// The key as words, in the order of the keys.
    fn words(self) -> Words;
    /// The key again.
    fn from_words(words: Words) -> Self;
}

impl Key for u64 {
    fn words(self) -> Words {
        Words(self, 0, 0)
    }
    fn from_words(Words(word, ..): Words) -> Self {
        word
    }
}

impl Key for Option<u64> {
    fn words(self) -> Words {
        self.map_or(Words(0, 0, 0), |word| Words(1, word, 0))
    }
    fn from_words(Words(some, word, _): Words) -> Self {
        (some == 1).then_some(word)
    }
}

impl Key for CallId {
    fn words(self) -> Words {
        Words(self.0, 0, 0)
    }
    fn from_words(Words(id, ..): Words) -> Self {
        CallId(id)
    }
}

impl Key for CounterKey {
    fn words(self) -> Words {
        let all = u128::from_be_bytes(self.0);
        Words(high(all), low(all), 0)
    }
    fn from_words(Words(first, second, _): Words) -> Self {
        let all = u128::from(first) << 64 | u128::from(second);
        CounterKey(all.to_be_bytes())
    }
}

impl Key for (Timestamp, CallId) {
    fn words(self) -> Words {
        Words(self.0.as_micros(), self.1.0, 0)
    }
    fn from_words(Words(at, id, _): Words) -> Self {
        (Timestamp::from_micros(at), CallId(id))
    }
}

impl Key for (Timestamp, u64) {
    fn words(self) -> Words {
        Words(self.0.as_micros(), self.1, 0)
    }
    fn from_words(Words(at, word, _): Words) -> Self {
        (Timestamp::from_micros(at), word)
    }
}

impl Key for (Timestamp, CounterKey) {
    fn words(self) -> Words {
        let Words(first, second, _) = self.1.words();
        Words(self.0.as_micros(), first, second)
    }
    fn from_words(Words(at, first, second): Words) -> Self {
        let key = CounterKey::from_words(Words(first, second, 0));
        (Timestamp::from_micros(at), key)
    }
}

fn high(all: u128) -> u64 {
    (all >> 64) as u64
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
fn low(all: u128) -> u64 {
    all as u64
}
