use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Key, Map, Set, Sorted};
use crate::time::Timestamp;
use crate::wire::{CallId, CounterKey};

#[track_caller]
fn check_order<K: Key + Ord + std::fmt::Debug>(mut keys: Vec<K>) {
    for key in &keys {
        assert_eq!(K::from_words(key.words()), *key, "a key comes back");
    }
    let mut by_words = keys.clone();
    by_words.sort_by_key(|key| key.words());
    keys.sort();
    assert_eq!(by_words, keys, "words sort as keys do");
}

fn at() -> impl Strategy<Value = Timestamp> {
    any::<u64>().prop_map(Timestamp::from_micros)
}

fn counter() -> impl Strategy<Value = CounterKey> {
    any::<[u8; 16]>().prop_map(CounterKey)
}

fn many<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(one, 0..20)
}

proptest! {
    #[test]
    fn words_keep_the_order_of_keys(
        words in many(any::<u64>()),
        values in many(any::<Option<u64>>()),
        ids in many(any::<u64>().prop_map(CallId)),
        counters in many(counter()),
        timed_ids in many((at(), any::<u64>().prop_map(CallId))),
        timed_words in many((at(), any::<u64>())),
        timed_counters in many((at(), counter())),
    ) {
        check_order(words);
        check_order(values);
        check_order(ids);
        check_order(counters);
        check_order(timed_ids);
        check_order(timed_words);
        check_order(timed_counters);
    }

    #[test]
    fn a_map_does_what_a_tree_map_does(steps in prop::collection::vec((0_u8..7, 0_u64..40, any::<u16>()), 0..300)) {
        let mut map: Map<u64, u16> = Map::new();
        let mut model: BTreeMap<u64, u16> = BTreeMap::new();
        for (step, key, value) in steps {
            match step {
                0 | 1 => prop_assert_eq!(map.insert(key, value), model.insert(key, value)),
                2 => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                3 => prop_assert_eq!(
                    *map.get_or_insert_with(key, || value),
                    *model.entry(key).or_insert(value)
                ),
                4 => prop_assert_eq!(map.pop_first(), model.pop_first()),
                5 => {
                    map.retain(|_, kept| *kept % 3 != 0);
                    model.retain(|_, kept| *kept % 3 != 0);
                }
                _ => {
                    if let Some(changed) = map.get_mut(&key) {
                        *changed = value;
                    }
                    if let Some(changed) = model.get_mut(&key) {
                        *changed = value;
                    }
                }
            }
            prop_assert_eq!(map.len(), model.len());
            prop_assert_eq!(map.get(&key), model.get(&key));
            prop_assert_eq!(map.contains_key(&key), model.contains_key(&key));
            let mut to = Some(key);
            let next: Vec<_> = model.range(key + 1..).take(3).collect();
            let over = next.iter().filter(|(_, value)| **value % 2 == 0);
            prop_assert_eq!(
                map.sweep(&mut to, 3, |value| value % 2 == 0),
                over.map(|(key, _)| **key).collect::<Vec<_>>()
            );
            let last = next.last().map(|(key, _)| **key);
            prop_assert_eq!(to, last.filter(|_| next.len() == 3), "and then from the start");
            let all: Vec<(u64, u16)> = map.iter().map(|(key, value)| (key, *value)).collect();
            prop_assert_eq!(all, model.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_set_does_what_a_tree_set_does(steps in prop::collection::vec((0_u8..4, 0_u64..40), 0..200)) {
        let mut set: Set<u64> = Set::new();
        let mut model: BTreeSet<u64> = BTreeSet::new();
        for (step, key) in steps {
            match step {
                0 | 1 => prop_assert_eq!(set.insert(key), model.insert(key)),
                2 => prop_assert_eq!(set.remove(&key), model.remove(&key)),
                _ => prop_assert_eq!(set.pop_first(), model.pop_first()),
            }
            prop_assert_eq!(set.first(), model.first().copied());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), model.iter().copied().collect::<Vec<_>>());
        }
    }
}

#[test]
fn places_are_used_again() {
    let mut map: Map<u64, u64> = Map::new();
    for round in 0..1_000_u64 {
        map.insert(round, round);
        if round >= 10 {
            map.remove(&(round - 10));
        }
    }
    assert!(map.values.len() <= 12, "{} places", map.values.len());
}

#[test]
fn names_are_found_again() {
    let mut map: Sorted<String, u32> = Sorted::default();
    for (place, name) in (0_u32..).zip(["b", "", "abc", "a"]) {
        assert_eq!(map.insert(name.to_owned(), place), None);
    }
    assert_eq!(map.insert("b".to_owned(), 9), Some(0));
    assert_eq!(map.get(""), Some(&1));
    assert_eq!(map.get("b"), Some(&9));
    assert_eq!(map.get("ab"), None);
    assert_eq!(map.values().copied().collect::<Vec<_>>(), [1, 3, 2, 9]);
    assert_eq!(map.remove("a"), Some(3));
    assert_eq!(map.remove("a"), None);
    map.retain(|value| *value != 2);
    assert_eq!(map.len(), 2);
}
