//! Ordered maps and sets of which the compiler makes one copy.
//!
//! A `BTreeMap` is some ten kilobytes of Wasm for every pair of types. The crate has a score of
//! them, nearly all with keys of a few machine words, so here the tree is always one from three
//! words to a place in a list of values. The keys keep their own order: [`Key::words`] must.

mod key;
mod order;
mod set;
mod sorted;

pub use key::{Key, Words};
pub use order::sort_by;
pub use set::Set;
pub use sorted::Sorted;

use std::collections::BTreeMap;
use std::collections::btree_map::Range;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Bound;

/// The tree that all maps and sets share the code of.
type Places = BTreeMap<Words, u32>;

/// A `BTreeMap` for small keys, which it gives back by value.
#[derive(Clone)]
pub struct Map<K, V> {
    places: Places,
    values: Vec<Option<V>>,
    free: Vec<u32>,
    keys: PhantomData<K>,
}

/// Beyond this many places, a list that has become empty is given back to the allocator.
const KEPT_PLACES: usize = 64;

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map {
            places: Places::new(),
            values: Vec::new(),
            free: Vec::new(),
            keys: PhantomData,
        }
    }
}

impl<K: Key, V> Map<K, V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True where there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// True where the key has a value.
    #[must_use]
    pub fn contains_key(&self, key: &K) -> bool {
        place_of(&self.places, key.words()).is_some()
    }

    /// The key's value.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        at(&self.values, place_of(&self.places, key.words())?)
    }

    /// The key's value, to change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = place_of(&self.places, key.words())?;
        self.values.get_mut(index(place))?.as_mut()
    }

    /// The key's value, made by `make` where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = self.place_for(key);
        #[expect(
            clippy::indexing_slicing,
            reason = "every place in the tree is within the list"
        )]
        self.values[index(place)].get_or_insert_with(make)
    }

    /// Sets the key's value; gives the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let place = self.place_for(key);
        self.values.get_mut(index(place))?.replace(value)
    }

    /// Takes the key's value out.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let place = take_out(&mut self.places, key.words())?;
        let value = self.values.get_mut(index(place))?.take();
        self.give_back(place);
        value
    }

    /// Takes the first entry out.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        let (key, _) = self.first_key_value()?;
        Some((key, self.remove(&key)?))
    }

    /// The entry with the least key.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(K, &V)> {
        let (words, place) = self.places.first_key_value()?;
        Some((K::from_words(*words), at(&self.values, *place)?))
    }

    /// The entries in the order of the keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.places
            .iter()
            .filter_map(|(words, place)| Some((K::from_words(*words), at(&self.values, *place)?)))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> {
        self.places.keys().map(|words| K::from_words(*words))
    }

    /// The values in the order of the keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The keys of which `is_over` holds, among the next `count` behind `swept_to`, which is moved on;
    /// from the last one back to the first.
    pub fn sweep(
        &self,
        swept_to: &mut Option<K>,
        count: usize,
        is_over: impl Fn(&V) -> bool,
    ) -> Vec<K> {
        let mut over = Vec::new();
        let mut entries = from(&self.places, swept_to.take().map(K::words));
        for _ in 0..count {
            let Some((words, place)) = entries.next() else {
                *swept_to = None;
                break;
            };
            let key = K::from_words(*words);
            *swept_to = Some(key);
            if at(&self.values, *place).is_some_and(&is_over) {
                over.push(key);
            }
        }
        over
    }

    /// Keeps the entries that `keep` holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(K, &mut V) -> bool) {
        let mut over = Vec::new();
        for (words, place) in &self.places {
            if let Some(Some(value)) = self.values.get_mut(index(*place))
                && !keep(K::from_words(*words), value)
            {
                over.push(K::from_words(*words));
            }
        }
        for key in over {
            self.remove(&key);
        }
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The place of the key, which is given one where it has none.
    fn place_for(&mut self, key: K) -> u32 {
        // Every map is bounded far below 2^32.
        let end = || u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let next = self.free.last().copied().unwrap_or_else(end);
        let place = place_or(&mut self.places, key.words(), next);
        if place == next && self.free.pop().is_none() {
            self.values.push(None);
        }
        place
    }

    fn give_back(&mut self, place: u32) {
        if !self.places.is_empty() {
            self.free.push(place);
        } else if self.values.len() > KEPT_PLACES {
            self.clear();
        } else {
            self.values.clear();
            self.free.clear();
        }
    }
}

/// By entries, wherever their values are kept.
impl<K: Key + PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Key + Eq, V: Eq> Eq for Map<K, V> {}

impl<K: Key + fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

fn at<V>(values: &[Option<V>], place: u32) -> Option<&V> {
    values.get(index(place))?.as_ref()
}

#[inline(never)]
fn place_of(places: &Places, words: Words) -> Option<u32> {
    places.get(&words).copied()
}

/// The words' place, which is `next` where they have had none.
#[inline(never)]
fn place_or(places: &mut Places, words: Words, next: u32) -> u32 {
    *places.entry(words).or_insert(next)
}

#[inline(never)]
fn take_out(places: &mut Places, words: Words) -> Option<u32> {
    places.remove(&words)
}

#[inline(never)]
fn from(places: &Places, after: Option<Words>) -> Range<'_, Words, u32> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    places.range((from, Bound::Unbounded))
}

#[cfg(test)]
mod tests;
