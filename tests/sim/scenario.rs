//! What a seed plays: a policy, how many of everything, and what goes wrong how often.

use super::rng::Rng;

/// Microseconds.
pub const MS: u64 = 1_000;
pub const SECOND: u64 = 1_000 * MS;

/// How often a message meets a fault, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network {
    pub lost: u64,
    pub answer_lost: u64,
    pub twice: u64,
    pub slow: u64,
    pub refused: u64,
}

/// Everything that a seed decides beforehand.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The policy, and what it is changed to on the way, if it is.
    pub policies: Vec<String>,
    /// Few keys that are asked for so often that their limits are leased.
    pub busy: bool,
    pub isolates: u64,
    pub clients: u64,
    /// When clients stop.
    pub end: u64,
    pub network: Network,
    /// How often a mishap befalls some object: the mean time between them; none if zero.
    pub crash_every: u64,
    pub break_every: u64,
    pub step_every: u64,
    pub deploy_every: u64,
    pub forget_every: u64,
    pub stall_every: u64,
    pub unreliable_every: u64,
    pub isolate_every: u64,
    /// How far isolates' clocks differ from true time, at most.
    pub skew: u64,
}

impl Scenario {
    /// The first half of the seeds knows few mishaps, so that little has to be excused in them.
    pub fn new(rng: &mut Rng) -> Scenario {
        let calm = rng.permille(350);
        let sometimes = |rng: &mut Rng, permille: u64, low: u64, high: u64| {
            if !calm && rng.permille(permille) {
                rng.range(low, high)
            } else {
                0
            }
        };
        let busy = rng.permille(200);
        let policy = policy(rng, busy);
        let mut policies = vec![policy.clone()];
        if rng.permille(100) {
            policies.push(policy.replace("\"quota\":", "\"quota\":1"));
        }
        Scenario {
            policies,
            busy,
            isolates: rng.range(1, if busy { 4 } else { 5 }),
            clients: rng.range(1, if busy { 4 } else { 7 }),
            end: if busy {
                rng.range(5, 13)
            } else {
                rng.range(10, 60)
            } * SECOND,
            network: Network {
                lost: sometimes(rng, 500, 1, 40),
                answer_lost: sometimes(rng, 500, 1, 60),
                twice: sometimes(rng, 500, 1, 80),
                slow: sometimes(rng, 500, 1, 80),
                refused: sometimes(rng, 400, 1, 80),
            },
            crash_every: sometimes(rng, 400, 3 * SECOND, 20 * SECOND),
            break_every: sometimes(rng, 200, 5 * SECOND, 20 * SECOND),
            step_every: sometimes(rng, 400, 4 * SECOND, 20 * SECOND),
            deploy_every: sometimes(rng, 300, 5 * SECOND, 20 * SECOND),
            forget_every: sometimes(rng, 250, 4 * SECOND, 15 * SECOND),
            stall_every: sometimes(rng, 300, 2 * SECOND, 10 * SECOND),
            isolate_every: sometimes(rng, 250, 2 * SECOND, 15 * SECOND),
            unreliable_every: sometimes(rng, 250, 5 * SECOND, 20 * SECOND),
            skew: rng.range(1, 90 * SECOND),
        }
    }
}

fn policy(rng: &mut Rng, busy: bool) -> String {
    let rules: Vec<String> = (0..rng.range(1, 4))
        .map(|index| rule(rng, index, busy))
        .collect();
    format!(
        r#"{{"objects":{{"shards":{}}},"counter_timeout":"{}ms","rules":[{}]}}"#,
        rng.range(1, 4),
        rng.range(100, 400),
        rules.join(",")
    )
}

fn rule(rng: &mut Rng, index: u64, busy: bool) -> String {
    let path = *rng.pick(&["/*", "/*", "/a", "/b/*"]);
    let on_error = *rng.pick(&["local", "allow", "deny"]);
    let limits: Vec<String> = (0..rng.range(1, 4))
        .map(|index| limit(rng, index, busy))
        .collect();
    let concurrency = if rng.permille(350) {
        format!(r#","concurrency":[{}]"#, slots(rng))
    } else {
        String::new()
    };
    let body = if limits.iter().any(|limit| limit.contains("body:")) {
        r#","body":{"max_bytes":"1KiB"}"#
    } else {
        ""
    };
    let mode = if rng.permille(80) {
        "shadow"
    } else {
        "enforce"
    };
    format!(
        r#"{{"name":"r{index}","match":{{"path":"{path}"}},"mode":"{mode}","on_error":"{on_error}","limits":[{}]{concurrency}{body}}}"#,
        limits.join(",")
    )
}

fn limit(rng: &mut Rng, index: u64, busy: bool) -> String {
    let key = *rng.pick(&[
        r#"["ip"]"#,
        r#"["ip"]"#,
        r#"["cookie:session|ip"]"#,
        r#"["header:x-api-key"]"#,
        "[]",
        r#"["body:u"]"#,
    ]);
    let windows = ["1s", "3s", "5s", "10s", "20s", "60s"];
    let window = *rng.pick(if busy { &windows[..4] } else { &windows });
    // Large ones are leased.
    let large = rng.permille(if busy { 750 } else { 150 });
    let quota = match large {
        true if busy => rng.range(20, 200),
        true => rng.range(100, 900),
        false => rng.range(1, 25),
    };
    let mut text = format!(r#"{{"name":"l{index}","key":{key},"window":"{window}","#);
    let kind = rng.range(0, 100);
    text += &match kind {
        0..20 => format!(
            r#""algorithm":"token-bucket","quota":{quota},"burst":{}"#,
            if busy && large && rng.permille(500) {
                quota
            } else {
                rng.range(3, 30)
            }
        ),
        20..30 => format!(r#""algorithm":"fixed-window","quota":{quota}"#),
        30..38 => format!(r#""algorithm":"sliding-counter","quota":{quota}"#),
        38..46 => format!(r#""distinct":"query:u","quota":{quota}"#),
        _ => format!(r#""algorithm":"sliding-window","quota":{quota}"#),
    };
    match rng.range(0, 100) {
        0..12 if kind >= 46 => text += *rng.pick(&[r#","block":["2s","4s"]"#, r#","block":"6s""#]),
        12..24 if !(38..46).contains(&kind) => text += r#","count":{"status":[401]}"#,
        24..34 if kind >= 46 && quota > 3 => text += r#","cost":3"#,
        _ => {}
    }
    text += match rng.range(0, 100) {
        0..30 => r#","precision":"exact"}"#,
        30..45 => r#","precision":"optimistic"}"#,
        _ => "}",
    };
    text
}

fn slots(rng: &mut Rng) -> String {
    let key = *rng.pick(&[r#"["ip"]"#, "[]", r#"["header:x-api-key|ip"]"#]);
    let fair = *rng.pick(&["", r#","fair_by":["ip"]"#]);
    format!(
        r#"{{"name":"s","key":{key},"running":{},"waiting":{},"max_wait":"{}ms"{fair}}}"#,
        rng.range(1, 4),
        rng.range(0, 5),
        rng.range(100, 3_000)
    )
}
