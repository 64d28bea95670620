use proptest::prelude::*;

use super::*;
use crate::body::FaultKind;

/// operations, depth, aliases, selections, top
#[track_caller]
fn check(text: &str, expected: [u64; 5]) {
    let weight = weigh("", text).expect(text);
    let Weight {
        operations,
        depth,
        aliases,
        selections,
        top,
    } = weight;
    assert_eq!(
        [operations, depth, aliases, selections, top],
        expected,
        "{text}"
    );
}

#[test]
fn fields_are_counted_where_they_stand() {
    check("{a}", [1, 1, 0, 1, 1]);
    check("{a b,c}", [1, 1, 0, 3, 3]);
    check("query Q { a { b { c d } } e }", [1, 3, 0, 5, 2]);
    check("{x:a y:a{z:b}}", [1, 2, 3, 3, 2]);
    check(
        "mutation M($i:[[In!]!]! = {a:[1,{b:$c}],d:-1.5e+3} @d, $j: I) @a(b:ENUM) { f(i:$i,s:\"}\") @skip(if:true) }",
        [1, 1, 0, 1, 1],
    );
    check(
        "subscription{query{fragment{on{mutation}}}}",
        [1, 4, 0, 4, 1],
    );
    check(
        "{ a(x: []) b(x: {}) c(x: [[], {y: [{}]}]) }",
        [1, 1, 0, 3, 3],
    );
    check("\"about\" query { a }", [1, 1, 0, 1, 1]);
}

#[test]
fn fragments_count_where_they_are_spread() {
    check("{...F ...F} fragment F on T {a b{c}}", [1, 2, 0, 6, 4]);
    check("{a{...F}} fragment F on T {b{c}}", [1, 3, 0, 3, 1]);
    check("{...{a} ... on T @x {b} ...@x{c{d}}}", [1, 2, 0, 4, 3]);
    check(
        "fragment A on T{x:a ...B} {p{...A}...A} fragment B on T{y:b{c}}",
        [1, 3, 4, 7, 3],
    );
    check("{a} fragment Unused on T {b{c{d}}}", [1, 1, 0, 1, 1]);
}

#[test]
fn the_dearest_operation_counts() {
    check(
        "query A{a{b{c}}} query B{a b c d} query C{x:a}",
        [3, 3, 1, 4, 4],
    );
}

#[test]
fn strings_and_comments_hide_nothing() {
    check("{a#}\nb}", [1, 1, 0, 2, 2]);
    check("{a#}\rb}", [1, 1, 0, 2, 2]);
    check("\u{feff}{a(s:\"\\\"}{\\\\\")b}", [1, 1, 0, 2, 2]);
    check("{a(s:\"\\u0022\\u{1F600}é\")b}", [1, 1, 0, 2, 2]);
    check(
        "{a(s:\"\"\"\n\"}\" \\\"\"\" {x} \\\\\"\"\")c}\"\"\")b}",
        [1, 1, 0, 2, 2],
    );
    check("{a(s:\"\")b(s:\"\"\"\"\"\")}", [1, 1, 0, 2, 2]);
}

#[track_caller]
fn check_fault(text: &str, message: &str) {
    let fault = weigh("/query", text).expect_err(text);
    assert_eq!(fault.message, message, "{text}");
    assert_eq!(fault.kind, FaultKind::InvalidRequest);
}

