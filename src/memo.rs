//! A small memory of what was computed lately.
//!
//! Direct-mapped: every key has one place, and whoever comes last has it. It never grows, a hit costs
//! one hash and one comparison, and whoever makes keys collide on purpose gains that things are
//! computed again.

/// Longer keys are not kept, so that a stranger's long value cannot hold much memory.
const LONGEST_KEY: usize = 160;

/// Values by the bytes that they were computed from.
#[derive(Clone, Debug)]
pub struct Memo<V> {
    places: Vec<Option<(Box<[u8]>, V)>>,
    most: usize,
}

impl<V: Clone> Memo<V> {
    /// Holds at most `most` values; takes no memory before the first.
    #[must_use]
    pub const fn new(most: usize) -> Memo<V> {
        Memo {
            places: Vec::new(),
            most,
        }
    }

    /// The value of `key`, where it is still here.
    #[must_use]
    pub fn get(&self, key: &[u8]) -> Option<V> {
        let (known, value) = self.places.get(self.place(key)?)?.as_ref()?;
        (**known == *key).then(|| value.clone())
    }

    /// Keeps a value in the place of whatever was there.
    pub fn put(&mut self, key: &[u8], value: V) {
        let Some(place) = self.place(key) else { return };
        if self.places.is_empty() {
            self.places.resize_with(self.most, || None);
        }
        if let Some(slot) = self.places.get_mut(place) {
            *slot = Some((key.into(), value));
        }
    }

    fn place(&self, key: &[u8]) -> Option<usize> {
        if self.most == 0 || key.len() > LONGEST_KEY {
            return None;
        }
        let most = u64::try_from(self.most).ok()?;
        usize::try_from(hash(key).checked_rem(most)?).ok()
    }
}

/// After FNV-1a (Fowler, Noll, Vo), eight bytes at a time while there are so many, and folded so that
/// the lower bits depend on all.
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for word in words.chain(rest) {
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3);
        hash ^= hash >> 32;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_place_is_kept_and_only_under_its_own_key() {
        let mut memo = Memo::new(1);
        assert_eq!(memo.get(b"a"), None);
        memo.put(b"a", 1);
        assert_eq!(memo.get(b"a"), Some(1));
        assert_eq!(memo.get(b"b"), None, "the place is shared, the key is not");
        memo.put(b"b", 2);
        assert_eq!((memo.get(b"a"), memo.get(b"b")), (None, Some(2)));
        memo.put(b"b", 3);
        assert_eq!(memo.get(b"b"), Some(3));
    }

    #[test]
    fn long_keys_are_not_kept() {
        let mut memo = Memo::new(8);
        let long = [7; LONGEST_KEY + 1];
        memo.put(&long, 1);
        assert_eq!(memo.get(&long), None);
        memo.put(&long[1..], 2);
        assert_eq!(memo.get(&long[1..]), Some(2));
    }

    #[test]
    fn keys_spread_over_the_places() {
        let mut memo = Memo::new(1024);
        let keys: Vec<String> = (0..256)
            .map(|n| format!("203.0.{}.{}", n / 16, n))
            .collect();
        keys.iter()
            .for_each(|key| memo.put(key.as_bytes(), key.len()));
        let kept = keys
            .iter()
            .filter(|key| memo.get(key.as_bytes()).is_some())
            .count();
        // Of 256 keys in 1,024 places some 28 share one; twice as many would be a poor hash.
        assert!(kept > 200, "{kept} of 256 are left");
    }

    #[test]
    fn a_memory_of_nothing_keeps_nothing() {
        let mut memo = Memo::new(0);
        memo.put(b"a", 1);
        assert_eq!(memo.get(b"a"), None);
    }
}
