use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(header: &str, expected: Option<&str>) {
    assert_eq!(lookup(header, "sid"), expected, "{header:?}");
}

/// The case "Cookie parsing differs from the origin's".
#[test]
fn what_other_parsers_tripped_over() {
    check("theme=dark; sid=A", Some("A"));
    // Two Cookie lines, as the runtime joins them.
    check("theme=dark, sid=A", Some("A"));
    check("sid=A, theme=dark", Some("A"));
    check("flag; sid=A", Some("A"));
    check("sid=A; flag", Some("A"));
    check("sid=x=y=", Some("x=y="));
    check("sid=x=z=", Some("x=z="));
    check("sid=\"A\"", Some("\"A\""));
    // A decoy makes the name ambiguous in either place, and across lines.
    check("sid=B; sid=1234", None);
    check("sid=1234; sid=B", None);
    check("sid=B, sid=1234", None);
    check("a=1; sid=B, c=2; sid=B", None);
}

#[test]
fn odd_segments_are_skipped() {
    check("", None);
    check(";;=;", None);
    check("=A; sid=B", Some("B"));
    check("sid", None);
    check("sid=", Some(""));
    check(" sid = A ;", Some("A"));
    check("\tsid=A", Some("A"));
    check("SID=A", None);
    check("xsid=A", None);
    check("a=sid=A", None);
}

#[test]
fn a_comma_alone_starts_no_line() {
    check("sid=a,b", Some("a,b"));
    check("sid=a, b", Some("a, b"));
    check("sid=a,b=c", Some("a,b=c"));
    check("sid=Mon, 01 Jan=x", Some("Mon, 01 Jan=x"));
    check("x=1, a b, sid=A", Some("A"));
    check("x=1, , sid=A", Some("A"));
    check("theme=dark, user[id]=7; sid=A", Some("A"));
    assert_eq!(lookup("theme=dark, user[id]=7", "theme"), Some("dark"));
}

#[test]
fn a_long_header_is_read_to_its_end() {
    let filler = "a=1; ".repeat(16 * 1024 / 5);
    check(&format!("{filler}sid=A"), Some("A"));
    // What could make the search for joints go over the same text again and again.
    for filler in [", ", ", a", "a, ", ",  "] {
        let header = format!("{}; sid=A", filler.repeat(1 << 20));
        check(&header, Some("A"));
    }
}

#[test]
fn presence_does_not_mind_repetition() {
    assert!(contains("sid=A; sid=B", "sid"));
    assert!(!contains("sid", "sid"));
}

proptest! {
    /// Where the grammar is kept and no name is repeated, the `cookie` crate agrees.
    #[test]
    fn agrees_with_the_cookie_crate(
        jar in prop::collection::btree_map("[a-zA-Z0-9_-]{1,6}", "[!#-+./0-9:=<>?@A-Z\\[\\]^_`a-z{}|~-]{0,12}", 1..6),
        wanted in "[a-z]{1,2}",
    ) {
        let header: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for joint in ["; ", ";", ", "] {
            let header = header.join(joint);
            for name in jar.keys().chain([&wanted]) {
                let expected = ::cookie::Cookie::split_parse(header.replace(", ", "; "))
                    .filter_map(Result::ok)
                    .find(|cookie| cookie.name() == name)
                    .map(|cookie| cookie.value().to_owned());
                prop_assert_eq!(lookup(&header, name), expected.as_deref());
            }
        }
    }

    #[test]
    fn nothing_panics(header in "\\PC*|[sid=;, \"é]{0,32}", name in "\\PC{0,4}|sid") {
        let found = lookup(&header, &name);
        prop_assert!(found.is_none() || contains(&header, &name));
    }
}
