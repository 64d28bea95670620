use proptest::prelude::*;
use serde_json::{Value, json};

use super::{JsonBounds, read};
use crate::body::{BodyFault, BoundsFault, FaultKind};
use crate::json::Node;

impl JsonBounds {
    /// Compiles what is written as another library's value.
    pub(super) fn of(table: &Value) -> Result<Self, Vec<BoundsFault>> {
        Self::compile(&Node::of(table))
    }
}

/// The policy of the guide: 1 to 10 accounts, pages of 1 to 100, at most 500 together.
fn reports() -> JsonBounds {
    JsonBounds::of(&json!({
        "cost": { "terms": ["/accounts#", "/pageSize"], "max": 500 },
        "schema": {
            "type": "object",
            "required": ["accounts", "pageSize"],
            "properties": {
                "accounts": { "type": "array", "minItems": 1, "maxItems": 10, "uniqueItems": true },
                "pageSize": { "type": "integer", "minimum": 1, "maximum": 100 },
            },
        },
    }))
    .expect("bounds")
}

fn report(accounts: usize, page_size: &str) -> String {
    let accounts: Vec<usize> = (0..accounts).collect();
    format!("{{\"accounts\":{accounts:?},\"pageSize\":{page_size}}}")
}

#[test]
fn a_report_is_bounded_by_field_and_in_all() {
    #[track_caller]
    fn check(accounts: usize, page_size: &str, expected: Result<u64, &str>) {
        let found = reports().inspect(report(accounts, page_size).as_bytes());
        let found = found.map(|inspected| inspected.cost.unwrap());
        let found = found
            .as_ref()
            .map(|&cost| cost)
            .map_err(|f| f.message.as_str());
        assert_eq!(found, expected);
    }
    check(5, "100", Ok(500));
    check(5, "1e2", Ok(500));
    check(6, "100", Err("the request's cost is 600, at most 500"));
    check(10, "50", Ok(500));
    check(11, "1", Err("/accounts: 11 items, at most 10"));
    check(0, "1", Err("/accounts: 0 items, at least 1"));
    check(1, "101", Err("/pageSize: 101, at most 100"));
    check(1, "0", Err("/pageSize: 0, at least 1"));
    check(1, "1.5", Err("/pageSize: 1.5, expected an integer"));
    check(1, "\"1\"", Err("/pageSize: a string, expected an integer"));
}

#[test]
fn too_expensive_says_how_much() {
    let fault = reports().inspect(report(6, "100").as_bytes()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::TooExpensive);
    assert_eq!((fault.cost, fault.max), (Some(600), Some(500)));
}

#[track_caller]
fn check_cost(terms: &[&str], body: &str, expected: Result<u64, &str>) {
    let bounds = JsonBounds::of(&json!({ "cost": { "terms": terms } })).expect("bounds");
    assert!(bounds.has_cost());
    let found = bounds.inspect(body.as_bytes());
    let found = found.map(|inspected| inspected.cost.unwrap());
    let found = found
        .as_ref()
        .map(|&cost| cost)
        .map_err(|f| f.message.as_str());
    assert_eq!(found, expected, "{terms:?} {body}");
}

