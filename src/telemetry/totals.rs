//! The sums of all isolates: counters since they began, and what happened lately.
//!
//! They travel and are stored as lines of text: fields between tabs, the last of which is numbers.
//! A report (see `Sums`) says what happened since the one before. [`Totals::write`] says everything
//! that is known, and reading that into other totals adds it up.

mod live;

use super::ring::{Counts, Ring};
use super::{Outcome, exposition};
use crate::map::Sorted;
use crate::policy::Policy;
use crate::text;
use crate::time::Timestamp;

/// Series kept.
const MAX_SERIES: usize = 16_384;
/// Networks of refusals that one object tells apart in metrics.
const MAX_NETWORKS: usize = 512;
/// Rules, networks, keys and slots kept, each.
const MAX_NAMED: usize = 256;
/// The recent past: a quarter of an hour in steps of five seconds, and six hours in steps of two
/// minutes.
const FINE: (u64, usize) = (5, 180);
const COARSE: (u64, usize) = (120, 180);
/// Steps of a minute, by which the console judges who is refused now.
const MINUTE: usize = 12;

/// What every limit can come to.
const FORESEEN: [Outcome; 5] = [
    Outcome::Passed,
    Outcome::Refused,
    Outcome::Shadow,
    Outcome::FailedOpen,
    Outcome::FailedClosed,
];
/// Series that are there from the start.
const ALWAYS: [&str; 6] = [
    "weir_object_calls_total{kind=\"charge\"}",
    "weir_object_retries_total{reason=\"failed\"}",
    "weir_object_retries_total{reason=\"provisional\"}",
    "weir_rows_written_total{}",
    "weir_storage_faults_total{}",
    "weir_telemetry_lost_total{}",
];

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

/// Rings by name.
type Rings = Vec<(String, Ring)>;

/// The sums.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// By `family{labels}`.
    series: Sorted<String, Vec<u64>>,
    networks_told: usize,
    /// By rule; `*` is every request once.
    fine: Rings,
    coarse: Rings,
    /// `rule\tasn\tcountry`: passed, refused.
    networks: Rings,
    /// `rule\tlimit\twhat\tkey\tasn\tcountry\tobject\task`: how often.
    keys: Rings,
    slots: Vec<SlotSeen>,
}

impl Totals {
    /// Adds a report, or what other totals wrote. Lines that make no sense are counted as lost.
    pub fn merge(&mut self, lines: &str, now: Timestamp) {
        for line in lines.lines() {
            if self.line(line, now).is_none() {
                let lost = "weir_telemetry_lost_total{}".to_owned();
                let _ = self.add(lost, &[1]);
            }
        }
    }

    fn line(&mut self, line: &str, now: Timestamp) -> Option<()> {
        let (kind, rest) = line.split_once('\t')?;
        let (name, numbers) = rest.rsplit_once('\t')?;
        let numbers: Vec<u64> = numbers
            .split(' ')
            .map(|number| number.parse().ok())
            .collect::<Option<_>>()?;
        let counts = |from: &[u64]| -> Counts {
            std::array::from_fn(|place| from.get(place).copied().unwrap_or(0))
        };
        let mut parts = name.split('\t');
        match kind {
            "c" => {
                let (family, labels) = name.split_once('\t')?;
                self.add(text::join(&[family, "{", labels, "}"], ""), &numbers)?;
            }
            "requests" => {
                let names = ["rule", "limit", "outcome", "tier"];
                self.add(key(REQUESTS, &names, parts), &numbers)?;
            }
            "rule" => {
                for (rings, size) in [(&mut self.fine, FINE), (&mut self.coarse, COARSE)] {
                    ring(rings, name, size, now)?.add(now, counts(&numbers));
                }
            }
            "network" => {
                place(&mut self.networks, name, now)?.add(now, counts(&numbers));
                let refused = numbers.get(1).copied().unwrap_or(0);
                if refused > 0 {
                    self.network(name, refused)?;
                }
            }
            "key" => place(&mut self.keys, name, now)?.add(now, counts(&numbers)),
            "slots" => {
                let mut part = || parts.next().map(str::to_owned);
                self.slot(SlotSeen {
                    rule: part()?,
                    name: part()?,
                    object: part()?,
                    key: part()?,
                });
            }
            "fine" => ring(&mut self.fine, name, FINE, now)?.merge(&numbers, now),
            "coarse" => ring(&mut self.coarse, name, COARSE, now)?.merge(&numbers, now),
            "networks" => place(&mut self.networks, name, now)?.merge(&numbers, now),
            "keys" => place(&mut self.keys, name, now)?.merge(&numbers, now),
            _ => return None,
        }
        Some(())
    }

