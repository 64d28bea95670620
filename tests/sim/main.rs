//! The whole system, simulated: many isolates and objects, and everything between them that can go
//! wrong, driving the real `policy`, `admission`, `wire` and `ledger`. See docs/simulation.md.
//!
//! `WEIR_SEEDS=10000 WEIR_FROM=1 cargo test --test sim` plays so many seeds from there. A seed that
//! fails is printed with the last `WEIR_TRACE` lines (default 200) of what happened in it.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod body;
mod client;
mod decided;
mod disk;
mod faults;
mod network;
mod object;
mod oracle;
mod passage;
mod report;
mod request;
mod rng;
mod scenario;
mod storage;
mod tell;
mod timers;
mod trace;
mod watch;
mod world;

/// Played by every run of the tests.
const SEEDS: u64 = 200;

fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

#[test]
fn no_seed_finds_a_violation() {
    let from = number("WEIR_FROM", 1);
    let (mut requests, mut admissions, mut audits, mut grants, mut permits) = (0, 0, 0, 0, 0);
    for seed in from..from + number("WEIR_SEEDS", SEEDS) {
        let summary = world::play(seed, 0);
        if let Some(violation) = summary.violation {
            let trace = world::play(seed, number("WEIR_TRACE", 200)).trace;
            panic!(
                "{trace}\nseed {seed} ({} seeds before it): {violation}\n",
                seed - from
            );
        }
        requests += summary.requests;
        admissions += summary.admissions;
        audits += summary.audits;
        grants += summary.grants;
        permits += summary.permits;
    }
    println!(
        "{requests} requests, {admissions} let through, {audits} audits, {grants} slots granted, {permits} permits used"
    );
    assert!(
        admissions > 0 && admissions < requests && audits > 0,
        "the seeds try nothing"
    );
}
