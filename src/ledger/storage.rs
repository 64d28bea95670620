//! Reading back after a restart, writing behind, and clearing out.
//!
//! An object that is idle for about ten seconds leaves memory, so that what matters for longer must
//! be stored first. A timer does it, which keeps the object in memory while it is pending:
//! [`FLUSH_INTERVAL`](super::FLUSH_INTERVAL) after the first charge that matters where storage lacks half
//! of the quota or little of it is left; else once the object has been asked nothing for
//! [`QUIET`](super::QUIET), and at the latest [`RELAXED_INTERVAL`](super::RELAXED_INTERVAL) after that
//! charge. Whatever is due takes along what will be, as far as it fits in the same row: see
//! [`super::pages`].
//!
//! A crash forgives what came since the last such time, what is within the bound that leaving memory may
//! forgive ([`Counter::forgivable`](super::counter::Counter::forgivable)), and what would have been
//! over before the object could leave; under `durable`, and of the start of a block, nothing.

use super::Ledger;
use super::page;
use super::pages::{Batch, Kept};
use super::promises::Promises;
use super::recent::Recent;
use super::row;
use super::running::{ROW, Running};
use super::shelf::Shelf;
use super::store::Store;
use super::table::{MAX_COUNTERS, Table};
use crate::map::sort_by;
use crate::time::{Span, Timestamp};
use crate::wire::CounterKey;

/// Clocks of machines differ by less; a row from further ahead is damaged.
const MOST_AHEAD: Span = Span::from_secs(86_400);

/// Counters written by one wake, so that other calls get their turn.
const SAVED_PER_WAKE: usize = 1_000;

/// The counter that was written last, as far as has been read.
#[derive(Default)]
struct Last {
    written_at: Timestamp,
    alarm: Option<Timestamp>,
}

impl<S: Store> Ledger<S> {
    /// Reads back what is stored. A row that cannot be read is dropped and counted.
    pub fn open(store: S, now: Timestamp) -> Ledger<S> {
        let mut ledger = Ledger {
            now,
            table: Table::default(),
            promises: Promises::default(),
            recent: Recent::default(),
            running: Running::default(),
            shelf: Shelf::new(store),
            reported: (0, 0),
            damaged: 0,
        };
        let rows = ledger.shelf.store.load();
        let rows = ledger.shelf.counted(rows).unwrap_or_default();
        let mut last = Last::default();
        let mut pages = Vec::new();
        for (key, bytes) in &rows {
            if key == ROW
                && let Some(lapse) = ledger.running.restore(bytes, now)
            {
                ledger.shelf.slots_row = Some(lapse);
                continue;
            }
            let page = page::number(key).zip(page::read(bytes));
            if let Some((number, (sequence, rest))) = page {
                ledger.shelf.pages = ledger.shelf.pages.max(number.saturating_add(1));
                ledger.shelf.sequence = ledger.shelf.sequence.max(sequence.saturating_add(1));
                pages.push((sequence, number, rest));
                continue;
            }
            let whole = match row::counter_key(key) {
                Some(key) => ledger.restore(key, None, bytes, &mut last),
                None => ledger.note_damage(),
            };
            if !whole {
                ledger.shelf.delete(key);
            }
        }
        // Own rows are newer than pages; of pages, that is right which was written last.
        sort_by(&mut pages, |(one, ..), (other, ..)| one > other);
        for (_, number, mut rest) in pages {
            while let Some((key, bytes)) = page::next(&mut rest) {
                ledger.restore(key, Some(number), bytes, &mut last);
            }
            if !rest.is_empty() {
                ledger.note_damage();
            }
        }
        // Stored time never goes back, whatever the clock of the machine that the object is on now.
        ledger.now = now.max(last.written_at);
        ledger.shelf.adopt_alarm(last.alarm, ledger.now);
        ledger
    }

