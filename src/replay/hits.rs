//! Who is hit, and how hard: counts for many names in bounded memory.

use std::hash::{Hash, Hasher};

/// Names kept at most. Beyond, the half that was hit least is forgotten.
const MOST: usize = 200_000;

/// What became of one name's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hits {
    /// Refused.
    pub refused: u64,
    /// Would have been refused by a rule in shadow.
    pub shadow: u64,
    /// Passed, those in shadow among them.
    pub passed: u64,
}

/// Hits by name: a list, and a table of hashes that says where in it a name is. A tree would be
/// asked twice for every line of a log, and each time miss the cache on every level.
#[derive(Clone, Debug)]
pub struct Table<K> {
    known: Vec<(K, Hits)>,
    /// Places in `known`, counted from 1, each at its name's hash or behind; a power of two, at most
    /// half full.
    places: Vec<u32>,
    /// Some names were forgotten: what is hit least may be missing.
    pub forgot: bool,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Table {
            known: Vec::new(),
            places: vec![0; 16],
            forgot: false,
        }
    }
}

impl<K: Ord + Hash> Table<K> {
    /// Adds to the hits of a name.
    pub fn add(&mut self, name: K, add: impl FnOnce(&mut Hits)) {
        let mut slot = self.slot(&name);
        if self.place(slot).is_none() {
            let full = self.known.len() >= MOST;
            if full {
                self.forget();
            }
            if full || self.known.len().saturating_mul(2) >= self.places.len() {
                self.index(self.known.len().saturating_mul(4));
                slot = self.slot(&name);
            }
            self.known.push((name, Hits::default()));
            if let Some(place) = self.places.get_mut(slot) {
                *place = u32::try_from(self.known.len()).unwrap_or(0);
            }
        }
        if let Some((_, hits)) = self.at(slot) {
            add(hits);
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &(K, Hits)> {
        self.known.iter()
    }

    /// Those that were hit, hardest first.
    #[must_use]
    pub fn top(&self, most: usize) -> Vec<(&K, Hits)> {
        let mut hit: Vec<_> = self
            .known
            .iter()
            .filter(|(_, hits)| hits.refused > 0 || hits.shadow > 0)
            .map(|(name, hits)| (name, *hits))
            .collect();
        hit.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        hit.truncate(most);
        hit
    }

    /// Where the name is, or would be.
    fn slot(&self, name: &K) -> usize {
        let mut hasher = Mix(0);
        name.hash(&mut hasher);
        let mask = self.places.len().saturating_sub(1);
        let mut slot = usize::try_from(hasher.finish() >> 32).unwrap_or(0) & mask;
        while let Some(place) = self.place(slot) {
            if self
                .known
                .get(place)
                .is_some_and(|(known, _)| known == name)
            {
                break;
            }
            slot = slot.wrapping_add(1) & mask;
        }
        slot
    }

    fn at(&mut self, slot: usize) -> Option<&mut (K, Hits)> {
        let place = self.place(slot)?;
        self.known.get_mut(place)
    }

    /// What is in a slot.
    fn place(&self, slot: usize) -> Option<usize> {
        let place = self.places.get(slot)?.checked_sub(1)?;
        usize::try_from(place).ok()
    }

    /// Makes the table of hashes anew, with room for `least` or more.
    fn index(&mut self, least: usize) {
        self.places = vec![0; least.max(16).next_power_of_two()];
        for (place, (name, _)) in (1_u32..).zip(&self.known) {
            let slot = self.slot(name);
            if let Some(free) = self.places.get_mut(slot) {
                *free = place;
            }
        }
    }

    fn forget(&mut self) {
        self.forgot = true;
        let mut hits: Vec<Hits> = self.known.iter().map(|(_, hits)| *hits).collect();
        hits.sort_unstable();
        let middle = hits.get(hits.len() / 2).copied().unwrap_or_default();
        self.known.retain(|(_, hits)| *hits > middle);
        // All alike.
        if self.known.len() >= MOST {
            self.known.clear();
        }
    }
}

/// Quick rather than secret: whoever has chosen names of a log to collide makes its replay slow.
struct Mix(u64);

impl Mix {
    fn word(&mut self, word: u64) {
        let sum = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = sum ^ (sum >> 32);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0xBF58_476D_1CE4_E5B9)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let tail = rest
                .iter()
                .fold(0, |tail, byte| tail << 8 | u64::from(*byte));
            self.word(tail);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.word(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.word(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.word(u64::try_from(number).unwrap_or(0));
    }

    fn write_isize(&mut self, number: isize) {
        self.word(u64::try_from(number).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardest_hit_survive_any_number_of_others() {
        let mut table = Table::default();
        table.add(0, |hits| hits.refused = 5);
        for name in 1..1_000_000_u32 {
            table.add(name, |hits| hits.passed += 1);
        }
        assert!(table.forgot);
        assert!(table.all().count() <= MOST);
        assert_eq!(
            table.top(3),
            [(
                &0,
                Hits {
                    refused: 5,
                    shadow: 0,
                    passed: 0
                }
            )]
        );
    }

    #[test]
    fn as_many_hits_as_were_added_and_ties_by_name() {
        let mut table = Table::default();
        for round in 0..3_u64 {
            for name in (0..5_000_u32).rev() {
                table.add(name, |hits| hits.refused += round);
            }
        }
        assert!(!table.forgot);
        assert_eq!(table.all().count(), 5_000);
        assert!(table.all().all(|(_, hits)| hits.refused == 3));
        let top: Vec<u32> = table.top(3).into_iter().map(|(name, _)| *name).collect();
        assert_eq!(top, [0, 1, 2]);
    }
}
