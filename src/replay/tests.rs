use super::attack::{Attack, KINDS, Kind};
use super::*;
use crate::policy;

fn replay(policy: &str, log: &str) -> Report {
    replay_with(policy, Options::default(), log)
}

fn replay_with(policy: &str, options: Options, log: &str) -> Report {
    let mut replay = Replay::new(policy::parse(policy).expect("a good policy"), options);
    read(&mut replay, log);
    replay.report()
}

fn read(replay: &mut Replay, log: &str) {
    let mut reader = Reader::default();
    reader.begin("log");
    reader.feed(log.as_bytes(), |block| replay.block(block));
    reader.end();
    replay.block(reader.last());
    replay.lines(reader.counts());
}

/// One rule of one limit.
fn one(limit: &str) -> String {
    format!(r#"{{"rules":[{{"name":"r","limits":[{{"name":"l",{limit}}}]}}]}}"#)
}

/// A line in common log format, so many seconds after noon.
fn line(ip: &str, second: u64, request: &str, status: u16) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!(
        "{ip} - - [05/Jan/2026:12:{minute:02}:{second:02} +0000] \"{request} HTTP/1.1\" {status} 10\n"
    )
}

fn row<'a>(report: &'a Report, name: &str) -> &'a RowCounts {
    let mut rows = report.rows.iter();
    rows.find(|row| row.name == name).expect("such a row")
}

#[test]
fn another_policy_on_what_was_kept_is_the_same_as_reading_again() {
    let limit = |quota: u64| {
        let key = r#""key":["query:u|ip"],"algorithm":"sliding-window","window":"10s""#;
        one(&format!(r#"{key},"quota":{quota}"#))
    };
    let parsed = |quota| policy::parse(&limit(quota)).expect("a good policy");
    let mut log: String = (0..600)
        .map(|at| {
            line(
                "192.0.2.1",
                (at * 7) % 500 / 5,
                &format!("GET /?u={}", at % 3),
                200,
            )
        })
        .collect();
    log.push_str("no request\n");
    let mut kept = Replay::new(parsed(2), Options::default());
    kept.keep(1 << 20);
    read(&mut kept, &log);
    assert!(kept.has_all());
    let mut again = kept.again(parsed(5), Options::default());
    while again.step() {}
    let fresh = replay(&limit(5), &log);
    assert!(fresh.refused > 0 && fresh.lines.late > 0 && fresh.lines.unreadable == 1);
    assert_eq!(again.report(), fresh);

    let mut crowded = Replay::new(parsed(2), Options::default());
    crowded.keep(10_000);
    read(&mut crowded, &log);
    assert!(!crowded.has_all());
    assert!(!crowded.again(parsed(5), Options::default()).step());
}

/// Three in any ten seconds. By hand: at 0, 1, 2 three pass, 3 and 9 are refused; at 10 the first is
/// out of the window and one passes; at 10 again the window has 1, 2, 10: refused; at 30 all is over.
#[test]
fn a_small_log_by_hand() {
    let seconds = [0, 1, 2, 3, 9, 10, 10, 30];
    let mut log: String = seconds
        .iter()
        .map(|at| line("192.0.2.1", *at, "GET /", 200))
        .collect();
    log.push_str(&line("192.0.2.2", 31, "GET /", 200));
    let policy = one(r#""key":["ip"],"algorithm":"sliding-window","quota":3,"window":"10s""#);
    let report = replay(&policy, &log);
    assert_eq!((report.requests, report.passed, report.refused), (9, 6, 3));
    let limit = row(&report, "r.l");
    assert_eq!((limit.asked, limit.refused, limit.shadow), (9, 3, 0));
    assert_eq!(report.timeline.width_s, 1);
    assert_eq!(
        report.timeline.refused[..12],
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0]
    );
    assert_eq!(
        (
            report.callers.seen,
            report.callers.refused,
            report.callers.refused_seldom
        ),
        (2, 1, 1)
    );
    assert_eq!(report.clients[0].name, "192.0.2.1");
    assert_eq!(
        (report.clients[0].refused, report.clients[0].passed),
        (3, 5)
    );
    assert_eq!(report.networks[0].name, "192.0.2.0/24");
    assert_eq!(
        (report.keys[0].key.as_str(), report.keys[0].refused),
        ("192.0.2.1", 3)
    );
    let time = report.time.expect("a time");
    assert_eq!(
        (time.from.as_str(), time.seconds),
        ("2026-01-05 12:00:00", 31)
    );
}

#[test]
fn a_request_that_one_limit_refuses_costs_the_others_nothing() {
    let policy = r#"{"rules":[{"name":"r","limits":[
        {"name":"all","key":[],"algorithm":"fixed-window","quota":3,"window":"1d"},
        {"name":"ip","key":["ip"],"algorithm":"fixed-window","quota":1,"window":"1d"}]}]}"#;
    let log: String = [
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.2",
        "192.0.2.3",
        "192.0.2.4",
    ]
    .iter()
    .map(|ip| line(ip, 1, "GET /", 200))
    .collect();
    let report = replay(policy, &log);
    assert_eq!((report.passed, report.refused), (3, 3));
    assert_eq!(row(&report, "r.ip").refused, 2);
    assert_eq!(row(&report, "r.all").refused, 1);
}

