//! The sums of all isolates: counters since the object came into memory, and what happened lately.

use crate::map::Sorted;
use serde_json::{Value, json};

use super::exposition;
use super::ring::{Counts, Ring};
use crate::time::Timestamp;

/// Series kept.
const MAX_SERIES: usize = 16_384;
/// Networks of refusals that metrics tell apart.
const MAX_NETWORKS: usize = 512;
/// Rules, networks, keys and slots kept, each.
const MAX_NAMED: usize = 256;
/// Rows that the console is given, each.
const SHOWN: usize = 25;
/// The recent past: a quarter of an hour in steps of five seconds, and six hours in steps of two
/// minutes.
const FINE: (u64, usize) = (5, 180);
const COARSE: (u64, usize) = (120, 180);
/// Steps of a minute, by which the console judges who is refused now; and of what still fails.
const MINUTE: u64 = 12;
const FAILING: u64 = 6;

/// A slot's counter, and the object that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotSeen {
    /// The rule.
    pub rule: String,
    /// The concurrency limit.
    pub name: String,
    /// The object.
    pub object: String,
    /// The counter, as `CounterKey` displays.
    pub key: String,
}

/// The sums.
#[derive(Debug, Default)]
pub struct Totals {
    series: Sorted<String, Vec<u64>>,
    networks_told: usize,
    lost: u64,
    rules: Vec<(String, Ring, Ring)>,
    /// `rule\tasn\tcountry`: passed, refused.
    networks: Vec<(String, Ring)>,
    /// `kind\tlimit\tkey\tasn\tcountry`: how often.
    keys: Vec<(String, Ring)>,
    slots: Vec<SlotSeen>,
}

impl Totals {
    /// Adds a report. Lines that make no sense are counted as lost.
    pub fn merge(&mut self, report: &str, now: Timestamp) {
        for line in report.lines() {
            if self.line(line, now).is_none() {
                self.lost = self.lost.saturating_add(1);
            }
        }
    }