#[test]
fn what_does_not_parse_is_invalid() {
    check_fault(
        "",
        "/query: not GraphQL: ends early, expected an operation or a fragment",
    );
    check_fault(
        "{}",
        "/query: not GraphQL at byte 1: found '}', expected a name",
    );
    check_fault("{a", "/query: not GraphQL: ends early, expected a name");
    check_fault(
        "{a}}",
        "/query: not GraphQL at byte 3: found '}', expected an operation or a fragment",
    );
    check_fault(
        "{a{}}",
        "/query: not GraphQL at byte 3: found '}', expected a name",
    );
    check_fault(
        "type T { a: Int }",
        "/query: not GraphQL at byte 0: found 't', expected an operation or a fragment",
    );
    check_fault(
        "{a(}",
        "/query: not GraphQL at byte 3: found '}', expected a name",
    );
    check_fault(
        "{a()}",
        "/query: not GraphQL at byte 3: found ')', expected a name",
    );
    check_fault(
        "{a(b:[1}])}",
        "/query: not GraphQL at byte 7: found '}', expected a value",
    );
    check_fault(
        "{a(b:01)}",
        "/query: not GraphQL at byte 5: found '0', expected a value",
    );
    check_fault(
        "{a(b:\"x\ny\")}",
        "/query: not GraphQL at byte 5: found '\"', expected a value",
    );
    check_fault(
        "{a(b:\"\"\"x)}",
        "/query: not GraphQL at byte 5: found '\"', expected a value",
    );
    check_fault(
        "{a(b:\"\\x\")}",
        "/query: not GraphQL at byte 5: found '\"', expected a value",
    );
    check_fault(
        "{a(b:\"\\u12\")}",
        "/query: not GraphQL at byte 5: found '\"', expected a value",
    );
    check_fault(
        "{a..b}",
        "/query: not GraphQL at byte 2: found '.', expected a name",
    );
    check_fault(
        "query Q(a:B){c}",
        "/query: not GraphQL at byte 8: found 'a', expected a variable",
    );
    check_fault(
        "query Q($a:[B){c}",
        "/query: not GraphQL at byte 13: found ')', expected `]`",
    );
    check_fault(
        "{é}",
        "/query: not GraphQL at byte 1: found 'é', expected a name",
    );
    check_fault("{...F}", "/query: fragment F is not defined");
    check_fault(
        "{...F} fragment F on T{a} fragment F on T{b}",
        "/query: fragment F is defined twice",
    );
    check_fault(
        "{...F} fragment F on T{...G} fragment G on T{a{...F}}",
        "/query: fragment F spreads itself",
    );
    check_fault(
        "fragment on on T{a}",
        "/query: not GraphQL at byte 9: found 'o', expected the name of the fragment",
    );
    check_fault("fragment F on T{a}", "/query: no operation, only fragments");
}

#[test]
fn a_bomb_is_weighed_without_going_off() {
    use std::fmt::Write;
    let mut bomb = String::from("{...F0}");
    for i in 0..100 {
        let next = i + 1;
        write!(bomb, "fragment F{i} on T{{...F{next} ...F{next}}}").unwrap();
    }
    bomb.push_str("fragment F100 on T{x:a}");
    let weight = weigh("", &bomb).unwrap();
    assert_eq!(
        (weight.selections, weight.aliases, weight.top),
        (u64::MAX, u64::MAX, u64::MAX)
    );
    let chain: String = (0..5000).fold("{...F0}".to_owned(), |mut text, i| {
        let _ = write!(text, "fragment F{i} on T{{...F{}}}", i + 1);
        text
    });
    for deep in [
        "{a".repeat(100_000),
        "{...".repeat(100_000),
        format!("{{a(b:{}", "[".repeat(100_000)),
        format!("{{a(b:{}", "{c:".repeat(100_000)),
        format!("query($a:{}", "[".repeat(100_000)),
        chain,
    ] {
        let fault = weigh("", &deep).unwrap_err();
        assert_eq!(fault.message, "the nesting is 129, at most 128");
    }
}

proptest! {
    #[test]
    fn nothing_panics(tokens in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "(", ")", "[", "]", ":", "=", "@", "$", "!", "...", "a", "on", "query", "fragment", "F", "\"", "\"\"\"",
        "\\", "#", "\n", " ", "-", "0", "1.5", "é", "\u{feff}",
    ]), 0..24)) {
        let _ = weigh("", &tokens.concat());
        let _ = weigh("", &tokens.join(" "));
    }

    #[test]
    fn depth_and_width_are_what_was_built(depth in 1_u64..60, width in 1_u64..20) {
        let last = "a ".repeat(usize::try_from(width).unwrap());
        let open = "{x:a".repeat(usize::try_from(depth - 1).unwrap());
        let text = format!("{open}{{{last}}}{}", "}".repeat(usize::try_from(depth - 1).unwrap()));
        let weight = weigh("", &text).unwrap();
        prop_assert_eq!(weight.depth, depth);
        prop_assert_eq!(weight.aliases, depth - 1);
        prop_assert_eq!(weight.selections, depth - 1 + width);
    }
}
