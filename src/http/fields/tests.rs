mod merge;

use super::*;
use proptest::prelude::*;

const ALL: [Dialect; 3] = [Dialect::Draft8, Dialect::XRateLimit, Dialect::Draft6];

fn view(name: &str, quota: u64, window_s: u64, remaining: u64, reset_s: u64) -> QuotaView<'_> {
    QuotaView {
        name,
        quota,
        window: Span::from_secs(window_s),
        remaining,
        reset: Span::from_secs(reset_s),
        refuses: false,
    }
}

fn refusing(name: &str, quota: u64, window_s: u64, reset_s: u64) -> QuotaView<'_> {
    QuotaView {
        refuses: true,
        ..view(name, quota, window_s, 0, reset_s)
    }
}

/// One `name: value` a line.
fn text(fields: &[Field]) -> String {
    fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect()
}

#[track_caller]
fn check(dialects: &[Dialect], views: &[QuotaView<'_>], expected: &str) {
    let all = fields(dialects, views);
    assert_eq!(text(&all), expected);
    if let Some(shape) = shape(dialects, views) {
        let mut filled = shape;
        open_numbers(views, |number| {
            filled = filled.replacen('\0', &number.to_string(), 1)
        });
        assert!(!filled.contains('\0'));
        let latest = latest_s(views).unwrap().to_string();
        let lines = all.iter().fold(latest, |lines, (name, value)| {
            format!("{lines}\n{name}\n{value}")
        });
        assert_eq!(filled, lines);
    }
}

#[test]
fn a_shape_leaves_open_what_differs_from_request_to_request() {
    let views = |left, reset| [view("a.b", 5, 60, left, reset), view("c", 9, 1, 7, 1)];
    let draft8 = [Dialect::Draft8];
    let first = shape(&draft8, &views(4, 60));
    assert!(first.is_some());
    assert_eq!(first, shape(&draft8, &views(3, 59)));
    assert_eq!(
        shape(&ALL, &views(4, 60)),
        None,
        "a triple picks one of them"
    );
    assert_eq!(shape(&draft8, &[]), None);
    assert_eq!(shape(&draft8, &[view("é", 1, 1, 1, 1)]), None);
}

#[test]
fn fields_format_unchanged() {
    let views = [
        view("availability.ip", 120, 60, 119, 60),
        view("availability.session", 30, 60, 29, 60),
    ];
    check(
        &ALL,
        &views,
        "RateLimit-Policy: \"availability.ip\";q=120;w=60, \"availability.session\";q=30;w=60\n\
         RateLimit: \"availability.ip\";r=119;t=60, \"availability.session\";r=29;t=60\n\
         X-RateLimit-Limit: 30\n\
         X-RateLimit-Remaining: 29\n\
         X-RateLimit-Reset: 60\n\
         RateLimit-Limit: 30\n\
         RateLimit-Remaining: 29\n\
         RateLimit-Reset: 60\n",
    );
    check(&ALL, &[], "");
    check(&[], &views, "");
}

#[test]
fn a_bucket_shows_its_burst_and_the_time_to_fill_it() {
    let bucket = |limit, window, burst| {
        shown(&Quota {
            algorithm: Algorithm::TokenBucket,
            limit,
            window,
            burst,
        })
    };
    assert_eq!(
        bucket(10, Span::from_secs(1), 21),
        (21, Span::from_millis(2100))
    );
    assert_eq!(
        bucket(3, Span::from_secs(1), 1),
        (1, Span::from_micros(333_334))
    );
    assert_eq!(bucket(1, Span::MAX, u64::MAX), (u64::MAX, Span::MAX));
    let window = Quota {
        algorithm: Algorithm::SlidingWindow,
        limit: 5,
        window: Span::from_secs(10),
        burst: 5,
    };
    assert_eq!(shown(&window), (5, Span::from_secs(10)));
    let (quota, window) = bucket(10, Span::from_secs(1), 21);
    let view = QuotaView {
        window,
        ..view("reports.ip", quota, 0, 20, 1)
    };
    check(
        &[Dialect::Draft8],
        &[view],
        "RateLimit-Policy: \"reports.ip\";q=21;w=3\nRateLimit: \"reports.ip\";r=20;t=1\n",
    );
}

#[track_caller]
fn check_binding(views: &[QuotaView<'_>], limit: u64, reset_s: u64) {
    let expected = format!("X-RateLimit-Limit: {limit}\n");
    let found = text(&fields(&[Dialect::XRateLimit], views));
    assert!(found.starts_with(&expected), "{found}");
    assert!(
        found.ends_with(&format!("X-RateLimit-Reset: {reset_s}\n")),
        "{found}"
    );
}

#[test]
fn a_triple_describes_the_limit_that_matters() {
    // The smallest share, not the smallest number.
    check_binding(
        &[view("a", 10, 60, 5, 1), view("b", 1000, 60, 100, 2)],
        1000,
        2,
    );
    check_binding(&[view("a", 10, 60, 5, 1), view("b", 20, 60, 10, 2)], 20, 2);
    check_binding(&[view("a", 10, 60, 5, 1), view("b", 20, 60, 10, 1)], 10, 1);
    // On a refusal the last to readmit, whatever else is left elsewhere.
    check_binding(
        &[
            refusing("a", 10, 60, 7),
            view("b", 5, 60, 0, 90),
            refusing("c", 20, 60, 30),
        ],
        20,
        30,
    );
}

#[test]
fn numbers_stay_within_what_clients_can_read() {
    let views = [QuotaView {
        reset: Span::MAX,
        ..refusing("a", u64::MAX, u64::MAX, 0)
    }];
    check(
        &[Dialect::Draft8, Dialect::Draft6],
        &views,
        "RateLimit-Policy: \"a\";q=999999999999999;w=18446744073710\n\
         RateLimit: \"a\";r=0;t=2147483647\n\
         RateLimit-Limit: 18446744073709551615\n\
         RateLimit-Remaining: 0\n\
         RateLimit-Reset: 2147483647\n",
    );
    let sub_second = QuotaView {
        window: Span::from_millis(250),
        ..view("a", 1, 0, 1, 0)
    };
    check(
        &[Dialect::Draft8],
        &[sub_second],
        "RateLimit-Policy: \"a\";q=1;w=1\nRateLimit: \"a\";r=1;t=0\n",
    );
}

#[test]
fn odd_names_are_serialised_validly_or_not_at_all() {
    let views = [
        view("a \"quoted\" \\ name", 1, 1, 1, 0),
        view("caf\u{e9}", 1, 1, 1, 0),
    ];
    check(
        &[Dialect::Draft8],
        &views,
        "RateLimit-Policy: \"a \\\"quoted\\\" \\\\ name\";q=1;w=1\n\
         RateLimit: \"a \\\"quoted\\\" \\\\ name\";r=1;t=0\n",
    );
    check(&[Dialect::Draft8], &views[1..], "");
}

proptest! {
    #[test]
    fn lists_parse_back(
        items in prop::collection::vec(("[ -~]{0,12}", any::<(u64, u64, u64, u64, bool)>()), 1..5),
        origin in "\\PC*|\"x\";r=1(, [a-z]{1,3}){0,2}",
    ) {
        let views: Vec<QuotaView<'_>> = items
            .iter()
            .map(|(name, (quota, window, remaining, reset, refuses))| QuotaView {
                name,
                quota: *quota,
                window: Span::from_micros(*window),
                remaining: *remaining,
                reset: Span::from_micros(*reset),
                refuses: *refuses,
            })
            .collect();
        let ours = fields(&ALL, &views);
        prop_assert_eq!(ours.len(), 8);
        prop_assert!(ours[..2].iter().all(|(_, value)| is_list(value)));
        let merged = merge(&ours, latest_s(&views), &|_| Some(origin.clone()), Timestamp::ZERO);
        for (name, value) in merged {
            if [draft8::POLICY, draft8::LIMIT].contains(&name) {
                prop_assert!(is_list(&value));
                prop_assert!(value.starts_with(origin.trim()));
            }
        }
    }
}
