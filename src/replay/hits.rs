//! Who is hit, and how hard: counts for many names in bounded memory.

use std::collections::BTreeMap;

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

/// Hits by name.
#[derive(Clone, Debug)]
pub struct Table<K> {
    known: BTreeMap<K, Hits>,
    /// Some names were forgotten: what is hit least may be missing.
    pub forgot: bool,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Table {
            known: BTreeMap::new(),
            forgot: false,
        }
    }
}

impl<K: Ord + Clone> Table<K> {
    /// The hits of a name.
    pub fn of(&mut self, name: K) -> &mut Hits {
        if self.known.len() >= MOST && !self.known.contains_key(&name) {
            self.forget();
        }
        self.known.entry(name).or_default()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = (&K, &Hits)> {
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
        hit.sort_by_key(|(_, hits)| std::cmp::Reverse(*hits));
        hit.truncate(most);
        hit
    }

    fn forget(&mut self) {
        self.forgot = true;
        let mut hits: Vec<Hits> = self.known.values().copied().collect();
        hits.sort_unstable();
        let middle = hits.get(hits.len() / 2).copied().unwrap_or_default();
        self.known.retain(|_, hits| *hits > middle);
        // All alike.
        if self.known.len() >= MOST {
            self.known.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardest_hit_survive_any_number_of_others() {
        let mut table = Table::default();
        table.of(0).refused = 5;
        for name in 1..1_000_000_u32 {
            table.of(name).passed += 1;
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
}
