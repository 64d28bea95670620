//! What is in storage, what has to be, and the alarm that clears it.

use super::counter::{Counter, IDLE};
use super::row;
use super::store::{Store, StoreFault, Urgency};
use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};
use crate::wire::CounterKey;

/// A row is written at most this often, and a crash forgives what came in such an interval.
pub const FLUSH_INTERVAL: Span = Span::from_secs(2);

/// Rows of counters in one object. Beyond, new counters live in memory alone.
pub const MAX_ROWS: usize = 65_536;

/// The alarm goes off a little after the last window is over, not a little before.
const AFTER_HORIZON: Span = Span::from_secs(1);

/// Objects that are never idle clear out void rows at least this often.
const MOST_UNTIL_ALARM: Span = Span::from_secs(86_400);

/// An alarm this late never comes: it was lost, and is set again.
const LATE: Span = Span::from_secs(60);

/// Rows that one alarm deletes one by one.
const DELETED_PER_ALARM: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) struct Shelf<S> {
    pub store: S,
    /// When the row of each counter is void.
    rows: Map<CounterKey, Timestamp>,
    /// When the row of slots is void, if there is one.
    pub slots_row: Option<Timestamp>,
    /// Counters whose rows are to be looked at.
    due: Set<(Timestamp, CounterKey)>,
    alarm: Option<Timestamp>,
    alarm_is_news: bool,
    /// The alarm could not be set: when that is tried again.
    pub alarm_again_at: Option<Timestamp>,
    pub written: u64,
    pub faults: u64,
}

impl<S: Store> Shelf<S> {
    pub fn new(store: S) -> Shelf<S> {
        Shelf {
            store,
            rows: Map::new(),
            slots_row: None,
            due: Set::new(),
            alarm: None,
            alarm_is_news: false,
            alarm_again_at: None,
            written: 0,
            faults: 0,
        }
    }

    pub fn has(&self, key: CounterKey) -> bool {
        self.rows.contains_key(&key)
    }

    /// The row was last written when nothing in it counted any more, or is over since.
    pub fn is_void(&self, key: CounterKey, now: Timestamp) -> bool {
        self.rows.get(&key).is_some_and(|void_at| *void_at <= now)
    }

    pub fn note_row(&mut self, key: CounterKey, void_at: Timestamp) {
        self.rows.insert(key, void_at);
    }

    /// The stored counter. None where there is no row, or none that can be read.
    pub fn fetch(&mut self, key: CounterKey) -> Option<Counter> {
        if !self.has(key) {
            return None;
        }
        let bytes = self.store.get(&row::row_key(key));
        let bytes = self.counted(bytes)??;
        let row = row::decode(&bytes);
        if row.is_none() {
            self.faults = self.faults.saturating_add(1);
        }
        row.map(|row| row.counter)
    }

    /// Has the counter's row looked at soon, if it is worth it.
    pub fn schedule(&mut self, key: CounterKey, counter: &mut Counter, now: Timestamp) {
        if counter.due.is_none() && counter.wants_saving(now) {
            self.put_off(key, counter, now);
        }
    }

    /// Something promised has ended: storage may know it as spent, but from too early on.
    pub fn note_end(&mut self, key: CounterKey, counter: &mut Counter, now: Timestamp) {
        if counter.durable && counter.unsaved > 0 {
            self.save(key, counter, now, Urgency::BeforeAnswer);
        } else {
            self.schedule(key, counter, now);
        }
    }

    fn put_off(&mut self, key: CounterKey, counter: &mut Counter, now: Timestamp) {
        let due = now + FLUSH_INTERVAL;
        counter.due = Some(due);
        self.due.insert((due, key));
    }

