//! The core alone, natively: nanoseconds an operation. `npm run bench -- core`.
//!
//! What a request costs on the edge is mostly crossings into the platform, which `npm run bench`
//! measures; this shows what the decisions themselves cost, and how that grows with the policy.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::panic)]

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use sfv::{Integer, ListSerializer, StringRef, key_ref};
use sha2::Sha256;
use weir::admission::decide::{Begin, Conclusion, Reply as Came};
use weir::admission::described::Described;
use weir::admission::plan::{Context, Tier, plan};
use weir::admission::{Memory, Plan, Verdict, refusals};
use weir::http::answer::{Asked, Shape, render};
use weir::http::fields::{QuotaView, fields};
use weir::http::refusal::Refusal;
use weir::ledger::{Ledger, MemoryStore, Reply};
use weir::limit::{Algorithm, Quota, State};
use weir::policy::{self, Dialect, Mode, Policy};
use weir::telemetry::{End, Sums};
use weir::time::{Span, Timestamp};
use weir::wire::names::{Namer, Part};
use weir::wire::{Call, CallId, Charge, Outcome};

/// How many times each is measured; the quickest counts, since nothing makes code quicker than it is.
const TIMES: u32 = 9;
const ONE_TIME: Duration = Duration::from_millis(20);
/// Planning against 200 rules may cost so many times as much as against 5.
const GOAL: f64 = 2.0;

