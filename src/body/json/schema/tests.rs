use serde_json::{Value, json};

use crate::body::JsonBounds;

/// Empty: it passes. Else the message.
#[track_caller]
fn check(schema: &Value, body: &str, message: &str) {
    let bounds = JsonBounds::of(&json!({ "schema": schema })).expect("a schema");
    let found = match bounds.inspect(body.as_bytes()) {
        Ok(_) => String::new(),
        Err(fault) => fault.message,
    };
    assert_eq!(found, message, "{schema} {body}");
}

#[test]
fn types() {
    let integer = json!({ "type": "integer" });
    check(&integer, "1", "");
    check(&integer, "1.0", "");
    check(&integer, "10e-1", "");
    check(&integer, "-0", "");
    check(&integer, "1e300", "");
    check(&integer, "1.5", "body: 1.5, expected an integer");
    check(&integer, "\"1\"", "body: a string, expected an integer");
    let number = json!({ "type": "number" });
    check(&number, "1", "");
    check(&number, "1.5", "");
    check(&number, "true", "body: a boolean, expected a number");
    let several = json!({ "type": ["string", "null"] });
    check(&several, "null", "");
    check(&several, "\"\"", "");
    check(&several, "[]", "body: an array, expected null or a string");
    for (name, body) in [
        ("object", "{}"),
        ("array", "[]"),
        ("boolean", "false"),
        ("null", "null"),
    ] {
        check(&json!({ "type": name }), body, "");
        check(
            &json!({ "type": name }),
            "0",
            &format!("body: 0, expected {}", phrase(name)),
        );
    }
    check(&json!(true), "1", "");
    check(&json!({}), "1", "");
    check(&json!(false), "1", "body: not allowed here");
}

fn phrase(name: &str) -> &'static str {
    match name {
        "object" => "an object",
        "array" => "an array",
        "boolean" => "a boolean",
        _ => "null",
    }
}

