use super::tests::{BROWSER, check, get, refusing};
use super::*;
use crate::http::refusal::Code;
use crate::time::Span;
use expect_test::expect;
use proptest::prelude::*;

#[test]
fn respond_overrides_what_it_may() {
    let respond = Respond {
        status: Some(420),
        content_type: Some("text/plain".into()),
        body: Some("calm".into()),
        headers: [
            ("X-Reason", "calm"),
            ("cache-control", "public"),
            ("Retry-After", "0"),
            ("X-RateLimit-Remaining", "99"),
            ("bad name", "x"),
            ("X-Bad", "a\r\nSet-Cookie: b"),
            ("Vary", "Accept"),
            ("Set-Cookie", "a=1"),
            ("Set-Cookie", "b=2"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
    };
    let cors = Cors::List(vec!["https://app.example".into()]);
    let shape = Shape {
        respond: Some(&respond),
        cors: Some(&cors),
        dialects: &[Dialect::XRateLimit],
    };
    let asked = Asked {
        accept: Some(BROWSER),
        origin: Some("https://app.example"),
        ..get()
    };
    let views = [refusing("r.a", Span::from_secs(3))];
    let refusal = Refusal::rate_limited(vec!["r.a".into()], Span::from_secs(3));
    check(
        &refusal,
        asked,
        shape,
        &views,
        expect![[r#"
        420
        Content-Type: text/plain
        Cache-Control: no-store
        Retry-After: 3
        X-RateLimit-Limit: 5
        X-RateLimit-Remaining: 0
        X-RateLimit-Reset: 3
        Vary: Origin, Accept
        Access-Control-Allow-Origin: https://app.example
        Access-Control-Allow-Credentials: true
        Access-Control-Expose-Headers: Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset
        X-Reason: calm
        Set-Cookie: a=1
        Set-Cookie: b=2

        calm
    "#]],
    );
    // Not to faults of a body.
    let fault = render(&Refusal::new(Code::BodyTooLarge), get(), shape, &[]);
    assert_eq!(fault.status, 413);
    assert!(fault.headers.iter().all(|(name, _)| name != "X-Reason"));
}

#[test]
fn a_content_type_alone_renames_the_document() {
    let respond = Respond {
        content_type: Some("application/json".into()),
        ..Respond::default()
    };
    let shape = Shape {
        respond: Some(&respond),
        ..Shape::default()
    };
    let refusal = Refusal::rate_limited(Vec::new(), Span::from_secs(1));
    let rendered = render(
        &refusal,
        Asked {
            accept: Some(BROWSER),
            ..get()
        },
        shape,
        &[],
    );
    assert_eq!(rendered.headers[0].1, "application/json");
    assert!(rendered.body.unwrap().starts_with('{'));
}

#[test]
fn a_status_without_a_body_gets_none() {
    let respond = Respond {
        status: Some(204),
        ..Respond::default()
    };
    let shape = Shape {
        respond: Some(&respond),
        ..Shape::default()
    };
    let refusal = Refusal::rate_limited(Vec::new(), Span::from_secs(1));
    assert_eq!(render(&refusal, get(), shape, &[]).body, None);
}

proptest! {
    #[test]
    fn an_answer_is_always_valid(
        code in 0..Code::ALL.len(),
        status in prop::option::of(any::<u16>()),
        texts in prop::array::uniform6("\\PC{0,8}|[ -~\\r\\n]{0,8}"),
        accept in prop::option::of("\\PC*|text/html"),
        wait in prop::option::of(any::<u64>()),
    ) {
        let [name, value, content_type, origin, detail, pointer] = &texts;
        let refusal = Refusal {
            retry_after: wait.map(Span::from_micros),
            status: status.unwrap_or(429),
            headers: vec![("Allow", detail.clone())],
            code: Code::ALL[code],
            ..Refusal::invalid_request(pointer, detail.clone())
        };
        let respond = Respond {
            status,
            content_type: Some(content_type.clone()),
            body: None,
            headers: vec![(name.clone(), value.clone())],
        };
        let cors = Cors::List(vec![origin.clone()]);
        let shape = Shape { respond: Some(&respond), cors: Some(&cors), dialects: &[Dialect::Draft8] };
        let asked = Asked { method: "GET", accept: accept.as_deref(), origin: Some(origin) };
        let views = [refusing("r.a", Span::from_micros(wait.unwrap_or(0)))];
        let rendered = render(&refusal, asked, shape, &views);
        prop_assert!((200..=599).contains(&rendered.status));
        for (name, value) in &rendered.headers {
            prop_assert!(is_field_name(name) && is_field_value(value), "{name}: {value}");
        }
        let named = |wanted: &str| {
            rendered.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).count()
        };
        prop_assert_eq!(named("Cache-Control"), 1);
        prop_assert_eq!(named("Content-Type"), 1);
        prop_assert_eq!(named("Retry-After"), usize::from(wait.is_some()));
    }
}
