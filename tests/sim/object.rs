//! A counter object: the real ledger, with a clock, a disk and a memory that all may fail.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use weir::ledger::Ledger;
use weir::time::Timestamp;
use weir::wire::CallId;

use super::disk::{Disk, SimStore};
use super::scenario::SECOND;

/// True time starts here, in microseconds since the epoch; not a multiple of any window.
pub const START: u64 = 1_700_000_000_123_456;

/// After this long without an event the platform takes an object out of memory.
pub const IDLE: u64 = 10 * SECOND;

/// Where an answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Return {
    pub request: u64,
    /// Which of the request's rounds; an answer to an earlier one is too late.
    pub round: u32,
    pub index: usize,
}

#[derive(Debug)]
pub struct Object {
    pub name: String,
    /// Its clock is this far ahead of true time.
    pub offset: i64,
    pub disk: Rc<RefCell<Disk>>,
    pub ledger: Option<Ledger<SimStore>>,
    /// How many times it came into memory.
    pub epoch: u32,
    pub last_event: u64,
    /// When the pending timer goes off, by its clock, and the token of its event.
    pub timer: Option<(Timestamp, u64)>,
    /// The object's time as its ledger should have it: its clock, but never back.
    pub shadow: u64,
    shadow_at: u64,
    /// What its time was when it left memory, had it never been set, and when that was.
    left: (u64, u64),
    pub down_until: u64,
    /// No answer leaves before.
    pub gate: u64,
    /// Answers that wait for what they depend on to be stored: until when, and their events.
    pub gated: Vec<(u64, (u64, u64))>,
    pub waiting: BTreeMap<CallId, Return>,
    /// Its clock was set back at some time: what it counts is not told to the microsecond.
    pub shaken: bool,
    /// Its clock was set forward, or its memory lost, at this true time.
    pub upset_at: Option<u64>,
    /// How often its clock was set.
    pub steps: u64,
    /// Since when its disk fails, or when it last did.
    pub broken_since: Option<u64>,
    /// Too busy for calls until then: they wait in their order.
    pub stalled_until: u64,
    /// What it counted since the first of these may not be written, by its time; it is again by the
    /// second, by true time.
    pub unwritten: Option<(u64, u64)>,
    /// It was lost before it could set an alarm again that had failed: what it stored may stay until
    /// somebody calls it.
    pub alarm_lost: bool,
}

impl Object {
    pub fn new(name: String, offset: i64, now: u64) -> Object {
        Object {
            name,
            offset,
            disk: Rc::default(),
            ledger: None,
            epoch: 0,
            last_event: now,
            timer: None,
            shadow: 0,
            shadow_at: now,
            left: (0, now),
            down_until: 0,
            gate: 0,
            gated: Vec::new(),
            waiting: BTreeMap::new(),
            shaken: false,
            upset_at: None,
            steps: 0,
            broken_since: None,
            stalled_until: 0,
            unwritten: None,
            alarm_lost: false,
        }
    }

    /// What its clock shows.
    pub fn clock(&self, now: u64) -> Timestamp {
        Timestamp::from_micros((START + now).saturating_add_signed(self.offset))
    }

    /// It is about to leave memory.
    pub fn note_leaving(&mut self, now: u64) {
        self.left = (self.shadow + (now - self.shadow_at), now);
        self.advance_shadow(now);
    }

    /// Brings the shadow up to now.
    pub fn advance_shadow(&mut self, now: u64) -> u64 {
        self.shadow = self.shadow.max(self.clock(now).as_micros());
        self.shadow_at = now;
        self.shadow
    }

    /// It has been idle for so long that the platform has taken it out of memory.
    pub fn is_due_to_leave(&self, now: u64) -> bool {
        self.ledger.is_some()
            && self.timer.is_none()
            && self.waiting.is_empty()
            && now >= self.last_event + IDLE
    }

    /// Comes into memory, if it is not there. Gives how far its time went back meanwhile.
    pub fn load(&mut self, now: u64) -> Option<u64> {
        if self.ledger.is_some() {
            return None;
        }
        let clock = self.clock(now);
        self.ledger = Some(Ledger::open(SimStore(self.disk.clone()), clock));
        self.epoch += 1;
        let expected = self.left.0 + (now - self.left.1);
        self.shadow = clock.as_micros();
        self.shadow_at = now;
        let first = self.epoch == 1;
        Some(if first {
            0
        } else {
            expected.saturating_sub(self.shadow)
        })
    }

    /// A ledger to look into the future with: nothing done to it is noticed.
    pub fn look_ahead(&self, now: u64) -> Ledger<SimStore> {
        let store = SimStore(self.disk.clone()).apart();
        match &self.ledger {
            None => Ledger::open(store, self.clock(now)),
            Some(ledger) => {
                let mut ledger = ledger.clone();
                *ledger.store_mut() = store;
                ledger
            }
        }
    }

    /// Since when what it counted may not be written, because a write behind failed lately.
    pub fn unwritten_since(&self, now: u64) -> Option<u64> {
        self.unwritten
            .filter(|(_, until)| now < *until)
            .map(|(since, _)| since)
    }

    pub fn lose_memory(&mut self) {
        self.ledger = None;
        self.timer = None;
        self.waiting.clear();
    }
}
