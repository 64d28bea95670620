//! The pure part on the target that it is deployed on: what native tests cannot see, such as a
//! `usize` of 32 bits.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;
use weir::time::Timestamp;

/// Lengths have 32 bits here; an instant of today would not fit and must survive all the same.
#[wasm_bindgen_test]
fn an_instant_is_wider_than_a_pointer() {
    let now_ms = 1_800_000_000_000;
    assert_eq!(Timestamp::from_millis(now_ms).as_millis_ceil(), now_ms);
    assert!(usize::try_from(now_ms).is_err());
}