#[test]
fn shadow_measures_and_passes_and_the_mode_has_the_last_word() {
    let policy = one(r#""key":["ip"],"algorithm":"fixed-window","quota":1,"window":"1d""#);
    let log = line("192.0.2.1", 1, "GET /", 200).repeat(3);
    let mode = |mode| {
        let options = Options {
            mode: Some(mode),
            tier: None,
        };
        let report = replay_with(&policy, options, &log);
        (report.passed, report.refused, report.shadow)
    };
    assert_eq!(mode(Mode::Enforce), (1, 2, 0));
    assert_eq!(mode(Mode::Shadow), (3, 0, 2));
    assert_eq!(mode(Mode::Off), (3, 0, 0));
}

#[test]
fn deny_skip_and_bounds() {
    let policy = r#"{"rules":[
        {"name":"blocked","match":{"ip":["198.51.100.0/24"]},"action":"deny"},
        {"name":"upload","match":{"path":"/up"},"skip":{"ip":["203.0.113.9"]},"body":{"max_bytes":100}}]}"#;
    let upload = |ip: &str, bytes: u64| {
        format!(
            r#"{{"time":1767614400,"ip":"{ip}","method":"POST","url":"/up","bytes_in":{bytes}}}"#
        ) + "\n"
    };
    let log = [
        line("198.51.100.7", 0, "GET /", 200),
        upload("192.0.2.1", 100),
        upload("192.0.2.1", 101),
        upload("203.0.113.9", 101),
    ];
    let report = replay(policy, &log.concat());
    assert_eq!((report.passed, report.refused), (2, 2));
    assert_eq!(
        (
            row(&report, "blocked").refused,
            row(&report, "upload").refused
        ),
        (1, 1)
    );
}

/// Failed sign-ins count, others are given back: two failures are allowed.
#[test]
fn what_counts_by_its_answer() {
    let limit = r#""key":["ip"],"algorithm":"sliding-window","quota":2,"window":"1h","count":{"status":[401]}"#;
    let statuses = [200, 401, 200, 200, 401, 200, 401];
    let log: String = statuses
        .iter()
        .zip(0..)
        .map(|(status, at)| line("192.0.2.1", at, "POST /login", *status))
        .collect();
    assert_eq!(replay(&one(limit), &log).refused, 2);
}

#[test]
fn keys_are_shown_in_the_clear_and_missing_ones_are_noted() {
    let policy =
        one(r#""key":["cookie:session|ip"],"algorithm":"fixed-window","quota":1,"window":"1d""#);
    let with =
        r#"{"time":1767614400,"ip":"192.0.2.1","method":"GET","url":"/","cookie":"session=abc"}"#
            .to_owned()
            + "\n";
    let report = replay(&policy, &with.repeat(2));
    assert_eq!(report.keys[0].key, "cookie:session=abc");
    assert_eq!(report.notes, Vec::<String>::new());
    let report = replay(&policy, &line("192.0.2.1", 0, "GET /", 200).repeat(2));
    assert_eq!(report.keys[0].key, "192.0.2.1");
    assert_eq!(
        report.notes,
        ["no line has a cookie \"session\": r.l counted by what else is in the key, or by address"]
    );
}

#[test]
fn bad_lines_are_told_by_number_and_late_ones_happen_later() {
    let policy = one(r#""key":["ip"],"algorithm":"fixed-window","quota":9,"window":"1d""#);
    let log = format!(
        "# comment\n\n{}nonsense\n{}{{\n",
        line("192.0.2.1", 90, "GET /", 200),
        line("192.0.2.1", 30, "GET /", 200),
    );
    let report = replay(&policy, &log);
    assert_eq!(
        (report.requests, report.lines.read, report.lines.unreadable),
        (2, 4, 2)
    );
    let told: Vec<_> = report
        .lines
        .first_unreadable
        .iter()
        .map(|bad| (bad.line, bad.why.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (4, "neither the common log format nor a JSON object"),
            (6, "not valid JSON")
        ]
    );
    assert_eq!((report.lines.late, report.lines.most_late_s), (1, 60));
    assert_eq!(report.time.expect("a time").seconds, 0);
}

/// Two objects, one request: two calls, and a refund where one of them refuses. A remembered refusal
/// asks nobody.
#[test]
fn calls_are_counted_as_an_isolate_would_make_them() {
    let policy = r#"{"rules":[{"name":"r","limits":[
        {"name":"all","key":[],"algorithm":"fixed-window","quota":9,"window":"1d"},
        {"name":"ip","key":["ip"],"algorithm":"fixed-window","quota":1,"window":"1d"}]}]}"#;
    let lines = |seconds: &[u64]| {
        let log: String = seconds
            .iter()
            .map(|at| line("192.0.2.1", *at, "GET /", 200))
            .collect();
        replay(policy, &log).cost.object_calls
    };
    assert_eq!(lines(&[0]), 2);
    assert_eq!(lines(&[0, 1]), 2 + 3);
    assert_eq!(lines(&[0, 1, 2, 3]), 2 + 3);
    assert_eq!(lines(&[0, 1, 30]), 2 + 3 + 3);
}

#[test]
fn the_same_attack_every_time_and_never_back_in_time() {
    let policy = policy::parse(&one(
        r#""key":["ip"],"algorithm":"sliding-window","quota":60,"window":"60s""#,
    ));
    let policy = policy.expect("a good policy");
    for (name, kind) in KINDS {
        assert_eq!(Kind::parse(name), Some(kind));
        let mut replay = Replay::new(policy.clone(), Options::default());
        for entry in Attack::new(kind, &policy, 1_500) {
            replay.request(&entry);
        }
        let report = replay.report();
        assert_eq!((report.requests, report.lines.late), (1_500, 0), "{name}");
        let mut again = Replay::new(policy.clone(), Options::default());
        Attack::new(kind, &policy, 1_500).for_each(|entry| again.request(&entry));
        assert_eq!(again.report(), report, "{name}");
        if kind == Kind::Flood {
            assert_eq!(report.clients[0].name, "203.0.113.66");
            assert!(report.refused > 1_000, "{}", report.refused);
        }
    }
}