fn main() -> ExitCode {
    let namer = Namer::new(b"a secret");
    naming(&namer);
    limits();
    deciding(&namer);
    counting(&namer);
    answers();
    let grows = planning(&namer);
    let holds = grows <= GOAL;
    println!(
        "planning, 200 rules to 5: {grows:.2} (goal: at most {GOAL:.1}){}",
        if holds { "" } else { " NOT MET" }
    );
    if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Nanoseconds of one call, printed.
fn time<T>(what: &str, mut body: impl FnMut() -> T) -> f64 {
    let ns = quickest(&mut body);
    println!("{what:<52} {ns:>10.0} ns");
    ns
}

// Measuring is what this program is for.
#[allow(clippy::disallowed_methods)]
fn quickest<T>(body: &mut impl FnMut() -> T) -> f64 {
    let mut run = |count: u32| {
        let from = Instant::now();
        for _ in 0..count {
            black_box(body());
        }
        from.elapsed()
    };
    let mut count = 1;
    while run(count) < ONE_TIME {
        count *= 2;
    }
    (0..TIMES)
        .map(|_| run(count).as_secs_f64() * 1e9 / f64::from(count))
        .fold(f64::INFINITY, f64::min)
}

/// One rule that holds for everything, among others that each hold for a path of their own.
fn policy_of(rules: usize, limit: &str) -> Policy {
    let mut text = String::from(r#"{"rules":["#);
    for n in 1..rules {
        let method = if n % 2 == 0 { "GET" } else { "POST" };
        text.push_str(&format!(
            r#"{{"name":"rule-{n}","match":{{"path":"/service-{n}/:id/items","method":["{method}"]}},"limits":[{limit}]}},"#
        ));
    }
    text.push_str(&format!(
        r#"{{"name":"all","match":{{"path":"/*"}},"limits":[{limit}]}}]}}"#
    ));
    policy::parse(&text).unwrap_or_else(|faults| panic!("{faults:?}"))
}

const BUCKET: &str =
    r#"{"name":"ip","key":["ip"],"algorithm":"token-bucket","quota":1000000,"window":"60s"}"#;
const EXACT: &str = r#"{"name":"ip","key":["ip"],"algorithm":"token-bucket","quota":1000000,"window":"60s","precision":"exact"}"#;
const ONE: &str =
    r#"{"name":"ip","key":["ip"],"algorithm":"sliding-window","quota":1,"window":"60s"}"#;

fn request(path: &str) -> Described {
    Described::new("GET", &format!("https://api.example.com{path}")).from_ip("192.0.2.1")
}

fn planned(policy: &Policy, namer: &Namer, request: &Described) -> Plan {
    let context = Context {
        policy,
        namer,
        mode: Mode::Enforce,
        tiers: &|_, _| Tier::Unknown,
    };
    plan(&context, request)
}

/// How many times as much 200 rules cost as 5.
fn planning(namer: &Namer) -> f64 {
    let everywhere = request("/api/items?page=2");
    let mut of_five = f64::NAN;
    let mut grows = f64::NAN;
    for rules in [1, 5, 20, 200, 1000] {
        let policy = policy_of(rules, BUCKET);
        let ns = time(&format!("planning, 1 of {rules} rules holds"), || {
            planned(&policy, namer, &everywhere)
        });
        match rules {
            5 => of_five = ns,
            200 => grows = ns / of_five,
            _ => {}
        }
    }
    let policy = policy_of(200, BUCKET);
    let one = request("/service-100/17/items");
    time("planning, 2 of 200 rules hold", || {
        planned(&policy, namer, &one)
    });
    grows
}

fn deciding(namer: &Namer) {
    let now = Timestamp::from_millis(1_800_000_000_000);
    let asked = request("/api/items?page=2");

    let policy = policy_of(1, ONE);
    let plan = planned(&policy, namer, &asked);
    let mut memory = Memory::new(1);
    let mut ledger = Ledger::open(MemoryStore::default(), now);
    for _ in 0..2 {
        exchange(&mut memory, &mut ledger, &policy, &plan, now);
    }
    assert!(
        matches!(memory.begin(&policy, &plan, now), Begin::Decided(verdict) if !verdict.admitted())
    );
    time("deciding: a remembered refusal", || {
        memory.begin(&policy, &plan, now)
    });

    let policy = policy_of(1, EXACT);
    let plan = planned(&policy, namer, &asked);
    let mut memory = Memory::new(1);
    time("deciding: an object has to be asked", || {
        memory.begin(&policy, &plan, now)
    });
    time("deciding: asked, answered and concluded", || {
        exchange(&mut memory, &mut ledger, &policy, &plan, now)
    });

    let mut id = 0;
    let mut charge = || {
        id += 1;
        Call::Charge(Charge {
            id: CallId(id),
            provisional: None,
            items: plan.applied.iter().map(|one| one.item.clone()).collect(),
        })
    };
    let call = charge();
    let message = call.encode();
    time("a message, written", || call.encode());
    time("a message, read", || Call::decode(&message));
    time("an object's decision", || ledger.handle(&charge(), now));
}

/// What telemetry adds to a request, and what it costs every three seconds behind one.
fn counting(namer: &Namer) {
    let policy = Rc::new(policy_of(5, BUCKET));
    let plan = planned(&policy, namer, &request("/api/items?page=2"));
    let verdict = |conforms, refused| Verdict {
        outcomes: vec![Some(Outcome {
            conforms,
            ..Outcome::default()
        })],
        refused,
        ..Verdict::default()
    };
    let network = || (64_500, *b"NL");
    let mut sums = Sums::default();
    let passed = verdict(true, vec![]);
    time("counting: one that passed", || {
        sums.record(&policy, &plan, &passed, End::Passed, &network);
    });
    let refused = verdict(false, vec![0]);
    let shaped = refusals::of_verdict(&policy, &plan, &refused);
    time("counting: one that was refused", || {
        sums.record(&policy, &plan, &refused, End::Refused(&shaped), &network);
    });
    time("counting: a report of two requests", || {
        sums.record(&policy, &plan, &passed, End::Passed, &network);
        sums.record(&policy, &plan, &refused, End::Refused(&shaped), &network);
        sums.report()
    });
}

fn exchange(
    memory: &mut Memory,
    ledger: &mut Ledger<MemoryStore>,
    policy: &Policy,
    plan: &Plan,
    now: Timestamp,
) {
    let Begin::Ask(round) = memory.begin(policy, plan, now) else {
        return;
    };
    let replies: Vec<Came> = round
        .questions
        .iter()
        .filter_map(|question| match ledger.handle(&question.call, now) {
            Reply::Now(answer) => Some(Came::Answer(answer)),
            Reply::Later(_) => None,
        })
        .collect();
    let concluded = memory.conclude(policy, plan, round, &replies, now);
    assert!(matches!(concluded, Conclusion::Verdict(_)));
}

fn naming(namer: &Namer) {
    let parts = [Part {
        source: "ip",
        value: b"192.0.2.1",
    }];
    let home = namer.network(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
    time("hashing a key", || namer.counter_key("rule.ip", &parts));
    let keyed = Hmac::<Sha256>::new_from_slice(b"bench");
    let message = [7_u8; 40];
    time("the code of as many bytes by a library", || {
        let mut code = keyed.clone().ok()?;
        code.update(&message);
        Some(code.finalize().into_bytes())
    });
    time("naming an object", || namer.home_name(&home, None));
}

fn limits() {
    let now = Timestamp::from_millis(1_800_000_000_000);
    for algorithm in [
        Algorithm::TokenBucket,
        Algorithm::SlidingWindow,
        Algorithm::SlidingCounter,
        Algorithm::FixedWindow,
    ] {
        let quota = Quota {
            algorithm,
            limit: 1000,
            window: Span::from_secs(60),
            burst: 1000,
        };
        let mut state = State::new(&quota);
        for n in 0..500 {
            state.spend(&quota, now + Span::from_millis(n), 1, None);
        }
        let at = now + Span::from_secs(1);
        time(&format!("{algorithm:?}: may one be spent"), || {
            state.check(&quota, at, 1, None)
        });
        let mut at = at;
        time(&format!("{algorithm:?}: one is spent"), || {
            at = at + Span::from_millis(120);
            state.spend(&quota, at, 1, None);
        });
    }
}

fn answers() {
    let views = [QuotaView {
        name: "rule.ip",
        quota: 100,
        window: Span::from_secs(60),
        remaining: 0,
        reset: Span::from_secs(17),
        refuses: true,
    }];
    let refusal = Refusal::rate_limited(vec!["rule.ip".to_owned()], Span::from_secs(17));
    time("fields of one limit, draft 8", || {
        fields(&[Dialect::Draft8], &views)
    });
    let name = StringRef::constant("rule.ip");
    time("the same by a library", || {
        let both = [
            [(key_ref("q"), 100), (key_ref("w"), 60)],
            [(key_ref("r"), 0), (key_ref("t"), 17)],
        ];
        both.map(|parameters| {
            let mut list = ListSerializer::new();
            let mut item = list.bare_item(name);
            for (key, value) in parameters {
                item = item.parameter(key, Integer::constant(value));
            }
            list.finish()
        })
    });
    time("a refusal, rendered", || {
        let asked = Asked {
            method: "GET",
            accept: Some("application/json"),
            origin: None,
        };
        let shape = Shape {
            dialects: &[Dialect::Draft8],
            ..Shape::default()
        };
        render(&refusal, asked, shape, &views)
    });
}