    fn line(&mut self, line: &str, now: Timestamp) -> Option<()> {
        let (kind, rest) = line.split_once('\t')?;
        let (name, numbers) = rest.rsplit_once('\t')?;
        if kind == "s" {
            return self.slot(rest);
        }
        let numbers: Vec<u64> = numbers
            .split(' ')
            .map(|number| number.parse().ok())
            .collect::<Option<_>>()?;
        let count = |place: usize| numbers.get(place).copied().unwrap_or(0);
        match kind {
            "c" => {
                let (family, labels) = name.split_once('\t')?;
                self.add(format!("{family}{{{labels}}}"), &numbers)?;
            }
            "r" => {
                let counts = [count(0), count(1), count(2), count(3)];
                if !self.rules.iter().any(|(known, ..)| known == name) {
                    if self.rules.len() >= MAX_NAMED {
                        return None;
                    }
                    let ring = |(step_s, steps)| Ring::new(step_s, steps);
                    self.rules.push((name.to_owned(), ring(FINE), ring(COARSE)));
                }
                let (_, fine, coarse) = self.rules.iter_mut().find(|(known, ..)| known == name)?;
                fine.add(now, counts);
                coarse.add(now, counts);
            }
            "n" => {
                let counts = [count(0), count(1), 0, 0];
                named(&mut self.networks, name, counts, now);
                let mut parts = name.split('\t');
                let (rule, asn, country) = (parts.next()?, parts.next()?, parts.next()?);
                if count(1) > 0 {
                    self.network(rule, asn, country, count(1))?;
                }
            }
            "k" => named(&mut self.keys, name, [count(0), 0, 0, 0], now),
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, key: String, numbers: &[u64]) -> Option<()> {
        if self.series.len() >= MAX_SERIES && self.series.get(&key).is_none() {
            return None;
        }
        let values = self.series.get_or_default(key)?;
        if values.len() < numbers.len() {
            values.resize(numbers.len().min(16), 0);
        }
        for (sum, number) in values.iter_mut().zip(numbers) {
            *sum = sum.saturating_add(*number);
        }
        Some(())
    }

    /// Refusals by network; beyond the bound all under one name.
    fn network(&mut self, rule: &str, asn: &str, country: &str, refused: u64) -> Option<()> {
        let key = |asn: &str, country: &str| {
            format!(
                "weir_refusals_by_network_total{{rule=\"{rule}\",asn=\"{asn}\",country=\"{country}\"}}"
            )
        };
        let mut wanted = key(asn, country);
        if self.series.get(&wanted).is_none() {
            if self.networks_told >= MAX_NETWORKS {
                wanted = key("other", "other");
            } else {
                self.networks_told = self.networks_told.saturating_add(1);
            }
        }
        self.add(wanted, &[refused])
    }

    fn slot(&mut self, rest: &str) -> Option<()> {
        let mut parts = rest.split('\t').map(str::to_owned);
        let seen = SlotSeen {
            rule: parts.next()?,
            name: parts.next()?,
            object: parts.next()?,
            key: parts.next()?,
        };
        self.slots.retain(|known| known.key != seen.key);
        if self.slots.len() >= MAX_NAMED {
            self.slots.remove(0);
        }
        self.slots.push(seen);
        Some(())
    }

    /// The slots seen lately, the latest last: a line each.
    #[must_use]
    pub fn slots(&self) -> String {
        let lines = self.slots.iter().map(|slot| {
            format!(
                "{}\t{}\t{}\t{}\n",
                slot.rule, slot.name, slot.object, slot.key
            )
        });
        lines.collect()
    }

    /// Reads what [`Totals::slots`] wrote.
    #[must_use]
    pub fn read_slots(lines: &str) -> Vec<SlotSeen> {
        let mut totals = Totals::default();
        for line in lines.lines() {
            let _ = totals.slot(line);
        }
        totals.slots
    }

    /// All counters in Prometheus' text format.
    #[must_use]
    pub fn metrics(&mut self) -> String {
        if self.lost > 0 {
            self.series
                .insert("weir_telemetry_lost_total{}".to_owned(), vec![self.lost]);
        }
        exposition::render(&self.series)
    }

    /// The limits whose counters could not be reached in the last half minute.
    #[must_use]
    pub fn failing(&self, now: Timestamp) -> Value {
        let failing = self.keys.iter().filter_map(|(name, ring)| {
            let mut parts = name.split('\t');
            let how = match parts.next()? {
                "o" => "open",
                "c" => "closed",
                _ => return None,
            };
            let [requests, ..] = ring.sum(now, FAILING);
            (requests > 0)
                .then(|| json!({ "limit": parts.next(), "how": how, "requests": requests }))
        });
        Value::Array(failing.collect())
    }

    /// What the console shows.
    #[must_use]
    pub fn live(&self, now: Timestamp) -> Value {
        let rules: Vec<_> = self
            .rules
            .iter()
            .map(|(name, fine, coarse)| {
                json!({
                    "rule": name,
                    "minute": fine.sum(now, MINUTE),
                    "fine": fine.all(now),
                    "coarse": coarse.all(now),
                })
            })
            .collect();
        json!({
            "now": now.as_millis_ceil(),
            "fine_s": FINE.0,
            "coarse_s": COARSE.0,
            "rules": rules,
            "networks": top(&self.networks, now, |parts, [passed, refused, ..]| json!({
                "rule": parts.first(), "asn": parts.get(1), "country": parts.get(2),
                "passed": passed, "refused": refused,
            })),
            "keys": top(&self.keys, now, |parts, [times, ..]| json!({
                "kind": parts.first(), "limit": parts.get(1), "key": parts.get(2),
                "asn": parts.get(3), "country": parts.get(4), "times": times,
            })),
            "failing": self.failing(now),
        })
    }
}

/// Adds to a named ring; at the bound the one with the least of late makes room.
fn named(list: &mut Vec<(String, Ring)>, name: &str, counts: Counts, now: Timestamp) {
    if let Some((_, ring)) = list.iter_mut().find(|(known, _)| known == name) {
        return ring.add(now, counts);
    }
    if list.len() >= MAX_NAMED {
        let least = (0..list.len()).min_by_key(|place| {
            list.get(*place)
                .map(|(_, ring)| weight(ring.sum(now, MINUTE)))
        });
        if let Some(place) = least {
            list.swap_remove(place);
        }
    }
    let mut ring = Ring::new(FINE.0, usize::try_from(MINUTE).unwrap_or(1));
    ring.add(now, counts);
    list.push((name.to_owned(), ring));
}

/// Refusals first, and what passed after them.
fn weight([first, second, ..]: Counts) -> (u64, u64) {
    (second, first)
}

fn top(
    list: &[(String, Ring)],
    now: Timestamp,
    shown: impl Fn(&[&str], Counts) -> Value,
) -> Vec<Value> {
    let mut found: Vec<_> = list
        .iter()
        .map(|(name, ring)| (ring.sum(now, MINUTE), name))
        .filter(|(counts, _)| weight(*counts) > (0, 0))
        .collect();
    found.sort_by_key(|(counts, _)| std::cmp::Reverse(weight(*counts)));
    found
        .iter()
        .take(SHOWN)
        .map(|(counts, name)| shown(&name.split('\t').collect::<Vec<_>>(), *counts))
        .collect()
}

#[cfg(test)]
mod tests;
