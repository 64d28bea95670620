//! The fuzz targets of `fuzz/`, run briefly on any machine: seeds as they are, then seeds that were
//! tampered with. Every run does the same; `WEIR_FUZZ_RUNS` says how many inputs each target gets.
//! `npm run fuzz` searches longer, and is guided by which code an input reaches.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

#[path = "../../fuzz/targets/address.rs"]
mod address;
#[path = "../../fuzz/targets/body_field.rs"]
mod body_field;
#[path = "../../fuzz/targets/body_graphql.rs"]
mod body_graphql;
#[path = "../../fuzz/targets/body_json.rs"]
mod body_json;
#[path = "../../fuzz/targets/cookie.rs"]
mod cookie;
#[path = "../../fuzz/targets/path.rs"]
mod path;
#[path = "../../fuzz/targets/policy.rs"]
mod policy;
mod tamper;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tamper::Tamper;

const RUNS: u64 = 4_000;

/// Tries the seeds of a target and what becomes of them. An input that fails is shown.
fn run(name: &str, target: fn(&[u8])) {
    let seeds = seeds(name);
    let attempt = |input: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| target(input))).is_err() {
            panic!(
                "{name} fails on b\"{}\"; a file in fuzz/seeds/{name} would keep it",
                input.escape_ascii()
            );
        }
    };
    seeds.iter().for_each(|seed| attempt(seed));
    let runs = std::env::var("WEIR_FUZZ_RUNS").ok();
    let runs = runs.and_then(|text| text.parse().ok()).unwrap_or(RUNS);
    let mut tamper = Tamper::new(name, &seeds);
    (0..runs).for_each(|_| attempt(&tamper.input()));
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.expect("a folder that can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{name} has no seed");
    files
        .iter()
        .map(|file| std::fs::read(file).expect("a seed"))
        .collect()
}

#[test]
fn any_address() {
    run("address", address::run);
}

#[test]
fn any_body_field() {
    run("body_field", body_field::run);
}

#[test]
fn any_body_graphql() {
    run("body_graphql", body_graphql::run);
}

#[test]
fn any_body_json() {
    run("body_json", body_json::run);
}

#[test]
fn any_cookie() {
    run("cookie", cookie::run);
}

#[test]
fn any_path() {
    run("path", path::run);
}

#[test]
fn any_policy() {
    run("policy", policy::run);
}
