use super::*;

/// `theirs` is what the origin sent, ours is 30 of 60 left for 10 s.
#[track_caller]
fn check_merge(dialect: Dialect, theirs: &[Field], expected: &str) {
    let views = [view("r.a", 60, 60, 30, 10)];
    let origin = |name: &str| {
        let mut fields = theirs.iter();
        fields
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value.clone())
    };
    let merged = merge(
        &fields(&[dialect], &views),
        latest_s(&views),
        &origin,
        Timestamp::from_millis(0),
    );
    assert_eq!(text(&merged), expected, "{theirs:?}");
}

#[test]
fn lists_get_ours_appended() {
    check_merge(
        Dialect::Draft8,
        &[("RateLimit", "\"x\";r=1;t=2".into())],
        "RateLimit-Policy: \"r.a\";q=60;w=60\nRateLimit: \"x\";r=1;t=2, \"r.a\";r=30;t=10\n",
    );
    check_merge(
        Dialect::Draft8,
        &[
            ("RateLimit", " ".into()),
            ("RateLimit-Policy", "a;q=1, b;q=2".into()),
        ],
        "RateLimit-Policy: a;q=1, b;q=2, \"r.a\";q=60;w=60\nRateLimit: \"r.a\";r=30;t=10\n",
    );
    // An older draft's syntax is no list: ours behind it would be lost, and theirs too.
    check_merge(
        Dialect::Draft8,
        &[
            ("RateLimit", "limit=10, remaining=5, reset=30".into()),
            ("RateLimit-Policy", "\u{fffd}\"".into()),
        ],
        "",
    );
}

#[test]
fn of_triples_the_tighter_stays_whole() {
    let ours = "RateLimit-Limit: 60\nRateLimit-Remaining: 30\nRateLimit-Reset: 10\n";
    let triple = |limit: &str, remaining: &str, reset: &str| {
        [
            ("RateLimit-Limit", limit.to_owned()),
            ("RateLimit-Remaining", remaining.to_owned()),
            ("RateLimit-Reset", reset.to_owned()),
        ]
    };
    check_merge(Dialect::Draft6, &[], ours);
    check_merge(Dialect::Draft6, &triple("100", "31", "99"), ours);
    check_merge(Dialect::Draft6, &triple("100", "29", "1"), "");
    check_merge(Dialect::Draft6, &triple("100", "30", "9"), ours);
    check_merge(Dialect::Draft6, &triple("100", "30", "10"), "");
    check_merge(Dialect::Draft6, &triple("100", "many", "1"), "");
    check_merge(Dialect::Draft6, &triple("100", "+31", "1"), "");
    check_merge(Dialect::Draft6, &triple("100", "30", "soon"), "");
    // Half a triple is left or replaced as a whole too.
    check_merge(
        Dialect::Draft6,
        &[("RateLimit-Remaining", "31".into())],
        ours,
    );
    check_merge(Dialect::Draft6, &[("RateLimit-Remaining", "29".into())], "");
    check_merge(Dialect::Draft6, &[("RateLimit-Limit", "5".into())], "");
    // Another dialect's fields say nothing about this one's.
    check_merge(
        Dialect::Draft6,
        &[("X-RateLimit-Remaining", "0".into())],
        ours,
    );
}

#[test]
fn retry_after_is_never_earlier_than_t() {
    let ours = "X-RateLimit-Limit: 60\nX-RateLimit-Remaining: 30\nX-RateLimit-Reset: 10\n";
    let moved = format!("{ours}Retry-After: 10\n");
    let check = |value: &str, expected: &str| {
        check_merge(
            Dialect::XRateLimit,
            &[("Retry-After", value.into())],
            expected,
        );
    };
    check("9", &moved);
    check("10", ours);
    check("11", ours);
    check("Thu, 01 Jan 1970 00:00:09 GMT", &moved);
    check("Thu, 01 Jan 1970 00:00:10 GMT", ours);
    check("garbage", ours);
}
