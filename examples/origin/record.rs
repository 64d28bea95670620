//! What reached the origin, and the waiting for it: one state that everything changes under one
//! lock, and one condition that is signalled at every change.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::message::Head;
use crate::script::Script;

/// Most requests that are remembered; the oldest go first.
const MAX_RECORDS: usize = 20_000;
/// How often a waiting request looks whether its peer is still there.
const LOOK: Duration = Duration::from_millis(20);

/// One request.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Counts from 1; never used again, even after a reset.
    pub id: u64,
    /// The request line's first word.
    pub method: String,
    /// Its second.
    pub target: String,
    /// Header lines in order.
    pub headers: Vec<(String, String)>,
    /// Bytes of the body so far, without its framing.
    pub body_bytes: u64,
    /// Of the whole body, hexadecimal; empty until it has ended.
    pub body_sha256: String,
    /// `reading`, `ended`, or `broken` where the peer went away before the end.
    pub body: &'static str,
    /// Status of the answer; 0 until it is sent.
    pub status: u16,
    /// Waits for a release.
    pub held: bool,
    /// Neither answered whole nor given up.
    pub in_flight: bool,
    /// The peer went away before it had the whole answer.
    pub aborted: bool,
    #[serde(skip)]
    released: bool,
}

/// Everything that tests can ask about or change.
#[derive(Default)]
pub struct State {
    /// In order of arrival.
    pub records: VecDeque<Record>,
    /// The first that fits a request is played.
    pub scripts: Vec<Script>,
    /// Every request waits for a release.
    pub hold_all: bool,
    /// Most requests in flight at one moment since the last reset.
    pub peak: usize,
    last_id: u64,
}

impl State {
    /// Requests in flight now.
    pub fn in_flight(&self) -> usize {
        self.records.iter().filter(|r| r.in_flight).count()
    }

    /// Requests that wait for a release.
    pub fn held(&self) -> usize {
        self.records.iter().filter(|r| r.held).count()
    }

    /// Releases what is held: one request, so many of the oldest, or everything.
    pub fn release(&mut self, id: Option<u64>, count: Option<usize>) -> usize {
        if id.is_none() && count.is_none() {
            self.hold_all = false;
        }
        let held = self
            .records
            .iter_mut()
            .filter(|r| r.held && !r.released && id.is_none_or(|id| r.id == id));
        held.take(count.unwrap_or(usize::MAX))
            .map(|r| r.released = true)
            .count()
    }
}

/// The state and its condition.
#[derive(Default)]
pub struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Why a pause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// As planned.
    Over,
    /// The peer has gone.
    Gone,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state without changing it.
    pub fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state and wakes whoever waits for a change.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Writes a new request down; the answer is its id.
    pub fn arrived(&self, head: &Head) -> u64 {
        self.change(|state| {
            state.last_id = state.last_id.saturating_add(1);
            if state.records.len() >= MAX_RECORDS {
                state.records.pop_front();
            }
            state.records.push_back(Record {
                id: state.last_id,
                method: head.method.clone(),
                target: head.target.clone(),
                headers: head.headers.clone(),
                body_bytes: 0,
                body_sha256: String::new(),
                body: "reading",
                status: 0,
                held: false,
                in_flight: true,
                aborted: false,
                released: false,
            });
            state.peak = state.peak.max(state.in_flight());
            state.last_id
        })
    }

    /// Changes one record, where a reset has not removed it.
    pub fn note(&self, id: u64, change: impl FnOnce(&mut Record)) {
        self.change(|state| {
            state
                .records
                .iter_mut()
                .rev()
                .find(|r| r.id == id)
                .map(change)
        });
    }

    /// Waits until the condition holds; false where the time was over first.
    pub fn wait(&self, most: Duration, mut holds: impl FnMut(&State) -> bool) -> bool {
        let guard = self.lock();
        let waited = self
            .changed
            .wait_timeout_while(guard, most, |state| !holds(state));
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Holds a request until it is released, or its record removed, or its peer gone.
    pub fn hold(&self, id: u64, gone: impl Fn() -> bool) -> Paused {
        self.note(id, |r| {
            r.held = true;
            r.released = false;
        });
        let released = |state: &State| {
            state
                .records
                .iter()
                .find(|r| r.id == id)
                .is_none_or(|r| r.released)
        };
        loop {
            if self.wait(LOOK, released) {
                self.note(id, |r| r.held = false);
                return Paused::Over;
            }
            // its record changes once, when the connection is given up: held no more and aborted
            if gone() {
                return Paused::Gone;
            }
        }
    }

    /// Lets time pass, unless the peer goes first.
    pub fn delay(&self, time: Duration, gone: impl Fn() -> bool) -> Paused {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if gone() {
                return Paused::Gone;
            }
            std::thread::sleep(left.min(LOOK));
        }
        Paused::Over
    }
}
