use serde_json::{Value, json};

use crate::body::JsonBounds;

#[track_caller]
fn check_rejects(schema: &Value, pointer: &str, found: &str, expected: &str) {
    let faults = JsonBounds::of(&json!({ "schema": schema })).expect_err("a fault");
    let [fault] = faults.as_slice() else {
        panic!("{faults:?}")
    };
    assert_eq!(fault.pointer, pointer, "{fault:?}");
    assert_eq!(fault.found, found, "{fault:?}");
    assert!(fault.expected.contains(expected), "{fault:?}");
}

#[test]
fn a_policy_says_only_what_is_understood() {
    check_rejects(
        &json!({ "pattern": "^a" }),
        "/schema/pattern",
        "an unsupported keyword",
        "maxLength",
    );
    check_rejects(
        &json!({ "items": { "format": "email" } }),
        "/schema/items/format",
        "an unsupported keyword",
        "type",
    );
    check_rejects(
        &json!({ "items": [{}] }),
        "/schema/items",
        "a list of 1",
        "prefixItems",
    );
    check_rejects(
        &json!({ "type": "int" }),
        "/schema/type",
        "\"int\"",
        "integer",
    );
    check_rejects(
        &json!({ "type": [] }),
        "/schema/type",
        "a list of 0",
        "at least one",
    );
    check_rejects(
        &json!({ "type": ["string", 1] }),
        "/schema/type",
        "1",
        "string",
    );
    check_rejects(
        &json!({ "enum": [] }),
        "/schema/enum",
        "a list of 0",
        "at least one value",
    );
    check_rejects(
        &json!({ "minItems": -1 }),
        "/schema/minItems",
        "-1",
        "a whole number, at least 0",
    );
    check_rejects(
        &json!({ "maxItems": 1.5 }),
        "/schema/maxItems",
        "1.5",
        "a whole number",
    );
    check_rejects(
        &json!({ "required": "a" }),
        "/schema/required",
        "\"a\"",
        "a list of names",
    );
    check_rejects(
        &json!({ "required": ["a", 1] }),
        "/schema/required/1",
        "1",
        "a name",
    );
    check_rejects(
        &json!({ "properties": { "a/b": 1 } }),
        "/schema/properties/a~1b",
        "1",
        "a schema",
    );
    check_rejects(
        &json!({ "multipleOf": 0 }),
        "/schema/multipleOf",
        "0",
        "above zero",
    );
    check_rejects(
        &json!({ "maximum": "1" }),
        "/schema/maximum",
        "\"1\"",
        "a number",
    );
    check_rejects(
        &json!({ "uniqueItems": 1 }),
        "/schema/uniqueItems",
        "1",
        "true or false",
    );
    check_rejects(&json!("x"), "/schema", "\"x\"", "a schema");
    // serde_json has already rounded it.
    let rounded: Value = serde_json::from_str("{\"const\":[18446744073709551617]}").unwrap();
    check_rejects(
        &rounded,
        "/schema/const",
        "1.8446744073709552e+19",
        "kept exactly",
    );
}

#[test]
fn a_policy_that_nothing_satisfies_is_a_fault() {
    check_rejects(
        &json!({ "minItems": 3, "maxItems": 2 }),
        "/schema",
        "minItems 3 and maxItems 2",
        "no more",
    );
    check_rejects(
        &json!({ "minimum": 3, "maximum": 2 }),
        "/schema",
        "at least 3 and at most 2",
        "some number",
    );
    check_rejects(
        &json!({ "exclusiveMinimum": 2, "maximum": 2 }),
        "/schema",
        "more than 2 and at most 2",
        "some number",
    );
    check_rejects(
        &json!({ "const": 1, "enum": [2] }),
        "/schema",
        "enum and const that exclude each other",
        "one",
    );
    check_rejects(
        &json!({ "required": ["a"], "additionalProperties": false }),
        "/schema",
        "\"a\" required and not allowed",
        "properties",
    );
}

#[test]
fn every_fault_is_reported() {
    let table =
        json!({ "schema": { "type": "x", "minItems": "y", "foo": 1 }, "max_depth": 0, "more": 1 });
    assert_eq!(JsonBounds::of(&table).unwrap_err().len(), 5);
}

#[test]
fn a_schema_has_a_bounded_depth() {
    let mut schema = json!({});
    for _ in 0..40 {
        schema = json!({ "items": schema });
    }
    let faults = JsonBounds::of(&json!({ "schema": schema })).unwrap_err();
    assert_eq!(faults[0].expected, "at most 32 levels");
}
