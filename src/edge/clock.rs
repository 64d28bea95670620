//! The one file that asks for the time.
//!
//! `Date.now()` stands still between I/O on the platform, in a Worker and in an object alike, so
//! one reading at the start of an event is as good as several and nothing may wait for it to move.

use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;

use super::js;
use crate::time::{Span, Timestamp};

/// The present instant by the clock of this isolate, to the millisecond.
#[must_use]
pub fn now() -> Timestamp {
    let ms = js_sys::Date::now();
    // Negative or not finite does not happen; `as` would saturate at zero.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    Timestamp::from_millis(ms as u64)
}

/// Waits.
pub async fn sleep(span: Span) {
    let promise = Promise::new(&mut |resolve, _reject| {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a pause")]
        js::set_timeout(&resolve, span.as_millis_ceil() as f64);
    });
    // A timer's promise does not reject.
    let _ = JsFuture::from(promise).await;
}

/// Waits for a promise, but no longer than `span`. True where it settled in time.
pub async fn within(promise: &Promise, span: Span) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a pause")]
    let race = js::within(promise, span.as_millis_ceil() as f64);
    JsFuture::from(race)
        .await
        .is_ok_and(|settled| settled.is_truthy())
}
