use super::*;
use crate::http::path::normalise;
use proptest::prelude::*;

#[track_caller]
fn check(pattern: &str, path: &str, expected: bool) {
    let parsed = Pattern::parse(pattern, false).unwrap();
    assert_eq!(
        parsed.matches(&normalise(path)).is_some(),
        expected,
        "{pattern} on {path}"
    );
}

#[track_caller]
fn check_folding(pattern: &str, path: &str, expected: bool) {
    let parsed = Pattern::parse(pattern, true).unwrap();
    assert_eq!(
        parsed.matches(&normalise(path)).is_some(),
        expected,
        "{pattern} on {path}"
    );
}

#[test]
fn literals_hold_however_they_are_spelt() {
    check("/reports", "/reports", true);
    check("/reports", "/reports/", true);
    check("/reports", "//reports", true);
    check("/reports", "/%72eports", true);
    check("/reports", "/x/../reports", true);
    check("/reports", "/Reports", false);
    check("/reports", "/reports2", false);
    check("/reports", "/reports/1", false);
    check("/reports/", "/reports", true);
    check("/", "/", true);
    check("/", "/a", false);
    check("/a/b", "/a%2Fb", false);
    check("/a%2fb", "/a%2Fb", true);
    check("/caf\u{e9}", "/caf%c3%a9", true);
    check("/@admin", "/%40admin", true);
    check("/%3Aid", "/:id", true);
    check("/%2A", "/*", true);
}

#[test]
fn a_name_holds_for_one_segment() {
    check("/a/:id", "/a/1", true);
    check("/a/:id", "/a", false);
    check("/a/:id", "/a/", false);
    check("/a/:id", "/a/1/2", false);
    check("/:x", "/", false);
    let pattern = Pattern::parse("/api/v1/quizzes/:id/:action", false).unwrap();
    let path = normalise("/api/v1/quizzes/a%2Fb/Submit/");
    let captures = pattern.matches(&path).unwrap();
    assert_eq!(captures.get("id").as_deref(), Some("a%2Fb"));
    assert_eq!(captures.get("action").as_deref(), Some("Submit"));
    assert_eq!(captures.get("other"), None);
    assert_eq!(captures.pattern().as_str(), "/api/v1/quizzes/:id/:action");
    assert_eq!(pattern.names().collect::<Vec<_>>(), ["id", "action"]);
}

#[test]
fn a_star_holds_for_the_rest_and_for_nothing() {
    check("/a/*", "/a", true);
    check("/a/*", "/a/", true);
    check("/a/*", "/a/b/c", true);
    check("/a/*", "/ab", false);
    check("/a/*", "/a%2Fb", false);
    check("/*", "/", true);
    check("/*", "/a/b", true);
    check("/:x/*", "/", false);
    check("/:x/*", "/a", true);
}

#[test]
fn case_is_folded_only_on_request() {
    check_folding("/Reports/:Id", "/rePORTS/A", true);
    check_folding("/caf\u{e9}", "/CAF%C3%89", true);
    check_folding("/CAF\u{c9}", "/caf\u{e9}", true);
    check_folding("/ΟΔΟΣ", "/οδος", true);
    check_folding("/οδοσ", "/ΟΔΟΣ", true);
    check_folding("/İ", "/i\u{307}", true);
    check_folding("/İ", "/i", false);
    check_folding("/a%FF", "/A%ff", true);
    check_folding("/a%FF", "/A%fe", false);
    let pattern = Pattern::parse("/Users/:name", true).unwrap();
    let captures = pattern.matches("/USERS/Bob%C3%89").unwrap();
    assert_eq!(captures.get("name").as_deref(), Some("bob%C3%A9"));
    assert_eq!(captures.get("Name"), None);
}

#[track_caller]
fn rejects(pattern: &str, expected: PatternFault) {
    assert_eq!(
        Pattern::parse(pattern, false),
        Err(expected),
        "{pattern:?} should be a fault"
    );
}

#[test]
fn faults_are_named() {
    rejects("", PatternFault::NoSlash("/".into()));
    rejects("*", PatternFault::NoSlash("/*".into()));
    rejects("reports", PatternFault::NoSlash("/reports".into()));
    rejects("/a?x=1", PatternFault::NotPath('?', "%3F"));
    rejects("/a#x", PatternFault::NotPath('#', "%23"));
    rejects("/a\\b", PatternFault::Backslash);
    rejects("//", PatternFault::EmptySegment);
    rejects("//a", PatternFault::EmptySegment);
    rejects("/a//b", PatternFault::EmptySegment);
    rejects("/a//*", PatternFault::EmptySegment);
    rejects("//*", PatternFault::EmptySegment);
    rejects("/a//", PatternFault::EmptySegment);
    rejects("/a/../b", PatternFault::DotSegment("..".into()));
    rejects("/%2e", PatternFault::DotSegment("%2e".into()));
    rejects("/100%", PatternFault::BadEscape("100%".into()));
    rejects("/%g0", PatternFault::BadEscape("%g0".into()));
    rejects("/:", PatternFault::BadName(":".into()));
    rejects("/:a.json", PatternFault::BadName(":a.json".into()));
    rejects("/:a/:a", PatternFault::NameTwice("a".into()));
    rejects("/a*", PatternFault::MisplacedStar("a*".into()));
    rejects("/*/a", PatternFault::MisplacedStar("*".into()));
    rejects("/**", PatternFault::MisplacedStar("**".into()));
    rejects(
        &format!("/{}", "a".repeat(MAX_PATTERN_BYTES)),
        PatternFault::TooLong,
    );
}

#[test]
fn the_index_sees_the_first_segment() {
    let first = |text, fold| {
        let pattern = Pattern::parse(text, fold).unwrap();
        pattern.first_literal().map(str::to_owned)
    };
    assert_eq!(first("/A/b", false).as_deref(), Some("A"));
    assert_eq!(first("/A/b", true).as_deref(), Some("a"));
    assert_eq!(first("/a/*", false).as_deref(), Some("a"));
    assert_eq!(first("/", false).as_deref(), Some(""));
    assert_eq!(first("/*", false), None);
    assert_eq!(first("/:x/a", false), None);
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC*|/[a:*%/.2e-]{0,12}", path in "\\PC*", fold in any::<bool>()) {
        if let Ok(pattern) = Pattern::parse(&text, fold) {
            let path = normalise(&path);
            if let Some(captures) = pattern.matches(&path) {
                for name in pattern.names() {
                    prop_assert!(captures.get(name).is_some());
                }
            }
        }
    }

    #[test]
    fn a_path_is_found_where_the_index_looks(
        text in "(/[abAB]|/:x){0,1}(/[ab]){0,2}(/\\*){0,1}",
        path in "(/[abAB]){0,3}",
        folds in any::<bool>(),
    ) {
        let text = if text.is_empty() { "/" } else { &text };
        let pattern = Pattern::parse(text, folds).unwrap();
        let path = normalise(&path);
        if pattern.matches(&path).is_some() && let Some(first) = pattern.first_literal() {
            let segment = crate::http::path::first_segment(&path);
            let seen = if folds { fold(segment) } else { segment.into() };
            prop_assert_eq!(first, seen);
        }
    }
}
