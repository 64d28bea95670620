//! How often objects are asked for what visitors do, and what passes: whole scripts, played against
//! real objects.

mod stand;

use stand::{Numbers, Stand};

fn limit(algorithm: &str, quota: u64) -> String {
    format!(
        r#"{{"name":"ip","key":["ip"],"algorithm":"{algorithm}","quota":{quota},"window":"60s"}}"#
    )
}

/// Visitors that make 30 to 60 requests within ten seconds each, in pages of five.
fn pages(seconds: u64) -> Vec<(u64, u64)> {
    let mut number = Numbers(7);
    let mut script = Vec::new();
    for start in (0..(seconds - 10) * 1000).step_by(150) {
        let (client, count) = (number.below(1 << 14), 30 + number.below(31));
        let mut page = start;
        for place in 0..count {
            if place % 5 == 0 {
                page = start + 10_000 * place / count;
            }
            script.push((page + number.below(300), client));
        }
    }
    script
}

/// Two hundred clients at random, 600 requests a second, in spells of (milliseconds).
fn crowd(spells: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut number = Numbers(3);
    let mut script = Vec::new();
    for (start_ms, end_ms) in spells {
        for place in 0..(end_ms - start_ms) * 3 / 5 {
            script.push((start_ms + place * 5 / 3, number.below(200)));
        }
    }
    script
}

#[test]
fn visitors_that_turn_pages_cost_few_calls() {
    for algorithm in ["token-bucket", "sliding-window"] {
        let played = Stand::new(&limit(algorithm, 120), 2, 1).play(&pages(30));
        assert_eq!(played.passed, played.requests, "{played:?}");
        assert!(played.calls_in_1000() < 100, "{algorithm}: {played:?}");
    }
}

#[test]
fn a_crowd_that_comes_back_costs_a_call_each() {
    let spells = [(0, 2_200), (20_000, 22_200), (40_000, 42_200)];
    let first = Stand::new(&limit("token-bucket", 1_000_000), 2, 1).play(&crowd(&spells[..1]));
    let all = Stand::new(&limit("token-bucket", 1_000_000), 2, 1).play(&crowd(&spells));
    assert_eq!(all.passed, all.requests);
    assert!(first.calls <= 2 * 200 + 20, "{first:?}");
    assert!(all.calls - first.calls <= 2 * 200 + 20, "{first:?} {all:?}");
}

#[test]
fn one_isolate_admits_the_whole_quota_of_a_burst_in_whatever_order_answers_come() {
    for seed in 0..300 {
        let mut number = Numbers(seed);
        let (quota, lasts_ms) = (20 + number.below(80), 1 + number.below(200));
        let script: Vec<_> = (0..quota * 2)
            .map(|_| (number.below(lasts_ms), 1))
            .collect();
        let algorithm = ["sliding-window", "fixed-window"][(seed % 2) as usize];
        let played = Stand::new(&limit(algorithm, quota), 1 + number.below(60), seed).play(&script);
        assert_eq!(played.passed, quota, "seed {seed}: {played:?}");
    }
}

/// One limit of 60 s, `optimistic`.
fn optimistic(algorithm: &str, quota: u64) -> String {
    limit(algorithm, quota).replace('}', r#","precision":"optimistic"}"#)
}

#[test]
fn slow_visitors_of_an_optimistic_limit_cost_next_to_nothing() {
    let mut number = Numbers(11);
    let mut script = Vec::new();
    for client in 0..40 {
        script.extend(
            (number.below(6_000)..180_000)
                .step_by(6_000)
                .map(|ms| (ms, client)),
        );
    }
    for algorithm in ["token-bucket", "sliding-window"] {
        let played = Stand::new(&optimistic(algorithm, 120), 2, 1).play(&script);
        assert_eq!(played.passed, played.requests, "{played:?}");
        assert!(played.calls_in_1000() <= 50, "{algorithm}: {played:?}");
    }
}

#[test]
fn one_isolate_admits_exactly_the_quota_of_a_burst_optimistically_too() {
    for algorithm in [
        "token-bucket",
        "sliding-window",
        "fixed-window",
        "sliding-counter",
    ] {
        let mut stand = Stand::new(&optimistic(algorithm, 50), 20, 1);
        stand.lost = 300;
        let played = stand.play(&vec![(1, 1); 200]);
        assert_eq!(played.passed, 50, "{algorithm}: {played:?}");
    }
}

/// A key that is asked for steadily by several isolates: what passes in any window.
fn most_in_a_window(isolates: u64, quota: u64, a_second: u64, lost: u64) -> u64 {
    let mut stand = Stand::new(&optimistic("sliding-window", quota), 20, 5);
    stand.isolates = (0..isolates).map(crate::admission::Memory::new).collect();
    stand.lost = lost;
    let script: Vec<_> = (0..200 * a_second)
        .map(|n| (n * 1_000 / a_second, 1))
        .collect();
    let played = stand.play(&script);
    println!(
        "{isolates} {quota} {a_second} {lost}: {} of {} passed, {} calls, told {}",
        played.passed, played.requests, played.calls, played.told
    );
    assert!(lost > 0 || played.told <= played.passed, "counted twice");
    let ends = played.passed_ms.iter().enumerate();
    let within = ends.map(|(index, end)| {
        let inside = played.passed_ms[..=index]
            .iter()
            .filter(|ms| **ms + 60_000 > *end);
        inside.count() as u64
    });
    within.max().unwrap_or(0)
}

#[test]
fn several_isolates() {
    for (isolates, quota, a_second, lost) in [
        (1, 50, 2, 0),
        (1, 120, 2, 0),
        (1, 120, 20, 0),
        (3, 120, 10, 0),
        (8, 120, 10, 0),
        (3, 120, 10, 100),
        (5, 600, 100, 0),
    ] {
        let most = most_in_a_window(isolates, quota, a_second, lost);
        println!("{most}");
        // Each may keep back an eighth before it hears of the others, besides what is under way.
        assert!(
            most <= quota + (isolates - 1) * (quota / 8 + 2),
            "{most} of {quota} by {isolates}"
        );
    }
}