    pub fn next_due(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| due)
    }

    pub fn pop_due(&mut self, now: Timestamp) -> Option<CounterKey> {
        if self.next_due()? > now {
            return None;
        }
        self.due.pop_first().map(|(_, key)| key)
    }

    /// Makes storage agree with memory about a counter, where that matters.
    pub fn save(
        &mut self,
        key: CounterKey,
        counter: &mut Counter,
        now: Timestamp,
        urgency: Urgency,
    ) {
        if let Some(due) = counter.due.take() {
            self.due.remove(&(due, key));
        }
        let void_at = counter.void_at(now);
        let known = self.has(key);
        if void_at <= now && !known {
            counter.unsaved = 0;
            counter.restate = false;
            return;
        }
        let behind = urgency == Urgency::Behind && !counter.restate;
        let forgivable = counter.unsaved <= counter.forgivable() || void_at <= now + IDLE;
        if (behind && forgivable) || (!known && self.rows.len() >= MAX_ROWS) {
            return;
        }
        self.plan_alarm(void_at.max(now), now);
        let bytes = row::encode(counter, now, void_at, self.alarm);
        let done = self.store.put(&row::row_key(key), &bytes, urgency);
        if self.counted(done).is_some() {
            self.written = self.written.saturating_add(1);
            self.rows.insert(key, void_at);
            counter.unsaved = 0;
            counter.saved_at = now;
            counter.restate = false;
        } else {
            counter.restate = true;
            self.put_off(key, counter, now);
        }
    }

    pub fn put(&mut self, key: &str, bytes: &[u8]) -> bool {
        let done = self.store.put(key, bytes, Urgency::Behind);
        let done = self.counted(done).is_some();
        self.written = self.written.saturating_add(u64::from(done));
        done
    }

    pub fn delete(&mut self, key: &str) -> bool {
        let done = self.store.delete(key);
        let done = self.counted(done).is_some();
        self.written = self.written.saturating_add(u64::from(done));
        done
    }

    /// Removes a counter's row. True where there was one that still counted.
    pub fn forget(&mut self, key: CounterKey, now: Timestamp) -> bool {
        let Some(void_at) = self.rows.get(&key).copied() else {
            return false;
        };
        if self.delete(&row::row_key(key)) {
            self.rows.remove(&key);
        }
        void_at > now
    }

    /// Nobody waits for this row any more.
    pub fn unschedule(&mut self, key: CounterKey, counter: &Counter) {
        if let Some(due) = counter.due {
            self.due.remove(&(due, key));
        }
    }

    /// Wants an alarm for a row that is void at `void_at`, unless one is set already that will do.
    pub fn plan_alarm(&mut self, void_at: Timestamp, now: Timestamp) {
        let wanted = void_at.min(now + MOST_UNTIL_ALARM) + AFTER_HORIZON;
        let lost = |at: Timestamp| at + LATE <= now;
        // Set under a much longer window than any that is left.
        let far =
            |at: Timestamp| at > self.horizon_among_few().max(Some(wanted)).unwrap_or(at) + LATE;
        if self.alarm.is_none_or(|at| lost(at) || far(at)) {
            self.alarm = Some(wanted);
            self.alarm_is_news = true;
        }
    }

    /// When the last row is void; of many rows, too late to matter.
    fn horizon_among_few(&self) -> Option<Timestamp> {
        if self.rows.len() > 64 {
            return Some(Timestamp::MAX - LATE);
        }
        self.rows
            .values()
            .chain(&self.slots_row)
            .max()
            .map(|at| *at + AFTER_HORIZON)
    }

    /// What the rows say about the alarm, after a restart.
    pub fn adopt_alarm(&mut self, alarm: Option<Timestamp>, now: Timestamp) {
        self.alarm = alarm;
        if let Some(last) = self.rows.values().chain(&self.slots_row).max().copied() {
            self.plan_alarm(last.max(now), now);
        }
    }

    /// The time that the alarm must be set to now; None where it is set as it should be.
    pub fn take_alarm(&mut self) -> Option<Timestamp> {
        std::mem::take(&mut self.alarm_is_news).then_some(self.alarm)?
    }

    /// The alarm was not set, or what it should have deleted is still there.
    pub fn set_alarm_again(&mut self, now: Timestamp) {
        if self.alarm.is_some() {
            self.alarm_again_at = Some(now + FLUSH_INTERVAL);
        } else {
            self.plan_alarm(now + LATE, now);
        }
    }

    pub fn retry_alarm(&mut self, now: Timestamp) {
        if self.alarm_again_at.is_some_and(|at| at <= now) {
            self.alarm_again_at = None;
            self.alarm_is_news = true;
        }
    }

    /// The alarm has gone off: clears out what is void.
    pub fn on_alarm(&mut self, now: Timestamp) {
        self.alarm = None;
        self.alarm_again_at = None;
        let live = |at: &Timestamp| *at > now;
        if !self.rows.values().chain(&self.slots_row).any(live) {
            let done = self.store.delete_all();
            if self.counted(done).is_some() {
                self.rows.clear();
                self.slots_row = None;
            } else {
                self.plan_alarm(now + LATE, now);
            }
            return;
        }
        let void = self
            .rows
            .iter()
            .filter(|(_, at)| !live(at))
            .map(|(key, _)| key);
        for key in void.take(DELETED_PER_ALARM).collect::<Vec<_>>() {
            self.forget(key, now);
        }
        if let Some(last) = self.rows.values().chain(&self.slots_row).max().copied() {
            self.plan_alarm(last, now);
        }
    }

    pub fn counted<T>(&mut self, done: Result<T, StoreFault>) -> Option<T> {
        if done.is_err() {
            self.faults = self.faults.saturating_add(1);
        }
        done.ok()
    }
}
