use serde_json::{Value, json};

use super::*;
use crate::body::FaultKind;

impl GraphqlBounds {
    /// Compiles what is written as another library's value.
    fn of(table: &Value) -> Result<Self, Vec<BoundsFault>> {
        Self::compile(&Node::of(table))
    }
}

fn bounds() -> GraphqlBounds {
    let table =
        json!({ "max_depth": 3, "max_aliases": 2, "max_operations": 2, "max_selections": 6 });
    GraphqlBounds::of(&table).unwrap()
}

#[track_caller]
fn check_request(
    url_query: &str,
    content_type: &str,
    body: &str,
    expected: Result<Option<u64>, &str>,
) {
    let found = bounds().inspect(url_query, Some(content_type), body.as_bytes());
    let found = found
        .as_ref()
        .map(|i| i.cost)
        .map_err(|fault| fault.message.as_str());
    assert_eq!(found, expected, "{url_query} {body}");
}

#[test]
fn requests_are_found_wherever_they_may_be() {
    const JSON: &str = "application/json";
    check_request(
        "",
        JSON,
        r#"{"query":"{a b}","variables":{"x":[1]}}"#,
        Ok(Some(2)),
    );
    check_request(
        "",
        JSON,
        r#"[{"query":"{a b}"},{"query":"\u007ba}"}]"#,
        Ok(Some(3)),
    );
    check_request("", "text/plain", r#"{"query":"{a}"}"#, Ok(Some(1)));
    check_request(
        "",
        "Application/GraphQL; charset=utf-8",
        "{a b c}",
        Ok(Some(3)),
    );
    check_request("a=b&query=%7Ba+b%7D", "", "", Ok(Some(2)));
    check_request("query={a}", JSON, r#"{"query":"{a b}"}"#, Ok(Some(3)));
    check_request("", "", "", Ok(None));
    check_request("", JSON, "[]", Ok(None));
    check_request(
        "query={a}&query={b}",
        "",
        "",
        Err("body: more than one `query` in the URL"),
    );
    check_request(
        "query=",
        "",
        "",
        Err("body: not GraphQL: ends early, expected an operation or a fragment"),
    );
    check_request(
        "",
        JSON,
        r#"{"query":null}"#,
        Err("/query: null, expected a string"),
    );
    check_request(
        "",
        JSON,
        r#"[{"query":"{a}"},{"id":"x"}]"#,
        Err("/1/query: missing"),
    );
    check_request(
        "",
        JSON,
        r#"[{"query":"{a}"},[]]"#,
        Err("/1/query: missing"),
    );
    check_request(
        "",
        JSON,
        r#"{"query":"{a}","query":"{b}"}"#,
        Err("/query: this name appears more than once"),
    );
    check_request(
        "",
        JSON,
        "query",
        Err("body: not JSON at byte 0: found 'q', expected a value"),
    );
}

#[test]
fn each_bound_holds_for_the_whole_request() {
    const TYPE: &str = "application/graphql";
    check_request("", TYPE, "{a{b{c}}}", Ok(Some(1)));
    check_request("", TYPE, "{a{b{c{d}}}}", Err("the depth is 4, at most 3"));
    check_request("", TYPE, "{x:a y:a}", Ok(Some(2)));
    check_request(
        "",
        TYPE,
        "{x:a y:a z:a}",
        Err("the number of aliases is 3, at most 2"),
    );
    check_request("", TYPE, "{a b c d e f}", Ok(Some(6)));
    check_request(
        "",
        TYPE,
        "{a b c d e{f g}}",
        Err("the number of selections is 7, at most 6"),
    );
    check_request("", TYPE, "query A{a} query B{a}", Ok(Some(1)));
    check_request(
        "",
        TYPE,
        "query A{a} query B{a} query C{a}",
        Err("the number of operations is 3, at most 2"),
    );
    let batch = r#"[{"query":"{x:a y:b}"},{"query":"{z:a}"}]"#;
    check_request(
        "",
        "application/json",
        batch,
        Err("the number of aliases is 3, at most 2"),
    );
    let fault = bounds()
        .inspect("", Some(TYPE), b"{x:a y:a z:a}")
        .unwrap_err();
    assert_eq!(
        (fault.kind, fault.cost, fault.max),
        (FaultKind::TooExpensive, Some(3), Some(2))
    );
}

#[test]
fn a_table_that_cannot_be_meant_is_a_fault() {
    for (table, pointer) in [
        (json!({ "max_depth": 0 }), "/max_depth"),
        (json!({ "max_depth": 129 }), "/max_depth"),
        (json!({ "max_aliases": "1" }), "/max_aliases"),
        (json!({ "max_cost": 1 }), "/max_cost"),
        (json!([]), ""),
    ] {
        let faults = GraphqlBounds::of(&table).unwrap_err();
        assert_eq!(faults[0].pointer, pointer);
    }
    assert_eq!(GraphqlBounds::of(&json!({})), Ok(GraphqlBounds::default()));
}
