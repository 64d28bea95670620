//! A set on the tree of [`super::Map`].

use std::fmt;
use std::marker::PhantomData;

use super::{Key, Places, place_or, take_out};

/// A `BTreeSet` for small keys, which it gives back by value.
#[derive(Clone, PartialEq, Eq)]
pub struct Set<K> {
    places: Places,
    keys: PhantomData<K>,
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Set {
            places: Places::new(),
            keys: PhantomData,
        }
    }
}

impl<K: Key> Set<K> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Puts a key in; false where it was in already.
    pub fn insert(&mut self, key: K) -> bool {
        let before = self.places.len();
        place_or(&mut self.places, key.words(), 0);
        self.places.len() > before
    }

    /// Takes a key out; false where it was not in.
    pub fn remove(&mut self, key: &K) -> bool {
        take_out(&mut self.places, key.words()).is_some()
    }

    /// The least key.
    #[must_use]
    pub fn first(&self) -> Option<K> {
        let (words, _) = self.places.first_key_value()?;
        Some(K::from_words(*words))
    }

    /// Takes the least key out.
    pub fn pop_first(&mut self) -> Option<K> {
        let first = self.first()?;
        self.remove(&first);
        Some(first)
    }

    /// The keys in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.places.keys().map(|words| K::from_words(*words))
    }
}

impl<K: Key + fmt::Debug> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
