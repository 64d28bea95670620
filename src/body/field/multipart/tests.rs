use proptest::prelude::*;

use super::lookup;

/// Each line ends in CRLF; `body` shows them with `\n`.
#[track_caller]
fn check(body: &str, value: Option<&str>) {
    let bytes = body.replace('\n', "\r\n");
    let found = lookup(bytes.as_bytes(), "B", "user");
    assert_eq!(found.as_deref(), value, "{body}");
}

#[test]
fn one_part_of_the_name() {
    check(
        "--B\nContent-Disposition: form-data; name=\"user\"\n\nabc\n--B--\n",
        Some("abc"),
    );
    check(
        "--B\nContent-Disposition: form-data; name=user\n\n\n--B--",
        Some(""),
    );
    check(
        "pre\n\n--B \t\ncontent-disposition:form-data;name=\"user\"\nX-A: b\n\na\n--b\n\n--B--\nepilogue",
        Some("a\n--b\n").map(|_| "a\r\n--b\r\n"),
    );
    check(
        "--B\nContent-Disposition: form-data; name=\"a\"\n\n1\n--B\nContent-Disposition: form-data; name=\"user\"\n\
         Content-Type: text/plain\n\né\n--B\nContent-Disposition: form-data; name=\"f\"; filename=\"user\"\n\nx\n--B--\n",
        Some("é"),
    );
    check(
        "--B\nContent-Disposition: form-data; name=\"us\\er\"\n\nabc\n--B--\n",
        Some("abc"),
    );
    check(
        "--B\nContent-Disposition: form-data; name=\"User\"\n\nabc\n--B--\n",
        None,
    );
    check("--B--\n", None);
}

#[test]
fn files_and_repetitions_are_absent() {
    check(
        "--B\nContent-Disposition: form-data; name=\"user\"; filename=\"\"\n\nabc\n--B--\n",
        None,
    );
    check(
        "--B\nContent-Disposition: form-data; name=\"user\"; filename*=utf-8''a\n\nabc\n--B--\n",
        None,
    );
    check(
        "--B\nContent-Disposition: form-data; name=\"user\"\nContent-Transfer-Encoding: base64\n\nYQ==\n--B--\n",
        None,
    );
    let part = "--B\nContent-Disposition: form-data; name=\"user\"\n\nabc\n";
    let file = "--B\nContent-Disposition: form-data; name=\"user\"; filename=\"f\"\n\nabc\n";
    for parts in [[part, part], [part, file], [file, part]] {
        check(&format!("{}--B--\n", parts.concat()), None);
    }
}

#[test]
fn a_damaged_body_has_no_fields() {
    let good = "--B\nContent-Disposition: form-data; name=\"user\"\n\nabc\n--B--\n";
    check(good, Some("abc"));
    for (from, to) in [
        ("--B--", "--C--"),
        ("--B--", "--B"),
        ("--B\n", "--Bx\n"),
        ("\n\nabc", "\nabc"),
        ("form-data;", "form-data; name=\"a\";"),
        ("form-data;", "attachment;"),
        ("Content-Disposition:", "Content-Disposition"),
        ("Content-Disposition:", "Content-Disposition :"),
        ("Content-Disposition:", "X:"),
        (
            "Content-Disposition: form-data;",
            "Content-Disposition: form-data;\n ",
        ),
        (
            "Content-Disposition:",
            "Content-Disposition: form-data; name=\"a\"\nContent-Disposition:",
        ),
        ("name=\"user\"", "name=\"user"),
        ("name=\"user\"", "nome=\"user\""),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        check(&bad, None);
    }
    let unix = lookup(good.as_bytes(), "B", "user");
    assert_eq!(unix, None);
    for boundary in ["", &"b".repeat(71)] {
        let body = good
            .replace("--B", &format!("--{boundary}"))
            .replace('\n', "\r\n");
        assert_eq!(lookup(body.as_bytes(), boundary, "user"), None);
    }
}

proptest! {
    #[test]
    fn whatever_was_wrapped_comes_back(value in "[^\r]{0,20}", before in "[a-z]{0,5}") {
        let body = format!(
            "--B\r\nContent-Disposition: form-data; name=\"x{before}\"\r\n\r\n{before}\r\n\
             --B\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\n{value}\r\n--B--\r\n"
        );
        prop_assert_eq!(lookup(body.as_bytes(), "B", "user"), Some(value));
    }

    #[test]
    fn nothing_panics(pieces in prop::collection::vec(prop::sample::select(vec![
        "--B", "\r\n", "--", "Content-Disposition:", "form-data", ";", "name=", "\"user\"", "\"", "\\", "x", " ", "\u{e9}",
    ]), 0..24), boundary in "B|\\PC{0,3}") {
        let _ = lookup(pieces.concat().as_bytes(), &boundary, "user");
    }
}