    fn add(&mut self, key: String, numbers: &[u64]) -> Option<()> {
        let known = self.series.get(&key).is_some();
        if !known && self.series.len() >= MAX_SERIES {
            return None;
        }
        if !known && key.starts_with(BY_NETWORK) {
            self.networks_told = self.networks_told.saturating_add(1);
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
    fn network(&mut self, name: &str, refused: u64) -> Option<()> {
        let names = ["rule", "asn", "country"];
        let mut wanted = key(BY_NETWORK, &names, name.split('\t'));
        if self.networks_told >= MAX_NETWORKS && self.series.get(&wanted).is_none() {
            let rule = name.split('\t').next()?;
            wanted = key(BY_NETWORK, &names, [rule, "other", "other"].into_iter());
        }
        self.add(wanted, &[refused])
    }

    fn slot(&mut self, seen: SlotSeen) {
        self.slots.retain(|known| known.key != seen.key);
        if self.slots.len() >= MAX_NAMED {
            self.slots.remove(0);
        }
        self.slots.push(seen);
    }

    /// The slots seen lately, the latest last.
    #[must_use]
    pub fn slots(&self) -> &[SlotSeen] {
        &self.slots
    }

    /// Everything, as lines that [`Totals::merge`] reads.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::new();
        for (key, values) in self.series.iter() {
            let (family, labels) = key.split_once('{').unwrap_or_default();
            line(&mut out, &["c", family, labels.trim_end_matches('}')]);
            for value in values {
                out.push_str(&value.to_string());
                out.push(' ');
            }
            out.pop();
            out.push('\n');
        }
        for (kind, rings) in [
            ("fine", &self.fine),
            ("coarse", &self.coarse),
            ("networks", &self.networks),
            ("keys", &self.keys),
        ] {
            for (name, ring) in rings {
                line(&mut out, &[kind, name]);
                ring.write(&mut out);
                out.push('\n');
            }
        }
        for slot in &self.slots {
            let fields = ["slots", &slot.rule, &slot.name, &slot.object, &slot.key];
            line(&mut out, &fields);
            out.push_str("1\n");
        }
        out
    }

    /// Adds at zero what the policy can make occur. A series that appears with its first event has no
    /// rate then, and no alert sees it.
    pub fn expect(&mut self, policy: &Policy) {
        let names = ["rule", "limit", "outcome", "tier"];
        for rule in &policy.rules {
            for limit in rule.limits.iter().filter(|limit| limit.tier.is_none()) {
                for outcome in FORESEEN {
                    let values = [&rule.name, &limit.name, outcome.name(), ""];
                    let _ = self.add(key(REQUESTS, &names, values.into_iter()), &[0]);
                }
            }
        }
        for name in ALWAYS {
            let _ = self.add(name.to_owned(), &[0]);
        }
    }

    /// All counters in Prometheus' text format.
    #[must_use]
    pub fn metrics(&self) -> String {
        exposition::render(&self.series)
    }
}

const REQUESTS: &str = "weir_requests_total";
const BY_NETWORK: &str = "weir_refusals_by_network_total";

/// The key of a series: a family, and its labels with their values.
fn key<'a>(family: &str, names: &[&str], values: impl Iterator<Item = &'a str>) -> String {
    let mut out = text::join(&[family, "{"], "");
    for (name, value) in names.iter().zip(values) {
        for piece in [name, "=\"", value, "\","] {
            out.push_str(piece);
        }
    }
    out.pop();
    out.push('}');
    out
}

fn line(out: &mut String, fields: &[&str]) {
    for field in fields {
        out.push_str(field);
        out.push('\t');
    }
}

/// The ring of a rule; of too many rules the later ones have none.
fn ring<'a>(
    list: &'a mut Rings,
    name: &str,
    (step_s, steps): (u64, usize),
    now: Timestamp,
) -> Option<&'a mut Ring> {
    if !list.iter().any(|(known, _)| known == name) {
        if list.len() >= MAX_NAMED {
            forget_least(list, now);
        }
        list.push((name.to_owned(), Ring::new(step_s, steps)));
    }
    let found = list.iter_mut().find(|(known, _)| known == name);
    found.map(|(_, ring)| ring)
}

/// The ring of a network or key.
fn place<'a>(list: &'a mut Rings, name: &str, now: Timestamp) -> Option<&'a mut Ring> {
    ring(list, name, (FINE.0, MINUTE), now)
}

/// The one with the least of late makes room.
fn forget_least(list: &mut Rings, now: Timestamp) {
    let weight = |place: &usize| {
        let ring = list.get(*place).map(|(_, ring)| ring);
        ring.map(|ring| live::weight(ring.sum(now, MINUTE as u64)))
    };
    if let Some(least) = (0..list.len()).min_by_key(weight) {
        list.swap_remove(least);
    }
}

#[cfg(test)]
mod tests;