#[test]
fn cost_is_the_product_of_its_terms() {
    check_cost(&["#"], "[1,2,3]", Ok(3));
    check_cost(&["#"], "[]", Ok(0));
    check_cost(&["#"], "{\"a\":1}", Ok(1));
    check_cost(&["#"], "null", Ok(1));
    check_cost(&[""], "7", Ok(7));
    check_cost(&["/a/1/b"], r#"{"a":[0,{"b":9}]}"#, Ok(9));
    check_cost(&["/a~1b~0#"], r#"{"a/b~":[1,2]}"#, Ok(2));
    check_cost(&["/"], r#"{"":4}"#, Ok(4));
    check_cost(&["/\u{e9}"], r#"{"\u00e9":4}"#, Ok(4));
    check_cost(
        &["/a", "/b"],
        r#"{"a":18446744073709551615,"b":2}"#,
        Ok(u64::MAX),
    );
    check_cost(&["/a", "/b"], r#"{"a":1e999999999,"b":0}"#, Ok(0));
}

#[test]
fn a_term_without_a_number_is_the_clients_fault() {
    const WHOLE: &str = "a whole number, not negative";
    #[track_caller]
    fn check(term: &str, body: &str, message: &str) {
        check_cost(&[term], body, Err(message));
    }
    check("/a", "{}", &format!("/a: missing, expected {WHOLE}"));
    check("/a", "[1]", &format!("/a: missing, expected {WHOLE}"));
    check("/01", "[1,2]", &format!("/01: missing, expected {WHOLE}"));
    check("/-", "[1,2]", &format!("/-: missing, expected {WHOLE}"));
    check(
        "/99999999999999999999999",
        "[1]",
        &format!("/99999999999999999999999: missing, expected {WHOLE}"),
    );
    check("/a", r#"{"a":-1}"#, &format!("/a: -1, expected {WHOLE}"));
    check("/a", r#"{"a":0.5}"#, &format!("/a: 0.5, expected {WHOLE}"));
    check(
        "/a",
        r#"{"a":"5"}"#,
        &format!("/a: a string, expected {WHOLE}"),
    );
    check("/a#", r#"{"a":{}}"#, "/a: an object, expected an array");
    check("/a#", "{}", "/a: missing, expected an array");
}

#[test]
fn a_cost_that_cannot_be_meant_is_a_fault() {
    #[track_caller]
    fn check(cost: &Value, pointer: &str) {
        let faults = JsonBounds::of(&json!({ "cost": cost })).expect_err("a fault");
        let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(pointers, [pointer], "{faults:?}");
    }
    check(&json!({ "max": 1 }), "/cost");
    check(&json!({ "terms": [] }), "/cost/terms");
    check(&json!({ "terms": ["a"] }), "/cost/terms/0");
    check(&json!({ "terms": ["/a", "/~2"] }), "/cost/terms/1");
    check(&json!({ "terms": ["/a", 1] }), "/cost/terms/1");
    check(&json!({ "terms": ["#"], "max": -1 }), "/cost/max");
    check(&json!({ "terms": ["#"], "min": 1 }), "/cost/min");
    check(&json!(1), "/cost");
}

#[test]
fn without_fields_a_body_must_only_be_json() {
    let bounds = JsonBounds::of(&json!({})).unwrap();
    assert!(!bounds.has_cost());
    assert_eq!(bounds.inspect(b"[1]").unwrap().cost, None);
    assert!(bounds.inspect(b"[1").is_err());
    assert!(
        bounds
            .inspect(&[vec![b'['; 65], vec![b']'; 65]].concat())
            .is_err()
    );
    for depth in [json!(0), json!(129), json!("4"), json!(1.5)] {
        assert!(JsonBounds::of(&json!({ "max_depth": depth })).is_err());
    }
}

#[test]
fn a_large_array_of_like_items_is_checked_in_one_pass() {
    let bounds = JsonBounds::of(&json!({ "schema": { "uniqueItems": true } })).unwrap();
    let items: Vec<String> = (0..200_000).map(|i| format!("\"{i:0>6}\"")).collect();
    let body = format!("[{}]", items.join(","));
    assert!(bounds.inspect(body.as_bytes()).is_ok());
}

/// Anything that serde_json can write, with deep and wide corners.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}|[\\x00-\\x1f\"\\\\\u{10ffff}]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\é]{0,3}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Bytes that look like JSON and often are not.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"\\u0061\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"",
        "\\",
        "0",
        "-1",
        "1.5e3",
        "01",
        "1e400",
        "true",
        "nul",
        " ",
        "\n",
        "\u{feff}",
        "é",
        "\u{0}",
    ]);
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat().into_bytes())
}

/// A bound of every kind, so that whatever reads may also be checked.
fn any_bounds() -> JsonBounds {
    JsonBounds::of(&json!({
        "max_depth": 128,
        "schema": {
            "uniqueItems": true, "maxItems": 5, "minProperties": 1, "maxLength": 6, "multipleOf": 0.5,
            "items": { "enum": [1, "a", null, [], {}] }, "required": ["a"], "minimum": -1000,
            "additionalProperties": { "uniqueItems": true, "type": ["integer", "string", "array", "object"] },
        },
        "cost": { "terms": ["/a", "/0#", "#"], "max": 10 },
    }))
    .unwrap()
}

fn check_total(bytes: &[u8]) -> Result<(), BodyFault> {
    any_bounds().inspect(bytes).map(|_| ())
}

proptest! {
    #[test]
    fn reads_whatever_serde_json_writes(value in document(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        prop_assert!(read::read(text.as_bytes(), 64).is_ok(), "{}", text);
        let _ = check_total(text.as_bytes());
    }

    #[test]
    fn equals_exactly_what_serde_json_finds_equal(one in document(), other in document()) {
        let bounds = JsonBounds::of(&json!({ "schema": { "uniqueItems": true } })).unwrap();
        let pair = json!([one, other]).to_string();
        // 1.0 and 1 differ for serde_json, so only its inequality of documents without doubles counts.
        if one == other {
            prop_assert!(bounds.inspect(pair.as_bytes()).is_err());
        } else if !pair.contains(['.', 'e']) {
            prop_assert!(bounds.inspect(pair.as_bytes()).is_ok());
        }
        let twice = json!([one, one]).to_string();
        prop_assert!(bounds.inspect(twice.as_bytes()).is_err());
    }

    #[test]
    fn accepts_nothing_that_serde_json_refuses(bytes in nearly_json()) {
        let ours = read::read(&bytes, 64).is_ok();
        let theirs = serde_json::from_slice::<Value>(&bytes).is_ok();
        let text = String::from_utf8(bytes.clone()).unwrap();
        // A double has no 1e400, and serde_json lets a name come twice.
        prop_assert!(!ours || theirs || text.contains("1e400"), "{}", text);
        let twice = text.matches("\"a\"").count() + text.matches("\"\\u0061\"").count() > 1;
        prop_assert!(ours || !theirs || twice, "{}", text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = check_total(&bytes);
    }

    #[test]
    fn no_damage_panics(value in document(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = value.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = check_total(&bytes);
    }
}
