use super::*;
use crate::http::refusal::Code;
use crate::time::Span;
use expect_test::{Expect, expect};

pub const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

pub fn refusing(name: &str, reset: Span) -> QuotaView<'_> {
    QuotaView {
        name,
        quota: 5,
        window: Span::from_secs(10),
        remaining: 0,
        reset,
        refuses: true,
    }
}

pub fn get() -> Asked<'static> {
    Asked {
        method: "GET",
        ..Asked::default()
    }
}

/// Status, headers and body as text.
fn text(rendered: &Rendered) -> String {
    let headers: String = rendered
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let body = rendered.body.as_deref().unwrap_or("(no body)");
    format!("{}\n{headers}\n{body}\n", rendered.status)
}

#[track_caller]
pub fn check(
    refusal: &Refusal,
    asked: Asked<'_>,
    shape: Shape<'_>,
    views: &[QuotaView<'_>],
    expected: Expect,
) {
    expected.assert_eq(&text(&render(refusal, asked, shape, views)));
}

#[test]
fn out_of_quota_format_unchanged() {
    let refusal = Refusal::rate_limited(vec!["r.a".into(), "r.b".into()], Span::from_millis(9_001));
    let shape = Shape {
        dialects: &[Dialect::Draft8, Dialect::XRateLimit],
        ..Shape::default()
    };
    let views = [
        refusing("r.a", Span::from_millis(2_500)),
        refusing("r.b", Span::from_millis(9_001)),
    ];
    check(
        &refusal,
        get(),
        shape,
        &views,
        expect![[r#"
            429
            Content-Type: application/problem+json
            Cache-Control: no-store
            Retry-After: 10
            RateLimit-Policy: "r.a";q=5;w=10, "r.b";q=5;w=10
            RateLimit: "r.a";r=0;t=3, "r.b";r=0;t=10
            X-RateLimit-Limit: 5
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 10

            {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too many requests","detail":"More requests than allowed have come from you.","error":"rate_limited","message":"More requests than allowed have come from you.","status":429,"retryAfter":10,"violated-policies":["r.a","r.b"]}
        "#]],
    );
}

#[test]
fn every_code_has_its_row() {
    let rows: String = Code::ALL
        .into_iter()
        .map(|code| {
            let refusal = Refusal::new(code);
            format!(
                "{} {} {} {}\n",
                code.status(),
                code.as_str(),
                problem::kind(&refusal),
                code.title()
            )
        })
        .collect();
    expect![[r#"
        429 rate_limited https://iana.org/assignments/http-problem-types#quota-exceeded Too many requests
        503 busy https://iana.org/assignments/http-problem-types#temporary-reduced-capacity Busy
        503 unavailable https://iana.org/assignments/http-problem-types#temporary-reduced-capacity Temporarily unavailable
        413 body_too_large about:blank Content Too Large
        408 body_timeout about:blank Request Timeout
        400 invalid_request about:blank Bad Request
        400 too_expensive about:blank Bad Request
        415 unsupported_media_type about:blank Unsupported Media Type
        403 denied about:blank Forbidden
        504 deadline_exceeded about:blank Gateway Timeout
        502 origin_unreachable about:blank Bad Gateway
        502 origin_missing about:blank Bad Gateway
        502 origin_invalid about:blank Bad Gateway
        414 url_too_long about:blank URI Too Long
        431 headers_too_large about:blank Request Header Fields Too Large
        405 method_not_allowed about:blank Method Not Allowed
        401 unauthorized about:blank Unauthorized
        404 not_found about:blank Not Found
    "#]].assert_eq(&rows);
}

#[test]
fn faults_say_where_and_how_much() {
    check(
        &Refusal::invalid_request("/accounts/3", "Found 7, expected a string."),
        get(),
        Shape::default(),
        &[],
        expect![[r#"
            400
            Content-Type: application/problem+json
            Cache-Control: no-store

            {"type":"about:blank","title":"Bad Request","detail":"Found 7, expected a string.","error":"invalid_request","message":"Found 7, expected a string.","status":400,"pointer":"/accounts/3"}
        "#]],
    );
    check(
        &Refusal::too_expensive(600, 500),
        get(),
        Shape::default(),
        &[],
        expect![[r#"
            400
            Content-Type: application/problem+json
            Cache-Control: no-store

            {"type":"about:blank","title":"Bad Request","detail":"The request costs 600, and at most 500 is allowed.","error":"too_expensive","message":"The request costs 600, and at most 500 is allowed.","status":400,"cost":600,"max":500}
        "#]],
    );
}

#[test]
fn retry_after_is_the_last_to_readmit() {
    let wait = |own: Span, views: &[QuotaView<'_>]| {
        let refusal = Refusal::rate_limited(Vec::new(), own);
        let rendered = render(&refusal, get(), Shape::default(), views);
        let mut headers = rendered.headers.into_iter();
        headers
            .find(|(name, _)| name == "Retry-After")
            .map(|(_, value)| value)
    };
    assert_eq!(wait(Span::ZERO, &[]).as_deref(), Some("1"));
    assert_eq!(wait(Span::from_millis(2_500), &[]).as_deref(), Some("3"));
    assert_eq!(wait(Span::MAX, &[]).as_deref(), Some("2147483647"));
    let late = refusing("a", Span::from_secs(30));
    assert_eq!(wait(Span::from_secs(5), &[late]).as_deref(), Some("30"));
    let other = QuotaView {
        refuses: false,
        ..late
    };
    assert_eq!(wait(Span::from_secs(5), &[other]).as_deref(), Some("5"));
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let refusal = Refusal::rate_limited(vec!["r.a".into()], Span::from_secs(1));
    let views = [refusing("r.a", Span::from_secs(1))];
    let shape = Shape {
        dialects: &[Dialect::Draft6],
        ..Shape::default()
    };
    let get = render(&refusal, get(), shape, &views);
    let head = render(
        &refusal,
        Asked {
            method: "HEAD",
            ..Asked::default()
        },
        shape,
        &views,
    );
    assert!(get.body.is_some());
    assert_eq!(head.body, None);
    assert_eq!((head.status, head.headers), (get.status, get.headers));
}

#[test]
fn a_navigation_gets_a_page() {
    let refusal = Refusal::busy("r.tenant".into(), 429, Span::from_secs(5));
    let asked = Asked {
        accept: Some(BROWSER),
        ..get()
    };
    let rendered = render(&refusal, asked, Shape::default(), &[]);
    assert_eq!(
        rendered.headers[0],
        ("Content-Type".into(), "text/html; charset=utf-8".into())
    );
    let body = rendered.body.unwrap();
    assert!(
        body.contains("PT5S") && body.contains("Status 429"),
        "{body}"
    );
}

#[test]
fn what_a_refusal_adds_replaces_nothing() {
    let mut refusal = Refusal::new(Code::InvalidRequest);
    refusal.members = vec![("status", 200_u64.into()), ("hint", "x".into())];
    let document: serde_json::Value =
        serde_json::from_str(&problem::document(&refusal, 400, None)).unwrap();
    assert_eq!(document["status"], 400);
    assert_eq!(document["hint"], "x");
    assert!(document.get("retryAfter").is_none());
    assert!(document.get("violated-policies").is_none());
}
