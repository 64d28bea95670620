//! What limits are keyed by, and what a request costs.

use super::*;

#[test]
fn keys() {
    let key = |part: &str, message: &str| {
        let fields = format!("key = [\"ip\", \"{part}\"]");
        limit(&fields, &format!("rules[0].limits[0].key[1]: {message}"));
    };
    key(
        "api_kye",
        "\"api_kye\" is no key part; use ip, method, host, route, asn, country, colo, ja4, cookie:NAME, header:NAME, query:NAME, path:NAME, body:NAME",
    );
    key("ipp", "\"ipp\" is no key part; did you mean \"ip\"?");
    key(
        "heder:x",
        "\"heder:x\" is no key part; did you mean \"header:x\"?",
    );
    key(
        "cooki",
        "\"cooki\" is no key part; did you mean \"cookie:…\"?",
    );
    key(
        "header",
        "\"header\" has no name; write a header's name after it, as in \"header:x\"",
    );
    key(
        "header:",
        "\"header:\" has no name; write a header's name after the colon",
    );
    key("ip:4", "\"ip:4\" takes no name; write \"ip\"");
    key(
        "header:bad name",
        "\"bad name\" is no header name; use letters, digits and \"-\", as in \"x-api-key\"",
    );
    key(
        "cookie:a;b",
        "\"a;b\" is no cookie name; use letters, digits, \"-\" and \"_\"",
    );
    key("ip|", "an empty key part; write one such as \"ip\"");
    key(
        "session",
        "\"session\" is not supported yet; use another key part",
    );
    key(
        "session|ip",
        "\"session\" is not supported yet; use another key part",
    );
    key(
        "jwt:sub",
        "\"jwt:sub\" is not supported yet; use another key part",
    );
    key(
        "body:user",
        "\"body:user\" needs the body read; write the rule's body.max_bytes, such as \"16KiB\"",
    );
    key(
        "path:id",
        "the rule's path has no \":id\" everywhere; write \":id\" for a segment of every path of the match",
    );
    limit(
        "key = 1",
        "rules[0].limits[0].key: 1; write a key part such as \"ip\" or \"header:x-api-key|ip\", or a list of such",
    );
    rule(
        "match.path = \"/u/:name\"\nlimits = { name = \"l\", key = \"path:nmae\", algorithm = \"fixed-window\", quota = 1, window = \"1d\" }",
        "rules[0].limits.key: the rule's path has no \":nmae\" everywhere; did you mean \"path:name\"?",
    );
    rule(
        "body.max_bytes = 10\nlimits = { name = \"l\", key = \"body:/a~2\", algorithm = \"fixed-window\", quota = 1, window = \"1d\" }",
        "rules[0].limits.key: \"body:/a~2\" is no JSON Pointer; write \"~0\" for \"~\" and \"~1\" for \"/\" (RFC 6901)",
    );
}

#[test]
fn costs() {
    let limit =
        |fields: &str, message: &str| limit(fields, &format!("rules[0].limits[0].cost{message}"));
    limit(
        "cost = 0",
        ": 0 is zero; write a whole number from 1 to 1000000000000",
    );
    limit(
        "cost = 1.5",
        ": 1.5 is not written as a whole number; write a whole number from 1 to 1000000000000",
    );
    limit(
        "cost = 11",
        ": 11 is more than the quota ever has at once; write at most 10, or a larger quota",
    );
    limit(
        "cost = \"byte\"",
        ": \"byte\" is no cost; did you mean \"bytes\"?",
    );
    limit(
        "cost = \"header:x\"",
        ": \"header:x\" is no cost; write a whole number, or \"body\", \"bytes\", \"response-bytes\" or \"response:HEADER\"",
    );
    limit(
        "cost = \"response:x y\"",
        ": \"x y\" is no header name; use letters, digits and \"-\", as in \"x-api-key\"",
    );
    limit(
        "cost = \"body\"",
        ": \"body\" needs the body read; write the rule's body.max_bytes, such as \"16KiB\"",
    );
    limit(
        "cost = { reserve = 5 }",
        ".settle: missing; write \"response:HEADER\", \"response-bytes\" or \"bytes\"",
    );
    limit(
        "cost = { reserve = 11, settle = \"response:x-cost\" }",
        ".reserve: 11 is more than the quota ever has at once; write at most 10, or a larger quota",
    );
    limit(
        "cost = { reserve = 1, settle = \"body\" }",
        ".settle: \"body\" is known before the request; write \"response:HEADER\", \"response-bytes\" or \"bytes\"",
    );
    limit(
        "cost = true",
        ": true; write a whole number from 1 to 1000000000000, or \"body\", \"bytes\", \"response-bytes\" or \"response:HEADER\", or a table with any of reserve, settle",
    );
    super::limit(
        "cost = \"response-bytes\"\ncount.status = 401",
        "rules[0].limits[0].count: \"count\" beside a cost that the response tells; leave one of them out",
    );
    rule(
        "body.max_bytes = 10\nlimits = [{ name = \"l\", key = [], cost = \"body\", algorithm = \"fixed-window\", quota = 1, window = \"1d\" }]",
        "rules[0].limits[0].cost: \"body\" needs a cost to be computed; write the rule's body.json.cost or body.graphql",
    );
}