    /// Reads back a counter's row, unless there was a newer one. False where it is damaged.
    fn restore(
        &mut self,
        key: CounterKey,
        page: Option<u32>,
        bytes: &[u8],
        last: &mut Last,
    ) -> bool {
        let mut row = row::decode(bytes).filter(|row| row.written_at <= self.now + MOST_AHEAD);
        let forgotten = bytes.is_empty() && page.is_some();
        if row.is_none() && !forgotten {
            return self.note_damage();
        }
        let void_at = row.as_ref().map_or(Timestamp::ZERO, |row| row.void_at);
        if let Some(newer) = self.shelf.rows.get_mut(&key) {
            newer.follows(void_at);
            return true;
        }
        let kept = match page {
            None => Kept::alone(void_at),
            Some(number) => Kept::within(number, void_at, bytes.len()),
        };
        self.shelf.rows.insert(key, kept);
        if let Some(row) = row.take() {
            if row.written_at >= last.written_at {
                last.written_at = row.written_at;
                last.alarm = row.alarm;
            }
            if void_at > self.now && self.table.len() < MAX_COUNTERS {
                self.table.insert(key, row.counter);
            }
        }
        true
    }

    /// A row cannot be read.
    fn note_damage(&mut self) -> bool {
        self.damaged = self.damaged.saturating_add(1);
        self.shelf.faults = self.shelf.faults.saturating_add(1);
        false
    }

    /// When [`Ledger::wake`] has something to do next, if nobody calls before.
    #[must_use]
    pub fn next_wake(&self) -> Option<Timestamp> {
        let rows = self.shelf.next_due();
        let promise = self.promises.first_awaited_end();
        let slots = self.running.next_wake();
        let alarm = self.shelf.alarm_again_at;
        let all = [rows, promise, slots, alarm];
        all.into_iter().flatten().min()
    }

    /// Does what is due: ends waits and leases, and writes what would matter if the object left memory. Early, late and
    /// repeated calls do no harm.
    pub fn wake(&mut self, now: Timestamp) {
        self.advance(now);
        let mut batch = Batch::default();
        for _ in 0..SAVED_PER_WAKE {
            let Some(key) = self.shelf.pop_due(self.now, !batch.is_empty()) else {
                break;
            };
            if let Some(counter) = self.table.get_mut(key) {
                self.shelf.collect(key, counter, self.now, &mut batch);
            }
            if batch.is_full() {
                self.write(std::mem::take(&mut batch));
            }
        }
        self.write(batch);
        self.save_slots();
        self.shelf.retry_alarm(self.now);
    }

    fn write(&mut self, mut batch: Batch) {
        if !batch.is_empty() && !self.shelf.write(&mut batch, self.now) {
            for key in batch.keys() {
                self.not_written(key);
            }
        }
    }

    fn not_written(&mut self, key: CounterKey) {
        if let Some(counter) = self.table.get_mut(key) {
            self.shelf.not_written(key, counter, self.now);
        }
    }

    /// What was written behind has failed after all: the row with this key, or with none the alarm or
    /// the deleting of everything. It is counted and done again in a while.
    pub fn write_failed(&mut self, key: Option<&str>, now: Timestamp) {
        self.advance(now);
        self.shelf.faults = self.shelf.faults.saturating_add(1);
        match key {
            None => self.shelf.set_alarm_again(self.now),
            Some(ROW) => {
                self.running.lose_row();
                self.watch_slots();
            }
            Some(row_key) => {
                let mut over = Batch::default();
                for key in self.shelf.in_row(row_key) {
                    if self.table.get(key).is_some() {
                        self.not_written(key);
                    } else if self
                        .shelf
                        .kept(key)
                        .is_some_and(|kept| kept.void_at <= self.now)
                    {
                        // It was void and has left memory; the row before says what was given back.
                        self.shelf.strike(key, self.now, &mut over);
                    }
                }
                self.write(over);
            }
        }
    }

    /// The time that the platform's alarm must be set to now, in place of an earlier one; None
    /// where it is set as it should be. Each time is given once.
    #[must_use]
    pub fn take_alarm(&mut self) -> Option<Timestamp> {
        self.shelf.take_alarm()
    }

    /// The alarm has gone off: once nothing stored counts any more, everything stored is deleted.
    /// Counters in memory stay. Repeatable.
    pub fn alarm(&mut self, now: Timestamp) {
        self.advance(now);
        self.watch_slots();
        self.shelf.on_alarm(self.now);
    }
}
