use super::*;

const JSON: &str = "application/json; charset=utf-8";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data; boundary=\"x y\"";

#[track_caller]
fn check(content_type: &str, body: &str, name: &str, value: Option<&str>) {
    let found = field(Some(content_type), body.as_bytes(), name);
    assert_eq!(found.as_deref(), value, "{content_type} {body} {name}");
}

#[test]
fn json_members_and_pointers() {
    check(JSON, r#"{"user":"abc"}"#, "user", Some("abc"));
    check(JSON, r#"{"user":"\u0061bc"}"#, "user", Some("abc"));
    check(JSON, r#"{"\u0075ser":"abc"}"#, "user", Some("abc"));
    check(
        JSON,
        r#"{"user":9007199254740993}"#,
        "user",
        Some("9007199254740993"),
    );
    check(
        JSON,
        r#"{"user":9007199254740992}"#,
        "user",
        Some("9007199254740992"),
    );
    check(JSON, r#"{"user":-1.50E+3}"#, "user", Some("-1.50E+3"));
    check(JSON, r#"{"user":true,"b":false}"#, "user", Some("true"));
    check(JSON, r#"{"user":true,"b":false}"#, "b", Some("false"));
    check(JSON, r#"{"user":""}"#, "user", Some(""));
    check(
        JSON,
        r#"{"a":{"b/c":[0,{"d":7}]}}"#,
        "/a/b~1c/1/d",
        Some("7"),
    );
    check(JSON, "[5]", "/0", Some("5"));
    check(
        "application/VND.api+JSON",
        r#"{"user":1}"#,
        "user",
        Some("1"),
    );
}

#[test]
fn json_without_one_plain_value_is_absent() {
    for body in [
        r#"{"user":null}"#,
        r#"{"user":{}}"#,
        r#"{"user":[1]}"#,
        r#"{"User":1}"#,
        r#"{"user":1,"user":2}"#,
        r#"{"user":1,"\u0075ser":1}"#,
        r#"{"user":1,"other":{"a":1,"a":1}}"#,
        r#"{"user":"\ud800"}"#,
        r#"{"user":1"#,
        r#"["user",1]"#,
        r#""user""#,
        "",
        "user=1",
    ] {
        check(JSON, body, "user", None);
    }
    check(JSON, &"[".repeat(200_000), "user", None);
    check(JSON, "{\"a/b\":1}", "/a/b", None);
    check(JSON, "[1]", "/", None);
}

#[test]
fn forms() {
    check(FORM, "a=1&user=a%20b+c%2B&z", "user", Some("a b c+"));
    check(FORM, "%75ser=1", "user", Some("1"));
    check(FORM, "user", "user", Some(""));
    check(FORM, "user=1&user=1", "user", None);
    check(FORM, "user=1&%75ser=2", "user", None);
    check(FORM, "User=1", "user", None);
    check(FORM, "user=%zz%4", "user", Some("%zz%4"));
    check(FORM, "/user=1", "/user", None);
    check(
        "Application/X-WWW-Form-Urlencoded;charset=utf-8",
        "user=1",
        "user",
        Some("1"),
    );
    let raw = field(Some(FORM), b"user=a\xff%ff", "user");
    assert_eq!(raw.as_deref(), Some("a\u{fffd}\u{fffd}"));
}

#[test]
fn multipart_by_its_boundary() {
    let body = "--x y\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nabc\r\n--x y--\r\n";
    check(MULTIPART, body, "user", Some("abc"));
    check(MULTIPART, body, "/user", None);
    check("multipart/form-data; boundary=other", body, "user", None);
    check("multipart/form-data", body, "user", None);
    check(
        "multipart/form-data; boundary=\"x y\"; boundary=z",
        body,
        "user",
        None,
    );
    check("multipart/mixed; boundary=\"x y\"", body, "user", None);
}

#[test]
fn other_bodies_have_no_fields() {
    check("text/plain", r#"{"user":1}"#, "user", None);
    check("", "user=1", "user", None);
    assert_eq!(field(None, b"user=1", "user"), None);
}

#[test]
fn names_that_a_policy_may_use() {
    for (name, good) in [
        ("a", true),
        ("/a/0/b~1", true),
        ("/", true),
        ("a~2", true),
        ("", false),
        ("/a~2", false),
    ] {
        assert_eq!(is_field_name(name), good, "{name}");
    }
}
