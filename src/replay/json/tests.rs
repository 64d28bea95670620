use super::*;
use crate::admission::Facts;
use crate::policy::RequestView;

#[track_caller]
fn check(line: &str, expected: &str) {
    let entry = read(line, &mut Moments::default()).expect("a readable line");
    let request = &entry.request;
    let found = format!(
        "{} {} {}{} from {} status {:?} sent {:?} session {:?}",
        entry.at.as_micros() / 1_000_000,
        request.method(),
        request.host(),
        request.path(),
        request.address.expect("an address"),
        entry.status,
        entry.response_bytes,
        Facts::cookie(request, "session"),
    );
    assert_eq!(found, expected, "{line}");
}

#[test]
fn the_names_that_servers_use() {
    check(
        r#"{"time_iso8601":"2000-10-10T20:55:36+00:00","remote_addr":"192.0.2.1","request":"GET /a?b=c HTTP/1.1","status":200,"body_bytes_sent":"12","http_cookie":"session=s1; a=b"}"#,
        "971211336 GET /a from 192.0.2.1 status Some(200) sent Some(12) session Some(\"s1\")",
    );
    check(
        r#"{"EdgeStartTimestamp":971211336000000000,"ClientIP":"2001:db8::1","ClientRequestMethod":"POST","ClientRequestHost":"E.example","ClientRequestURI":"/x","EdgeResponseStatus":403,"EdgeResponseBytes":7,"Cookies":{"session":"s2"}}"#,
        "971211336 POST e.example/x from 2001:db8::1 status Some(403) sent Some(7) session Some(\"s2\")",
    );
    check(
        r#"{"level":"info","ts":971211336.25,"request":{"remote_ip":"192.0.2.9","method":"GET","host":"h","uri":"/y","headers":{"Cookie":["session=s3"]}},"resp_headers":{"Cookie":["session=no"]},"size":3,"status":204}"#,
        "971211336 GET h/y from 192.0.2.9 status Some(204) sent Some(3) session Some(\"s3\")",
    );
    check(
        r#"{"timestamp":"2000-10-10T20:55:36Z","httpRequest":{"requestMethod":"GET","requestUrl":"https://h.example/z?q=1","remoteIp":"192.0.2.3:4711","status":200,"responseSize":"9"}}"#,
        "971211336 GET h.example/z from 192.0.2.3 status Some(200) sent Some(9) session None",
    );
}

#[test]
fn what_is_missing_is_named() {
    for (line, why) in [
        ("{", Unreadable::Json),
        ("{}", Unreadable::Request),
        (
            r#"{"method":"GET","url":"/","ip":"192.0.2.1"}"#,
            Unreadable::Time,
        ),
        (
            r#"{"method":"GET","url":"/","time":1,"ip":"nobody"}"#,
            Unreadable::Address,
        ),
        (
            r#"{"request":"GET","time":1,"ip":"192.0.2.1"}"#,
            Unreadable::Request,
        ),
    ] {
        assert_eq!(
            read(line, &mut Moments::default()).map(|_| ()),
            Err(why),
            "{line}"
        );
    }
}

#[test]
fn outer_fields_come_first_and_earlier_names_before_later_ones() {
    check(
        r#"{"inner":{"clientip":"192.0.2.1","status":500},"ip":"192.0.2.2","status":200,"time":1,"ts":2,"method":"GET","url":"/","time":null}"#,
        "1 GET / from 192.0.2.1 status Some(200) sent None session None",
    );
    check(
        r#"{"a":{"b":{"c":{"clientip":"192.0.2.1"}}},"ip":"192.0.2.2","time":9.71211336e8,"method":"G\u0045T","url":"\/x","query":"?q=1","headers":{"cookie":["session=a","x"]},"cookies":{"n":null}}"#,
        "971211336 GET /x from 192.0.2.2 status None sent None session Some(\"a\")",
    );
}

#[test]
fn nothing_that_is_nested_or_long_does_any_harm() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(20_000), "}".repeat(20_000));
    let list = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    let name = "n".repeat(60_000);
    for (line, why) in [
        (deep.as_str(), Unreadable::Request),
        (&format!(r#"{{"ip":{list}}}"#), Unreadable::Request),
        (&format!(r#"{{"{name}":1}}"#), Unreadable::Request),
        (
            &format!(r#"{{"headers":{deep},"cookies":{list}}}"#),
            Unreadable::Request,
        ),
        (r#"{"ip":"192.0.2.1",}"#, Unreadable::Json),
        (r#"{"ip":01}"#, Unreadable::Json),
        (r#"{"ip":"\ud800"}"#, Unreadable::Request),
        (r#"{} {}"#, Unreadable::Json),
    ] {
        assert_eq!(
            read(line, &mut Moments::default()).map(|_| ()),
            Err(why),
            "{}",
            line.get(..40).unwrap_or(line)
        );
    }
}
