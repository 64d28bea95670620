//! What one isolate has counted since its last report.

mod named;
mod record;
mod report;

use std::rc::Rc;

use super::Outcome;
use super::exposition::{DECISION_MS, REMAINING};
use crate::admission::plan::LimitRef;
use crate::admission::refusals::Shaped;
use crate::policy::Policy;
use crate::time::Span;
use crate::wire::{Call, CounterKey, Item};

/// Networks, keys and slots that one report names, each.
const NAMED: usize = 64;
/// Tiers of one limit that are told apart.
const TIERS: usize = 16;

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This isolate alone.
    Local,
    /// Permits that this isolate held.
    Lease,
    /// Counter objects.
    Object,
}

/// How a request ended.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    /// It went to the origin.
    Passed,
    /// It was refused.
    Refused(&'a Shaped),
}

#[derive(Clone, Debug, Default)]
struct Cell {
    tiers: Vec<(String, [u64; Outcome::COUNT])>,
    remaining: [u64; REMAINING.len() + 2],
    near: u64,
}

/// Where a request came from: the network's number and the country's two letters, or zeros.
pub type Network = (u32, [u8; 2]);

/// All networks that one report has no room for.
const OTHERS: Network = (u32::MAX, [0; 2]);

/// What a key is named for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// It crossed 80 % of its quota.
    Near,
    /// What became of its request.
    Outcome(Outcome),
}

/// A key that is worth naming.
#[derive(Clone, Debug)]
struct KeySeen {
    named: Named,
    cell: usize,
    key: CounterKey,
    network: Network,
    /// The object that counts it, and what is charged there: by these an operator can look at it
    /// and lift it.
    object: String,
    item: Option<Box<Item>>,
    count: u64,
}

/// The sums. Indices are those of `policy`: one cell for each limit of a rule, then one for each of
/// its concurrency limits, then one for itself; at the end the preflight limit and no rule at all.
#[derive(Debug, Default)]
pub struct Sums {
    policy: Option<Rc<Policy>>,
    /// The first cell of each rule.
    first: Vec<usize>,
    cells: Vec<Option<Box<Cell>>>,
    /// Each rule, no rule, and every request once.
    rules: Vec<[u64; 4]>,
    /// The rule's index, and what passed and was refused from there.
    networks: Vec<(usize, Network, u64, u64)>,
    keys: Vec<KeySeen>,
    slots: Vec<(usize, String, CounterKey)>,
    decisions: [[u64; DECISION_MS.len() + 2]; 3],
    calls: [u64; CALLS.len()],
    retries: [u64; RETRIES.len()],
    rows: u64,
    storage_faults: u64,
    lost: u64,
    passed: u32,
    /// Reports under earlier policies, or that did not arrive.
    pending: String,
}

const CALLS: [&str; 10] = [
    "charge", "peek", "refund", "settle", "forget", "acquire", "renew", "release", "stats",
    "confirm",
];

/// Why an object was asked again: it failed, or refused only because of charges that may yet be
/// taken back.
const RETRIES: [&str; 2] = ["failed", "provisional"];

/// Most of [`Sums::pending`].
const MAX_PENDING: usize = 256 * 1024;

impl Sums {
    /// Counts how long deciding took.
    pub fn decided(&mut self, source: Source, took: Span) {
        let ms = took.as_millis_ceil();
        if let Some(values) = self.decisions.get_mut(source as usize) {
            observe(values, &DECISION_MS, ms);
        }
    }

    /// Counts a call to an object.
    pub fn called(&mut self, call: &Call) {
        let index = match call {
            Call::Charge(_) => 0,
            Call::Peek(_) => 1,
            Call::Refund { .. } => 2,
            Call::Settle { .. } => 3,
            Call::Forget { .. } => 4,
            Call::Acquire(_) => 5,
            Call::Renew { .. } => 6,
            Call::Release { .. } => 7,
            Call::Stats => 8,
            Call::Confirm { .. } => 9,
        };
        add(self.calls.get_mut(index), 1);
    }

    /// Counts questions that are asked once more, after a failure or (`provisional`) after a refusal
    /// that may not have been final.
    pub fn retried(&mut self, questions: usize, provisional: bool) {
        add(
            self.retries.get_mut(usize::from(provisional)),
            questions as u64,
        );
    }

