use super::*;

fn accepts(bytes: &[u8]) -> bool {
    read(bytes, 64).is_ok()
}

#[track_caller]
fn check_ok(text: &str) {
    let read = read(text.as_bytes(), 64);
    assert!(read.is_ok(), "{text}: {read:?}");
}

#[track_caller]
fn check_fault(text: &str, message: &str) {
    let fault = read(text.as_bytes(), 64).expect_err(text);
    assert_eq!(fault.message, message, "{text}");
}

#[test]
fn reads_what_the_grammar_allows() {
    for text in [
        "null",
        " true\t",
        "\r\nfalse\n",
        "0",
        "-0",
        "-0.0e-0",
        "12.50E+007",
        "\"\"",
        "[]",
        " [ ] ",
        "{}",
        "{ }",
        "[1,[2,[]],{}]",
        r#"{"a":{"b":[null]},"":1}"#,
        r#""\"\\\/\b\f\n\r\t\u00e9""#,
        r#""\ud83d\ude00""#,
        r#""\uD83D\uDE00\u0000""#,
        "\"\u{7f}é😀\u{feff}\"",
        "1e999999999",
    ] {
        check_ok(text);
    }
}

#[test]
fn names_what_is_wrong_and_where() {
    check_fault("", "body: not JSON: ends early, expected a value");
    check_fault("  ", "body: not JSON: ends early, expected a value");
    check_fault(
        "[1,]",
        "body: not JSON at byte 3: found ']', expected a value",
    );
    check_fault(
        "[1 2]",
        "body: not JSON at byte 3: found '2', expected `,` or `]`",
    );
    check_fault(
        "[1}",
        "body: not JSON at byte 2: found '}', expected `,` or `]`",
    );
    check_fault("[", "body: not JSON: ends early, expected a value");
    check_fault(
        "{,}",
        "body: not JSON at byte 1: found ',', expected a name in double quotes",
    );
    check_fault(
        "{\"a\":1,}",
        "body: not JSON at byte 7: found '}', expected a name in double quotes",
    );
    check_fault(
        "{\"a\" 1}",
        "body: not JSON at byte 5: found '1', expected `:`",
    );
    check_fault(
        "{\"a\":}",
        "body: not JSON at byte 5: found '}', expected a value",
    );
    check_fault(
        "{\"a\":1]",
        "body: not JSON at byte 6: found ']', expected `,` or `}`",
    );
    check_fault(
        "{a:1}",
        "body: not JSON at byte 1: found 'a', expected a name in double quotes",
    );
    check_fault(
        "1 x",
        "body: not JSON at byte 2: found 'x', expected nothing after the value",
    );
    check_fault(
        "{}{}",
        "body: not JSON at byte 2: found '{', expected nothing after the value",
    );
    check_fault(
        "01",
        "body: not JSON at byte 1: found '1', expected nothing after the value",
    );
    check_fault(
        "+1",
        "body: not JSON at byte 0: found '+', expected a value",
    );
    check_fault(
        ".5",
        "body: not JSON at byte 0: found '.', expected a value",
    );
    check_fault("1.", "body: not JSON: ends early, expected a digit");
    check_fault("-", "body: not JSON: ends early, expected a digit");
    check_fault("1e+", "body: not JSON: ends early, expected a digit");
    check_fault(
        "tru",
        "body: not JSON at byte 0: found 't', expected a value",
    );
    check_fault(
        "NaN",
        "body: not JSON at byte 0: found 'N', expected a value",
    );
    check_fault(
        "'a'",
        "body: not JSON at byte 0: found '\\'', expected a value",
    );
    check_fault(
        "\"a",
        "body: not JSON: ends early, expected the closing quote",
    );
    check_fault(
        "\"a\nb\"",
        "body: not JSON at byte 2: found '\\n', expected control characters escaped",
    );
    check_fault(
        "/* */1",
        "body: not JSON at byte 0: found '/', expected a value",
    );
    check_fault(
        "\u{feff}{}",
        "body: starts with a byte-order mark, which JSON must not have",
    );
    check_fault(
        "\u{a0}1",
        "body: not JSON at byte 0: found '\\u{a0}', expected a value",
    );
}

#[test]
fn refuses_escapes_that_mean_different_things_to_different_readers() {
    for text in [
        r#""\x41""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        r#""\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\ud800\u0041""#,
        r#""\ud800\ud800""#,
        r#""\udc00""#,
        r#""\udc00\ud800""#,
        r#""\"#,
        r#""\u"#,
        r#""\ud800\u"#,
        r#""\U0041""#,
        r#""\é""#,
    ] {
        assert!(!accepts(text.as_bytes()), "{text}");
    }
}

#[test]
fn refuses_what_is_not_utf8() {
    for bytes in [
        &b"\"\xff\""[..],
        b"\"\xc3\"",
        b"\"\xc0\x80\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\xff\xfe1\x00",
        b"\x00",
        b"[\x001]",
    ] {
        assert!(!accepts(bytes), "{bytes:?}");
    }
    assert_eq!(
        read(b"[1,\xff]", 9).unwrap_err().message,
        "body: not UTF-8 at byte 3"
    );
}

#[test]
fn refuses_a_name_that_appears_twice_however_it_is_written() {
    check_fault(r#"{"a":1,"a":1}"#, "/a: this name appears more than once");
    check_fault(
        r#"{"a":1,"b":2,"\u0061":1}"#,
        "/a: this name appears more than once",
    );
    check_fault(
        r#"[0,{"x/y~":{"é":1,"\u00e9":{}}}]"#,
        "/1/x~1y~0/é: this name appears more than once",
    );
    check_fault(r#"{"":1,"":1}"#, "/: this name appears more than once");
    check_ok(r#"{"a":{"a":{"a":1}},"A":1}"#);
    // Composed and decomposed: two names.
    check_ok("{\"\u{e9}\":1,\"e\u{301}\":1}");
}

#[test]
fn depth_is_counted_in_containers() {
    assert!(read(b"1", 1).is_ok());
    assert!(read(b"[]", 1).is_ok());
    assert!(read(b"[1,{}]", 1).is_err());
    assert!(read(b"[[],{},[1]]", 2).is_ok());
    let fault = read(br#"{"a":[0,[[]]]}"#, 3).unwrap_err();
    assert_eq!(fault.message, "/a/1: nested deeper than 3 levels");
    let deep = [vec![b'['; 64], vec![b']'; 64]].concat();
    assert!(accepts(&deep));
    let deeper = [vec![b'['; 65], vec![b']'; 65]].concat();
    assert!(!accepts(&deeper));
}

#[test]
fn a_flood_of_brackets_is_an_ordinary_fault() {
    for flood in ["[", "{\"a\":", "[{\"a\":"] {
        let fault = read(flood.repeat(200_000).as_bytes(), 128).unwrap_err();
        assert!(
            fault.message.ends_with("nested deeper than 128 levels"),
            "{fault:?}"
        );
        assert!(fault.pointer.len() <= crate::body::fault::POINTER_BYTES + 4);
    }
}

#[test]
fn the_number_of_values_is_bounded() {
    let array = |count: usize| format!("[0{}]", ",0".repeat(count - 1));
    assert!(accepts(array(MAX_VALUES - 1).as_bytes()));
    check_fault(&array(MAX_VALUES), "body: more than 500000 values");
}

#[test]
fn an_exponent_is_bounded() {
    check_ok("1e0000000000000000000000001");
    check_fault(
        "[1e1000000000]",
        "/0: a number's exponent has more than 9 digits",
    );
    check_fault(
        "1e-9999999999999999999999999",
        "body: a number's exponent has more than 9 digits",
    );
}