#[test]
fn objects() {
    let schema = json!({
        "type": "object",
        "required": ["a", "x"],
        "properties": { "a": { "type": "string" }, "b": true, "never": false },
        "additionalProperties": { "type": "null" },
        "maxProperties": 4,
    });
    check(&schema, r#"{"a":"","x":null}"#, "");
    check(&schema, r#"{"\u0061":"","x":null,"b":[1]}"#, "");
    check(&schema, r#"{"a":""}"#, "/x: missing");
    check(&schema, r#"{"a":"","x":1}"#, "/x: 1, expected null");
    check(&schema, r#"{"a":1,"x":null}"#, "/a: 1, expected a string");
    check(
        &schema,
        r#"{"a":"","x":null,"o/~":{}}"#,
        "/o~1~0: an object, expected null",
    );
    check(
        &schema,
        r#"{"a":"","x":null,"never":null}"#,
        "/never: not allowed here",
    );
    check(
        &schema,
        r#"{"1":0,"2":0,"3":0,"4":0,"5":0}"#,
        "body: 5 members, at most 4",
    );
    let closed =
        json!({ "properties": { "a": {} }, "additionalProperties": false, "minProperties": 1 });
    check(&closed, r#"{"a":1}"#, "");
    check(&closed, r#"{"a":1,"b":1}"#, "/b: not allowed here");
    check(&closed, "{}", "body: 0 members, at least 1");
    check(&closed, "[]", "");
}

#[test]
fn arrays() {
    let schema = json!({ "items": { "type": "integer" }, "minItems": 1, "maxItems": 3 });
    check(&schema, "[1,2,3]", "");
    check(&schema, "[]", "body: 0 items, at least 1");
    check(&schema, "[1,2,3,4]", "body: 4 items, at most 3");
    check(&schema, "[1,\"2\"]", "/1: a string, expected an integer");
    check(&schema, "{}", "");
    let tuple = json!({ "prefixItems": [{ "type": "string" }, true], "items": false });
    check(&tuple, "[\"a\",1]", "");
    check(&tuple, "[]", "");
    check(&tuple, "[1]", "/0: 1, expected a string");
    check(&tuple, "[\"a\",1,1]", "/2: not allowed here");
}

#[test]
fn unique_items() {
    let schema = json!({ "uniqueItems": true });
    check(&schema, "[]", "");
    check(
        &schema,
        "[1,\"1\",true,[1],{\"1\":1},null,false,\"true\"]",
        "",
    );
    check(&schema, "[9007199254740992,9007199254740993]", "");
    check(
        &schema,
        "[0,1,false,1.0]",
        "body: item 3 repeats item 1, expected unique items",
    );
    check(
        &schema,
        r#"["abc","\u0061bc"]"#,
        "body: item 1 repeats item 0, expected unique items",
    );
    check(
        &schema,
        r#"[{"a":[1],"b":2},{"b":2.0,"a":[10e-1]}]"#,
        "body: item 1 repeats item 0, expected unique items",
    );
    check(&schema, r#"[["a","b"],["ab"],["a"],["b","a"]]"#, "");
    check(&json!({ "uniqueItems": false }), "[1,1]", "");
}

#[test]
fn strings_are_counted_in_code_points() {
    let schema = json!({ "minLength": 2, "maxLength": 3 });
    check(&schema, "\"é😀\"", "");
    check(&schema, r#""\ud83d\ude00\u00e9x""#, "");
    check(&schema, "\"😀\"", "body: 1 characters, at least 2");
    check(&schema, "\"abcd\"", "body: 4 characters, at most 3");
    check(&schema, "12345", "");
}

#[test]
fn numbers() {
    let schema = json!({ "minimum": 1, "maximum": 100 });
    check(&schema, "1", "");
    check(&schema, "100.0", "");
    check(&schema, "1e2", "");
    check(
        &schema,
        "0.9999999999999999999999",
        "body: 0.9999999999999999999999, at least 1",
    );
    check(
        &schema,
        "100.00000000000000000001",
        "body: 100.00000000000000000001, at most 100",
    );
    check(&schema, "1e999999999", "body: 1e999999999, at most 100");
    check(&schema, "-1e999999999", "body: -1e999999999, at least 1");
    check(&schema, "\"x\"", "");
    let open = json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1.5 });
    check(&open, "1e-9", "");
    check(&open, "0", "body: 0, more than 0");
    check(&open, "1.5", "body: 1.5, less than 1.5");
    let big = json!({ "maximum": 9_007_199_254_740_992_u64 });
    check(&big, "9007199254740992", "");
    check(
        &big,
        "9007199254740993",
        "body: 9007199254740993, at most 9007199254740992",
    );
    check(&json!({ "multipleOf": 0.01 }), "19.99", "");
    check(
        &json!({ "multipleOf": 0.01 }),
        "19.999",
        "body: 19.999, expected a multiple of 0.01",
    );
    let long = format!("1{}", "0".repeat(5000));
    check(
        &schema,
        &long,
        &format!("body: 1{}…, at most 100", "0".repeat(39)),
    );
}

#[test]
fn enum_and_const() {
    let schema = json!({ "enum": ["a", 1, null, { "x": [1, 2] }] });
    check(&schema, r#""\u0061""#, "");
    check(&schema, "1.0", "");
    check(&schema, "null", "");
    check(&schema, r#"{"x":[1,2e0]}"#, "");
    check(&schema, "false", "body: not one of the values allowed");
    check(
        &schema,
        r#"{"x":[2,1]}"#,
        "body: not one of the values allowed",
    );
    check(
        &json!({ "const": 9_007_199_254_740_993_u64 }),
        "9007199254740993",
        "",
    );
    let close = "body: not one of the values allowed";
    check(
        &json!({ "const": 9_007_199_254_740_993_u64 }),
        "9007199254740992",
        close,
    );
    check(&json!({ "const": 1, "enum": [1, 2] }), "2", close);
}

#[test]
fn annotations_are_allowed() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": "", "title": "t",
        "description": "d", "default": 1, "examples": [],
    });
    check(&schema, "1", "");
}
