//! What is in storage, and what has to be.

mod alarm;

use super::counter::{Counter, IDLE};
use super::pages::Kept;
use super::row;
use super::store::{Store, StoreFault, Urgency};
use crate::map::{Map, Set};
use crate::time::{Span, Timestamp};
use crate::wire::CounterKey;

/// A counter of which storage lacks half, or of which a quarter is left, is written at most this often,
/// and a crash forgives what came in such an interval.
pub const FLUSH_INTERVAL: Span = Span::from_secs(2);

/// The same of any other counter, while its object is asked again and again.
pub const RELAXED_INTERVAL: Span = Span::from_secs(30);

/// An object that is asked nothing for so long writes what is to be written. It is well before the
/// platform would take it out of memory, could it.
pub const QUIET: Span = Span::from_secs(5);

/// Rows of counters in one object. Beyond, new counters live in memory alone.
pub const MAX_ROWS: usize = 65_536;

#[derive(Clone, Debug)]
pub(super) struct Shelf<S> {
    pub store: S,
    /// Where each counter is stored.
    pub rows: Map<CounterKey, Kept>,
    /// Pages that there are, the empty ones included.
    pub pages: u32,
    /// The next page's place in the order of writing.
    pub sequence: u64,
    /// When the row of slots is void, if there is one.
    pub slots_row: Option<Timestamp>,
    /// Counters whose rows are to be looked at.
    due: Set<(Timestamp, CounterKey)>,
    /// When the object was last asked something.
    pub asked_at: Timestamp,
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
            pages: 0,
            sequence: 0,
            slots_row: None,
            due: Set::new(),
            asked_at: Timestamp::ZERO,
            alarm: None,
            alarm_is_news: false,
            alarm_again_at: None,
            written: 0,
            faults: 0,
        }
    }

    pub fn kept(&self, key: CounterKey) -> Option<&Kept> {
        self.rows.get(&key)
    }

    /// The stored counter. None where there is no row that still counts, or none that can be read.
    pub fn fetch(&mut self, key: CounterKey, now: Timestamp) -> Option<Counter> {
        // One that was void when it was written may have been written in vain.
        self.kept(key).filter(|kept| kept.void_at > now)?;
        let bytes = self.stored(key)?;
        let row = row::decode(&bytes);
        if row.is_none() {
            self.faults = self.faults.saturating_add(1);
        }
        row.map(|row| row.counter)
    }

    /// Has the counter's row looked at in time, if it is worth it.
    pub fn schedule(&mut self, key: CounterKey, counter: &mut Counter, now: Timestamp) {
        if !counter.wants_saving(now) {
            return;
        }
        let within = if counter.presses(now) {
            FLUSH_INTERVAL
        } else {
            RELAXED_INTERVAL
        };
        if counter.due.is_none_or(|due| due > now + within) {
            self.unschedule(key, counter);
            self.put_off(key, counter, now + within);
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

    fn put_off(&mut self, key: CounterKey, counter: &mut Counter, due: Timestamp) {
        counter.due = Some(due);
        self.due.insert((due, key));
    }

    /// When something is to be written next.
    pub fn next_due(&self) -> Option<Timestamp> {
        let (due, _) = self.due.first()?;
        Some(due.min(self.asked_at + QUIET))
    }

    /// A counter that is due; with `early`, one that will be.
    pub fn pop_due(&mut self, now: Timestamp, early: bool) -> Option<CounterKey> {
        if self.next_due()? > now && !early {
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
        if let Some((void_at, bytes)) = self.row_of(key, counter, now, urgency) {
            self.put_alone(key, counter, now, urgency, (void_at, &bytes));
        }
    }

    /// The row that storage should have of a counter, and when that is void; None where it is not
    /// worth one.
    pub fn row_of(
        &mut self,
        key: CounterKey,
        counter: &mut Counter,
        now: Timestamp,
        urgency: Urgency,
    ) -> Option<(Timestamp, Vec<u8>)> {
        self.unschedule(key, counter);
        counter.due = None;
        let void_at = counter.void_at(now);
        let known = self.kept(key).is_some();
        if void_at <= now && !known {
            counter.unsaved = 0;
            counter.restate = false;
            return None;
        }
        let behind = urgency == Urgency::Behind && !counter.restate;
        let forgivable = counter.unsaved <= counter.forgivable() || void_at <= now + IDLE;
        if (behind && forgivable) || (!known && self.rows.len() >= MAX_ROWS) {
            return None;
        }
        self.plan_alarm(void_at.max(now), now);
        let bytes = row::encode(counter, now, void_at, self.alarm);
        Some((void_at, bytes))
    }

    /// Writes a counter's own row.
    pub fn put_alone(
        &mut self,
        key: CounterKey,
        counter: &mut Counter,
        now: Timestamp,
        urgency: Urgency,
        (void_at, bytes): (Timestamp, &[u8]),
    ) {
        let done = self.store.put(&row::row_key(key), bytes, urgency);
        if self.counted(done).is_some() {
            self.written = self.written.saturating_add(1);
            let mut kept = Kept::alone(void_at);
            if let Some(before) = self.kept(key) {
                kept.replaces(before);
            }
            self.rows.insert(key, kept);
            counter.unsaved = 0;
            counter.saved_at = now;
            counter.restate = false;
        } else {
            self.not_written(key, counter, now);
        }
    }

    /// What was to be written is not: it is tried again.
    pub fn not_written(&mut self, key: CounterKey, counter: &mut Counter, now: Timestamp) {
        counter.restate = true;
        self.schedule(key, counter, now);
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

    /// Nobody waits for this row any more.
    pub fn unschedule(&mut self, key: CounterKey, counter: &Counter) {
        if let Some(due) = counter.due {
            self.due.remove(&(due, key));
        }
    }

    pub fn counted<T>(&mut self, done: Result<T, StoreFault>) -> Option<T> {
        if done.is_err() {
            self.faults = self.faults.saturating_add(1);
        }
        done.ok()
    }
}