    /// Counts rows that an object wrote, and the times that its storage failed.
    pub fn wrote(&mut self, rows: u32, faults: u32) {
        self.rows = self.rows.saturating_add(rows.into());
        self.storage_faults = self.storage_faults.saturating_add(faults.into());
    }

    /// Counts what found no room.
    pub fn lose(&mut self, lines: u64) {
        self.lost = self.lost.saturating_add(lines);
    }

    /// Counts an origin that gave no answer to a request that is counted as passed.
    pub fn origin_failed(&mut self) {
        self.count(self.own(None), "", Outcome::Origin);
    }

    /// Takes up the indices of a policy. What was counted under another is written down first.
    fn adopt(&mut self, policy: &Rc<Policy>) {
        if self
            .policy
            .as_ref()
            .is_some_and(|known| Rc::ptr_eq(known, policy))
        {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        self.write(&mut pending);
        *self = Sums {
            pending,
            ..Sums::default()
        };
        let mut next = 0_usize;
        for rule in &policy.rules {
            self.first.push(next);
            let cells = rule.limits.len().saturating_add(rule.concurrency.len());
            next = next.saturating_add(cells).saturating_add(1);
        }
        self.cells.resize_with(next.saturating_add(2), || None);
        self.rules
            .resize(policy.rules.len().saturating_add(2), [0; 4]);
        self.policy = Some(Rc::clone(policy));
    }

    fn cell_of(&self, limit: LimitRef) -> usize {
        match limit {
            LimitRef::Preflight => self.cells.len().saturating_sub(2),
            LimitRef::Rule { rule, limit } => self
                .first
                .get(rule)
                .copied()
                .unwrap_or(0)
                .saturating_add(limit),
        }
    }

    /// The cell of a rule itself, or of no rule.
    fn own(&self, rule: Option<usize>) -> usize {
        let next = rule.map(|rule| rule.saturating_add(1));
        let end = self.cells.len().saturating_sub(2);
        match next {
            None => self.cells.len().saturating_sub(1),
            Some(next) => self
                .first
                .get(next)
                .copied()
                .unwrap_or(end)
                .saturating_sub(1),
        }
    }

    fn cell(&mut self, index: usize) -> Option<&mut Cell> {
        Some(self.cells.get_mut(index)?.get_or_insert_default())
    }

    fn count(&mut self, cell: usize, tier: &str, outcome: Outcome) {
        let Some(cell) = self.cell(cell) else { return };
        let tiers = &mut cell.tiers;
        let place = match tiers.iter().position(|(known, _)| known == tier) {
            Some(place) => place,
            None => {
                let tier = if tiers.len() < TIERS { tier } else { "other" };
                tiers.push((tier.to_owned(), [0; Outcome::COUNT]));
                tiers.len().saturating_sub(1).min(TIERS)
            }
        };
        tiers.truncate(TIERS.saturating_add(1));
        if let Some((_, counts)) = tiers.get_mut(place) {
            add(counts.get_mut(outcome as usize), 1);
        }
    }

    fn rule(&mut self, rule: usize, column: usize) {
        add(
            self.rules
                .get_mut(rule)
                .and_then(|counts| counts.get_mut(column)),
            1,
        );
    }

    /// Everything counted since the last report, as its lines; empty where nothing was.
    #[must_use]
    pub fn report(&mut self) -> String {
        let mut out = std::mem::take(&mut self.pending);
        self.write(&mut out);
        out
    }

    /// Takes a report back that did not arrive. Beyond a bound it is lost, and counted as that.
    pub fn keep(&mut self, report: &str) {
        if self.pending.len().saturating_add(report.len()) <= MAX_PENDING {
            self.pending.push_str(report);
        } else {
            self.lose(report.lines().count() as u64);
        }
    }
}

fn observe(values: &mut [u64], bounds: &[u64], value: u64) {
    let place = bounds
        .iter()
        .position(|bound| value <= *bound)
        .unwrap_or(bounds.len());
    add(values.get_mut(place), 1);
    add(values.last_mut(), value);
}

fn add(place: Option<&mut u64>, more: u64) {
    if let Some(place) = place {
        *place = place.saturating_add(more);
    }
}

#[cfg(test)]
mod tests;
