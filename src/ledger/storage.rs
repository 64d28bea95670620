//! Reading back after a restart, writing behind, and clearing out.
//!
//! An object that is idle for about ten seconds leaves memory, so that what matters for longer must
//! be stored first. A timer does it [`super::FLUSH_INTERVAL`] after the first charge that matters;
//! while the timer is pending, the object cannot leave.
//!
//! A crash forgives what came since the last flush, what is within the bound that leaving memory may
//! forgive ([`Counter::forgivable`](super::counter::Counter::forgivable)), and what would have been
//! over before the object could leave; under `durable`, and of the start of a block, nothing.

use super::Ledger;
use super::promises::Promises;
use super::recent::Recent;
use super::row;
use super::running::{ROW, Running};
use super::shelf::Shelf;
use super::store::{Store, Urgency};
use super::table::{MAX_COUNTERS, Table};
use crate::time::{Span, Timestamp};

/// Clocks of machines differ by less; a row from further ahead is damaged.
const MOST_AHEAD: Span = Span::from_secs(86_400);

/// Counters written by one wake, so that other calls get their turn.
const SAVED_PER_WAKE: usize = 1_000;

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
        let mut newest = Timestamp::ZERO;
        let mut alarm = None;
        for (key, bytes) in &rows {
            if key == ROW
                && let Some(lapse) = ledger.running.restore(bytes, now)
            {
                ledger.shelf.slots_row = Some(lapse);
                continue;
            }
            let row = row::counter_key(key).zip(row::decode(bytes));
            let Some((key, row)) = row.filter(|(_, row)| row.written_at <= now + MOST_AHEAD) else {
                ledger.damaged = ledger.damaged.saturating_add(1);
                ledger.shelf.faults = ledger.shelf.faults.saturating_add(1);
                ledger.shelf.delete(key);
                continue;
            };
            if row.written_at >= newest {
                newest = row.written_at;
                alarm = row.alarm;
            }
            ledger.shelf.note_row(key, row.void_at);
            if row.void_at > now && ledger.table.len() < MAX_COUNTERS {
                ledger.table.insert(key, row.counter);
            }
        }
        // Stored time never goes back, whatever the clock of the machine that the object is on now.
        ledger.now = now.max(newest);
        ledger.shelf.adopt_alarm(alarm, ledger.now);
        ledger
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
        for _ in 0..SAVED_PER_WAKE {
            let Some(key) = self.shelf.pop_due(self.now) else {
                break;
            };
            if let Some(counter) = self.table.get_mut(key) {
                self.shelf.save(key, counter, self.now, Urgency::Behind);
            }
        }
        self.save_slots();
        self.shelf.retry_alarm(self.now);
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
            Some(key) => {
                let Some(key) = row::counter_key(key) else {
                    return;
                };
                if let Some(counter) = self.table.get_mut(key) {
                    counter.restate = true;
                    self.shelf.schedule(key, counter, self.now);
                } else if self.shelf.is_void(key, self.now) {
                    // It was void and has left memory; the row still says what was given back.
                    self.shelf.forget(key, self.now);
                }
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
