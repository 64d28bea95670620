//! An access log against a policy: what would have passed, what would have been refused by which
//! limit, whom it would have hit, and what it would have cost.
//!
//! The log's requests go through the same code as in service ([`admission::plan`], the guards, and
//! [`ledger`]), with the log's time as the clock. Nothing leaves the process, so names are in the
//! clear. Memory is bounded however long the log is.
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
pub mod report;
mod rows;
mod shown;
mod summary;
mod timeline;
pub mod when;

pub use entry::{Entry, Unreadable};
pub use report::Report;

use crate::admission::Facts;
use crate::http::address::{Caller, Network};
use crate::policy::{Mode, Policy};
use crate::time::Timestamp;
use hits::{Hits, Table};
use judge::Judge;
use kept::Kept;
use lines::Lines;
use notes::Notes;
use report::{BadLine, LineCounts, RowCounts};
use timeline::Timeline;

/// Unreadable lines that are told one by one.
const BAD_LINES_TOLD: usize = 10;

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
    lines: Lines,
    file: String,
    line: u64,
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
            lines: Lines::default(),
            file: String::new(),
            line: 0,
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

    /// Keeps the requests that are read from now on, within so many bytes, for [`Replay::again`].
    pub fn keep(&mut self, bytes: usize) {
        self.kept = Kept::with_room_for(bytes);
    }

    /// True where every request so far was kept.
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

    /// Replays at most so many requests of those that were kept; false where those were the last.
    pub fn step(&mut self, most: usize) -> bool {
        let kept = std::mem::take(&mut self.kept);
        let part = kept.part(self.again, most);
        part.iter().for_each(|entry| self.request(entry));
        self.again = self.again.saturating_add(part.len());
        self.kept = kept;
        self.again < self.kept.len()
    }

    /// How many requests were kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Begins a file: the last one's last line is over, and lines are numbered anew.
    pub fn begin(&mut self, file: &str) {
        self.end();
        file.clone_into(&mut self.file);
        self.line = 0;
    }

    /// Takes a piece of the log, cut wherever.
    pub fn feed(&mut self, piece: &[u8]) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.feed(piece, |line| self.line(line));
        self.lines = lines;
    }

    /// Takes what was fed last as a whole line, even without an end.
    pub fn end(&mut self) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line));
    }

    /// Requests so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    fn line(&mut self, line: Option<&[u8]>) {
        self.line = self.line.saturating_add(1);
        let read = match line {
            None => Err(Unreadable::TooLong),
            Some(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                let text = text.trim_start_matches('\u{feff}').trim();
                if text.is_empty() || text.starts_with('#') {
                    return;
                }
                Entry::read(text)
            }
        };
        self.counts.read = self.counts.read.saturating_add(1);
        match read {
            Ok(entry) => {
                self.request(&entry);
                self.kept.push(entry, line.map_or(0, <[u8]>::len));
            }
            Err(why) => self.unreadable(why),
        }
    }

    fn unreadable(&mut self, why: Unreadable) {
        self.counts.unreadable = self.counts.unreadable.saturating_add(1);
        if self.counts.first_unreadable.len() < BAD_LINES_TOLD {
            self.counts.first_unreadable.push(BadLine {
                file: self.file.clone(),
                line: self.line,
                why: why.to_string(),
            });
        }
    }

    /// Takes one request. One that is earlier than another before it happens at the other's time, as
    /// it would for a counter.
    pub fn request(&mut self, entry: &Entry) {
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
