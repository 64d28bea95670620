//! An access log against a policy: what would have passed, what would have been refused by which
//! limit, whom it would have hit, and what it would have cost.
//!
//! The log's requests go through the same code as in service ([`admission::plan`], the guards, and
//! [`ledger`]), with the log's time as the clock. Nothing leaves the process, so names are in the
//! clear. Memory is bounded however long the log is. A [`Reader`] makes blocks of requests from the
//! text, a [`Replay`] takes them: the two may well be at work at the same time.
//!
//! What a log does not say is not made up: limits whose key it lacks count by the client's address,
//! as they do in service, and the report says which those are.
//!
//! [`admission::plan`]: crate::admission::plan
//! [`ledger`]: crate::ledger

pub mod attack;
mod combined;
mod counters;
mod entry;
mod hits;
mod json;
mod judge;
mod kept;
mod lines;
mod notes;
pub mod numbers;
mod pack;
mod reader;
pub mod report;
mod request;
mod rows;
mod scan;
mod shown;
mod summary;
mod timeline;
pub mod when;

pub use entry::{Entry, Unreadable};
pub use reader::Reader;
pub use report::Report;
pub use request::Request;

use crate::admission::Facts;
use crate::http::address::{Caller, Network};
use crate::policy::{Mode, Policy};
use crate::time::Timestamp;
use hits::{Hits, Table};
use judge::Judge;
use kept::Kept;
use notes::Notes;
use pack::Unpacker;
use report::{LineCounts, RowCounts};
use timeline::Timeline;

/// What a replay may be told besides the policy.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Overrides the policy's mode, as `WEIR_MODE` does.
    pub mode: Option<Mode>,
    /// The tier of everybody who has one; None: each tier source's default.
    pub tier: Option<String>,
}

/// A replay under way.
#[derive(Debug)]
pub struct Replay {
    judge: Judge,
    notes: Notes,
    kept: Kept,
    again: usize,
    counts: LineCounts,
    first: Option<Timestamp>,
    now: Timestamp,
    requests: u64,
    refused: u64,
    shadow: u64,
    rows: Vec<RowCounts>,
    timeline: Timeline,
    networks: Table<Network>,
    clients: Table<Network>,
    keys: Table<(usize, String)>,
}

impl Replay {
    /// Against a policy.
    #[must_use]
    pub fn new(policy: Policy, options: Options) -> Replay {
        let notes = Notes::of(&policy);
        let judge = Judge::new(policy, options.mode, options.tier);
        let rows = judge.rows().all.iter().map(summary::row).collect();
        Replay {
            judge,
            notes,
            kept: Kept::default(),
            again: 0,
            counts: LineCounts::default(),
            first: None,
            now: Timestamp::ZERO,
            requests: 0,
            refused: 0,
            shadow: 0,
            rows,
            timeline: Timeline::default(),
            networks: Table::default(),
            clients: Table::default(),
            keys: Table::default(),
        }
    }

    /// Keeps the blocks that come from now on, within so many bytes, for [`Replay::again`].
    pub fn keep(&mut self, bytes: usize) {
        self.kept = Kept::with_room_for(bytes);
    }

    /// True where every block so far was kept.
    #[must_use]
    pub fn has_all(&self) -> bool {
        self.kept.is_whole()
    }

    /// The same log against another policy: nothing has happened yet, and [`Replay::step`] makes it
    /// happen.
    #[must_use]
    pub fn again(self, policy: Policy, options: Options) -> Replay {
        let late = LineCounts {
            late: 0,
            most_late_s: 0,
            ..self.counts
        };
        Replay {
            kept: self.kept,
            counts: late,
            ..Replay::new(policy, options)
        }
    }

    /// Replays the next block of those that were kept; false where that was the last.
    pub fn step(&mut self) -> bool {
        let kept = std::mem::take(&mut self.kept);
        if let Some(block) = kept.block(self.again) {
            self.through(block);
        }
        self.again = self.again.saturating_add(1);
        self.kept = kept;
        self.again < self.kept.len()
    }

    /// Takes a block that a [`Reader`] has made.
    pub fn block(&mut self, block: Vec<u8>) {
        self.through(&block);
        self.kept.push(block);
    }

    /// What became of the lines, as the reader says.
    pub fn lines(&mut self, counts: &LineCounts) {
        self.counts = LineCounts {
            late: self.counts.late,
            most_late_s: self.counts.most_late_s,
            ..counts.clone()
        };
    }

    /// Requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    fn through(&mut self, block: &[u8]) {
        let mut unpacker = Unpacker::default();
        while let Some(entry) = unpacker.next(block) {
            self.request(&entry);
        }
    }

    /// Takes one request. One that is earlier than another before it happens at the other's time, as
    /// it would for a counter.
    pub fn request(&mut self, entry: &Entry<'_>) {
        if entry.at < self.now {
            let late = self.now.saturating_since(entry.at).as_secs_ceil();
            self.counts.late = self.counts.late.saturating_add(1);
            self.counts.most_late_s = self.counts.most_late_s.max(late);
        }
        self.now = self.now.max(entry.at);
        self.first.get_or_insert(self.now);
        self.requests = self.requests.saturating_add(1);
        self.notes.see(entry);
        let mut found = self.judge.judge(entry, self.now);
        found.shadow.sort_unstable();
        found.shadow.dedup();
        let refused = !found.refused.is_empty();
        let shadow = !refused && !found.shadow.is_empty();
        self.refused = self.refused.saturating_add(u64::from(refused));
        self.shadow = self.shadow.saturating_add(u64::from(shadow));
        let count = |rows: &mut [RowCounts], row: usize, which: fn(&mut RowCounts) -> &mut u64| {
            if let Some(row) = rows.get_mut(row) {
                let place = which(row);
                *place = place.saturating_add(1);
            }
        };
        for row in &found.asked {
            count(&mut self.rows, *row, |row| &mut row.asked);
        }
        for row in &found.refused {
            count(&mut self.rows, *row, |row| &mut row.refused);
        }
        for row in &found.shadow {
            count(&mut self.rows, *row, |row| &mut row.shadow);
        }
        if let Some(stretch) = self.timeline.at(self.now) {
            stretch.requests = stretch.requests.saturating_add(1);
            stretch.refused = stretch.refused.saturating_add(u64::from(refused));
            stretch.shadow = stretch.shadow.saturating_add(u64::from(shadow));
            if refused || shadow {
                stretch.rows.resize(self.rows.len(), (0, 0));
            }
            for row in &found.refused {
                if let Some((refused, _)) = stretch.rows.get_mut(*row) {
                    *refused = refused.saturating_add(1);
                }
            }
            for row in &found.shadow {
                if let Some((_, shadow)) = stretch.rows.get_mut(*row) {
                    *shadow = shadow.saturating_add(1);
                }
            }
        }
        let hit = |hits: &mut Hits| {
            hits.refused = hits.refused.saturating_add(u64::from(refused));
            hits.shadow = hits.shadow.saturating_add(u64::from(shadow));
            hits.passed = hits.passed.saturating_add(u64::from(!refused));
        };
        if let Caller::Address(address) = entry.request.caller() {
            let prefix = self.judge.policy().ipv6_prefix;
            self.networks.add(address.network(24, 48), hit);
            self.clients.add(address.client(prefix), hit);
        }
        for (row, key) in found.keys {
            self.keys.add((row, key), hit);
        }
    }
}

#[cfg(test)]
mod tests;
