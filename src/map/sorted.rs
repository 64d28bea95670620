//! A map for names: a sorted list.

use std::borrow::Borrow;

/// A map that is built once or seldom changed: entries sorted by key. Adding and removing moves
/// what stands behind.
#[derive(Clone, Debug)]
pub struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Sorted(Vec::new())
    }
}

impl<K: Borrow<str>, V> Sorted<K, V> {
    /// A map of these entries. Where keys are equal, all are kept and any may be found.
    #[must_use]
    pub fn of(mut entries: Vec<(K, V)>) -> Self {
        super::sort_by(&mut entries, |one, other| one.0.borrow() < other.0.borrow());
        Sorted(entries)
    }

    /// A key that more than one entry has.
    #[must_use]
    pub fn repeated(&self) -> Option<&K> {
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        let mut same = pairs.filter(|(one, other)| one.0.borrow() == other.0.borrow());
        same.next().map(|((key, _), _)| key)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True where there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key's value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&V> {
        let place = self.find(key).ok()?;
        self.0.get(place).map(|(_, value)| value)
    }

    /// The key's value, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        let place = self.find(key).ok()?;
        self.0.get_mut(place).map(|(_, value)| value)
    }

    /// Sets the key's value; gives the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(key.borrow()) {
            Ok(place) => {
                let (_, old) = self.0.get_mut(place)?;
                Some(std::mem::replace(old, value))
            }
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// The key's value, the default where there is none. It is always there.
    pub fn get_or_default(&mut self, key: K) -> Option<&mut V>
    where
        V: Default,
    {
        let place = match self.find(key.borrow()) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, V::default()));
                place
            }
        };
        self.0.get_mut(place).map(|(_, value)| value)
    }

    /// Takes the key's value out.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let place = self.find(key).ok()?;
        Some(self.0.remove(place).1)
    }

    /// Keeps the values that `keep` holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(&V) -> bool) {
        self.0.retain(|(_, value)| keep(value));
    }

    /// The entries in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The values in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.borrow().cmp(key))
    }
}
