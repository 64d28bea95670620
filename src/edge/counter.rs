//! The counter object: a [`Ledger`] with the platform's clock, storage and timers around it.
//!
//! # Protocol
//!
//! A `fetch` of `http://counter/MESSAGE` is answered by a response whose header `a` is the answer;
//! `wire` defines both. One message is one synchronous call, so the platform's guarantee that an
//! object runs one event at a time and only yields at an await makes every decision atomic: there
//! is no await between reading a counter and writing it, and so no lock.
//!
//! What is written during an event is durable before its answer leaves (the platform's output
//! gate), except what is written with `allowUnconfirmed`.
//!
//! # Life
//!
//! An object that is idle for about ten seconds leaves memory. A timer keeps it there while
//! something has to be written behind; an alarm brings it back to delete what is over.

use std::cell::RefCell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::js::{self, Host, ObjectState, Request};
use super::slots::open_answer;
use super::{clock, storage::ObjectStore};
use crate::ledger::{Ledger, Reply};
use crate::map::Map;
use crate::time::Timestamp;
use crate::wire::{Acquired, Answer, Call, CallId};

/// The Durable Object class of the binding `COUNTER`.
#[wasm_bindgen]
pub struct Counter {
    /// What timers and streams call: it calls back here.
    host: Host,
    ledger: RefCell<Ledger<ObjectStore>>,
    /// Promises of callers that wait for a slot.
    waiting: RefCell<Map<CallId, js_sys::Function>>,
    timer: RefCell<Option<(Timestamp, JsValue)>>,
}

#[wasm_bindgen]
impl Counter {
    /// Called when the object comes into memory; `host` is the platform's side of it.
    #[wasm_bindgen(constructor)]
    pub fn new(state: ObjectState, _env: JsValue, host: Host) -> Counter {
        let store = ObjectStore::new(state.storage(), host.clone().into());
        Counter {
            host,
            ledger: RefCell::new(Ledger::open(store, clock::now())),
            waiting: RefCell::default(),
            timer: RefCell::default(),
        }
    }

    /// Called by the platform with each message.
    pub fn fetch(&self, request: Request) -> JsValue {
        let url = request.url();
        let message = url.rsplit('/').next().unwrap_or_default();
        self.handle(&request, message)
    }

    /// Called by the platform when the alarm is due.
    pub fn alarm(&self) {
        self.ledger.borrow_mut().alarm(clock::now());
        self.arrange();
    }

    /// The timer has gone off.
    pub fn wake(&self) {
        *self.timer.borrow_mut() = None;
        self.ledger.borrow_mut().wake(clock::now());
        self.arrange();
    }

    /// The answer of this acquisition is closed: its request is over.
    pub fn left(&self, id: u64) {
        let (id, now) = (CallId(id), clock::now());
        let waited = self.ledger.borrow_mut().gone(id, now);
        if !waited {
            self.ledger.borrow_mut().handle(&Call::Release { id }, now);
        }
        self.arrange();
    }

    /// What was written behind has failed after all: the row with this key, or without one something
    /// else.
    pub fn failed(&self, key: Option<String>) {
        self.ledger
            .borrow_mut()
            .write_failed(key.as_deref(), clock::now());
        self.arrange();
    }
}

impl Counter {
    fn handle(&self, request: &Request, message: &str) -> JsValue {
        let now = clock::now();
        let Some(call) = Call::decode(message) else {
            return js::answer(&Answer::Unintelligible.encode());
        };
        let reply = self.ledger.borrow_mut().handle(&call, now);
        let out = match reply {
            Reply::Now(answer) => match (&call, &answer) {
                (Call::Acquire(acquire), Answer::Acquired(Acquired::Granted { .. })) => {
                    self.open(request, acquire.id, &answer.encode(), &JsValue::UNDEFINED)
                }
                _ => js::answer(&answer.encode()),
            },
            Reply::Later(id) => self.open(request, id, "", &self.wait_for(id)),
        };
        self.arrange();
        out
    }

    /// An answer that stays open for as long as the slot is wanted.
    fn open(&self, request: &Request, id: CallId, text: &str, later: &JsValue) -> JsValue {
        open_answer(request, id.0, &self.host, text, later)
    }

    /// A promise that [`Self::arrange`] resolves once the slot is decided.
    fn wait_for(&self, id: CallId) -> JsValue {
        let promise = Promise::new(&mut |resolve, _reject| {
            self.waiting.borrow_mut().insert(id, resolve);
        });
        promise.into()
    }

    /// Answers waiters that are decided, and sets timer and alarm to what the ledger wants.
    fn arrange(&self) {
        let decided = self.ledger.borrow_mut().drain_resolved();
        for (id, answer) in decided {
            self.answer_waiter(id, &answer);
        }
        self.set_alarm();
        self.set_timer();
    }

    fn answer_waiter(&self, id: CallId, answer: &Answer) {
        let resolve = self.waiting.borrow_mut().remove(&id);
        if let Some(resolve) = resolve {
            let answer = JsValue::from_str(&answer.encode());
            // Resolving a promise cannot throw.
            let _ = resolve.call1(&JsValue::UNDEFINED, &answer);
        }
    }

    fn set_timer(&self) {
        let wanted = self.ledger.borrow().next_wake();
        let mut timer = self.timer.borrow_mut();
        match (&*timer, wanted) {
            (Some((at, _)), Some(wanted)) if *at <= wanted => return,
            (None, None) => return,
            _ => {}
        }
        if let Some((_, old)) = timer.take() {
            js::clear_timeout(&old);
        }
        let Some(at) = wanted else { return };
        let wait_ms = at.saturating_since(clock::now()).as_millis_ceil();
        #[expect(clippy::cast_precision_loss, reason = "milliseconds until a flush")]
        let handle = js::wake_in(&self.host, wait_ms as f64);
        *timer = Some((at, handle));
    }

    fn set_alarm(&self) {
        let Some(at) = self.ledger.borrow_mut().take_alarm() else {
            return;
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "milliseconds before the year 287396"
        )]
        let at_ms = at.as_millis_ceil() as f64;
        let set = self.ledger.borrow().store().set_alarm(at_ms);
        if set.is_err() {
            self.ledger.borrow_mut().write_failed(None, clock::now());
        }
    }
}
