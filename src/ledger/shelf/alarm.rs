//! The alarm that brings an object back to delete what is over.

use super::{FLUSH_INTERVAL, Shelf};
use crate::ledger::row;
use crate::ledger::store::Store;
use crate::time::{Span, Timestamp};

/// The alarm goes off a little after the last window is over, not a little before.
const AFTER_HORIZON: Span = Span::from_secs(1);

/// Objects that are never idle clear out void rows at least this often.
const MOST_UNTIL_ALARM: Span = Span::from_secs(86_400);

/// An alarm this late never comes: it was lost, and is set again.
const LATE: Span = Span::from_secs(60);

/// Rows that one alarm deletes one by one.
const DELETED_PER_ALARM: usize = 1_000;

/// Void rows that are left where they are until everything is void, beside as many as still count:
/// to delete one costs as much as to write one.
const LEFT_VOID: usize = 64;

impl<S: Store> Shelf<S> {
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

    /// As [`Self::horizon`]; of many rows, too late to matter.
    fn horizon_among_few(&self) -> Option<Timestamp> {
        if self.rows.len() > 64 {
            return Some(Timestamp::MAX - LATE);
        }
        self.horizon().map(|at| at + AFTER_HORIZON)
    }

    /// When the last row is void.
    fn horizon(&self) -> Option<Timestamp> {
        let rows = self.rows.values().map(|kept| kept.void_at);
        rows.chain(self.slots_row).max()
    }

    /// What the rows say about the alarm, after a restart.
    pub fn adopt_alarm(&mut self, alarm: Option<Timestamp>, now: Timestamp) {
        self.alarm = alarm;
        if let Some(last) = self.horizon() {
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
        let last = self.horizon().unwrap_or(now);
        if last <= now {
            let done = self.store.delete_all();
            if self.counted(done).is_some() {
                self.rows.clear();
                self.pages = 0;
                self.slots_row = None;
            } else {
                self.plan_alarm(now + LATE, now);
            }
            return;
        }
        self.delete_void(now);
        self.plan_alarm(last, now);
    }

    /// Deletes void rows, where there are many more than such as still count.
    fn delete_void(&mut self, now: Timestamp) {
        let void = self.keys(&|kept| kept.is_alone() && kept.may_go(now));
        if void.len() <= self.rows.len().saturating_add(LEFT_VOID) / 2 {
            return;
        }
        for key in void.into_iter().take(DELETED_PER_ALARM) {
            if self.delete(&row::row_key(key)) {
                self.rows.remove(&key);
            }
        }
    }
}
