//! See the target itself; this hands it to libFuzzer.
#![no_main]

#[path = "../targets/body_graphql.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
