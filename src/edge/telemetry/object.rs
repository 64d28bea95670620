//! The telemetry object: the sums that some of the isolates report, kept in storage.
//!
//! # What is kept, and when
//!
//! A counter that goes back looks to Prometheus like a process that has started anew, and what it
//! had counted like news. So whatever has been told is stored before it is told, and whatever was
//! reported is stored within [`BEHIND`]: a crash loses what came in that time and nobody has seen.
//! The rows are what [`Totals::write`] writes, in pieces: one row for most.
//!
//! After [`KEPT`] in which nobody reported or asked, all is deleted.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use crate::edge::js::{self, ObjectState, Request};
use crate::edge::{clock, storage::ObjectStore};
use crate::ledger::{Store, Urgency};
use crate::telemetry::Totals;
use crate::time::{Span, Timestamp};

/// From a report to its row.
const BEHIND: Span = Span::from_secs(5);
/// How long sums are kept that nobody adds to or asks for: at least half of this.
const KEPT: Span = Span::from_secs(48 * 60 * 60);
/// Bytes of one row: a quarter of what the platform takes.
const ROW_BYTES: usize = 512 * 1024;
/// Rows of one object.
const MAX_ROWS: usize = 16;
/// The row that says until when all of it is kept, in milliseconds.
const UNTIL: &str = "until";

/// The Durable Object class of the binding `TELEMETRY`.
#[wasm_bindgen]
pub struct Telemetry {
    kept: Rc<Kept>,
}

struct Kept {
    totals: RefCell<Totals>,
    store: RefCell<ObjectStore>,
    state: ObjectState,
    rows: Cell<usize>,
    is_stored: Cell<bool>,
    is_awaited: Cell<bool>,
    until: Cell<Timestamp>,
}

#[wasm_bindgen]
impl Telemetry {
    /// Called by the platform when the object comes into memory.
    #[wasm_bindgen(constructor)]
    pub fn new(state: ObjectState, _env: JsValue) -> Telemetry {
        let kept = Kept {
            totals: RefCell::default(),
            store: RefCell::new(ObjectStore::new(state.storage(), JsValue::UNDEFINED)),
            state,
            rows: Cell::new(0),
            is_stored: Cell::new(true),
            is_awaited: Cell::new(false),
            until: Cell::new(Timestamp::ZERO),
        };
        kept.load();
        Telemetry {
            kept: Rc::new(kept),
        }
    }

    /// Called by the platform with each report, and when everything is asked for.
    pub fn fetch(&self, request: Request) -> JsValue {
        let kept = Rc::clone(&self.kept);
        if !request.url().ends_with("report") {
            let told = kept.save();
            kept.touch();
            return js::respond(200, "", JsValue::from_str(&told));
        }
        let report = request.text();
        future_to_promise(async move {
            let report = JsFuture::from(report).await?;
            kept.take_in(&report.as_string().unwrap_or_default());
            kept.save_soon();
            Ok(js::respond(200, "", JsValue::NULL))
        })
        .into()
    }

    /// Called by the platform when nobody has reported or asked for long.
    pub fn alarm(&self) {
        let kept = &self.kept;
        *kept.totals.borrow_mut() = Totals::default();
        kept.is_stored.set(true);
        kept.rows.set(0);
        kept.until.set(Timestamp::ZERO);
        // A fault is logged where it occurs, and leaves rows that the next alarm deletes.
        let _ = kept.store.borrow_mut().delete_all();
    }
}

impl Kept {
    fn load(&self) {
        let rows = self.store.borrow_mut().load().unwrap_or_default();
        let mut text = String::new();
        for (key, bytes) in &rows {
            let piece = String::from_utf8_lossy(bytes);
            if key == UNTIL {
                let ms = piece.parse().unwrap_or(0);
                self.until.set(Timestamp::from_millis(ms));
            } else {
                // The platform lists them in the order of their keys.
                text.push_str(&piece);
                self.rows.set(self.rows.get().saturating_add(1));
            }
        }
        self.totals.borrow_mut().merge(&text, clock::now());
    }

    fn take_in(&self, report: &str) {
        self.totals.borrow_mut().merge(report, clock::now());
        self.is_stored.set(false);
        self.touch();
    }

    fn save_soon(self: &Rc<Self>) {
        if self.is_awaited.replace(true) {
            return;
        }
        let kept = Rc::clone(self);
        // The pending timer keeps the object in memory.
        let _ = future_to_promise(async move {
            clock::sleep(BEHIND).await;
            kept.is_awaited.set(false);
            kept.save();
            Ok(JsValue::UNDEFINED)
        });
    }

    /// Everything, which is stored before an answer that carries it leaves.
    fn save(&self) -> String {
        let text = self.totals.borrow().write();
        if self.is_stored.replace(true) {
            return text;
        }
        let mut store = self.store.borrow_mut();
        let mut rows = 0_usize;
        let mut rest = text.as_str();
        while !rest.is_empty() && rows < MAX_ROWS {
            // Lines are whole, and shorter than a row.
            let end = match rest.as_bytes().get(..ROW_BYTES) {
                None => rest.len(),
                Some(piece) => piece
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(rest.len(), |at| at.saturating_add(1)),
            };
            let (piece, after) = rest.split_at(end);
            if store
                .put(&row(rows), piece.as_bytes(), Urgency::BeforeAnswer)
                .is_err()
            {
                self.is_stored.set(false);
            }
            rest = after;
            rows = rows.saturating_add(1);
        }
        for gone in rows..self.rows.replace(rows) {
            let _ = store.delete(&row(gone));
        }
        text
    }

    /// Moves the end back. It is seldom written: a row and an alarm in a day.
    fn touch(&self) {
        let now = clock::now();
        let left = self.until.get().saturating_since(now);
        let holds_nothing = self.rows.get() == 0 && self.is_stored.get();
        if left + left > KEPT || holds_nothing {
            return;
        }
        let until = now + KEPT;
        self.until.set(until);
        let text = until.as_millis_ceil().to_string();
        let mut store = self.store.borrow_mut();
        #[expect(
            clippy::cast_precision_loss,
            reason = "milliseconds before the year 287396"
        )]
        let at_ms = until.as_millis_ceil() as f64;
        if store.put(UNTIL, text.as_bytes(), Urgency::Behind).is_err()
            || js::set_alarm(&self.state.storage(), &JsValue::UNDEFINED, at_ms).is_err()
        {
            js::log_error("weir: a telemetry object could not set its alarm");
        }
    }
}

/// Names sort as their numbers do.
fn row(number: usize) -> String {
    let letter = u8::try_from(number).map_or(b'z', |number| b'a'.saturating_add(number));
    String::from(char::from(letter))
}
