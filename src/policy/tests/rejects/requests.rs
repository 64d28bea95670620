//! Rules, and which requests they are about.

use super::*;

#[test]
fn rules() {
    rejects(
        "[[rules]]\nmode = \"off\"",
        "rules[0].name: missing; write a name of letters, digits, \"-\" and \"_\"",
    );
    rejects(
        "[[rules]]\nname = \"a.b\"",
        "rules[0].name: \"a.b\" is no name; use letters, digits, \"-\" and \"_\"",
    );
    rejects(
        "[[rules]]\nname = \"\"",
        "rules[0].name: an empty string; write something, or leave it out",
    );
    rejects(
        "[[rules]]\nname = 7",
        "rules[0].name: 7; write a name of letters, digits, \"-\" and \"_\"",
    );
    rejects(
        "[[rules]]\nname = \"a\"\n[[rules]]\nname = \"a\"",
        "rules[1].name: \"a\" is taken; give each a name of its own",
    );
    rule(
        "limts = []",
        "rules[0].limts: unknown field; did you mean \"limits\"?",
    );
    rule(
        "action = \"challenge\"",
        "rules[0].action: \"challenge\" is not supported yet; write \"limit\" or \"deny\"",
    );
    rule(
        "action = \"block\"",
        "rules[0].action: \"block\" is unknown; write \"limit\" or \"deny\"",
    );
    rule(
        "action = \"deny\"\ndeadline = \"2s\"",
        "rules[0].deadline: \"deadline\" in a rule that denies every request; leave it out, or write action = \"limit\"",
    );
    rule(
        "mode = \"of\"",
        "rules[0].mode: \"of\" is unknown; did you mean \"off\"?",
    );
    rule("announce = 1", "rules[0].announce: 1; write true or false");
    rule(
        "enforce_percent = 0",
        "rules[0].enforce_percent: 0 is zero; write a whole number from 1 to 100",
    );
    rule(
        "enforce_percent = 101",
        "rules[0].enforce_percent: 101 is too large; write a whole number from 1 to 100",
    );
    rule(
        "on_error = \"open\"",
        "rules[0].on_error: \"open\" is unknown; write \"local\" or \"allow\" or \"deny\"",
    );
    rule(
        "websocket = \"relay\"",
        "rules[0].websocket: \"relay\" is unknown; write \"held\" or \"handshake\"",
    );
    rule(
        "max_url_bytes = 0",
        "rules[0].max_url_bytes: 0 is zero; write a whole number from 1 to 1048576",
    );
    rule(
        "max_header_bytes = \"8K\"",
        "rules[0].max_header_bytes: \"8K\" has an unknown unit; use one of B, KiB, MiB, GiB, kB, MB, GB, as in \"16KiB\"",
    );
}

#[test]
fn deadlines() {
    rule(
        "deadline = 2",
        "rules[0].deadline: 2 has no unit; write \"2s\"",
    );
    rule(
        "deadline = \"0s\"",
        "rules[0].deadline: \"0s\" is zero; write 1ms to 1d",
    );
    rule(
        "deadline = {}",
        "rules[0].deadline: an empty table; write a duration, or \"headers\" and \"total\"",
    );
    rule(
        "deadline = { header = \"2s\" }",
        "rules[0].deadline.header: unknown field; did you mean \"headers\"?",
    );
    rule(
        "deadline = { headers = \"2s\", total = \"1s\" }",
        "rules[0].deadline.total: a shorter time than for the headers alone; write at least as much",
    );
}

#[test]
fn matches() {
    let matching = |condition: &str, message: &str| {
        rule(
            &format!("[rules.match]\n{condition}"),
            &format!("rules[0].match.{message}"),
        );
    };
    matching(
        "paths = \"/x\"",
        "paths: unknown field; did you mean \"path\"?",
    );
    matching(
        "path = \"x\"",
        "path: \"x\" does not begin with \"/\"; write \"/x\"",
    );
    matching(
        "path = [\"/a\", \"/b*\"]",
        "path[1]: \"/b*\" has a \"*\" in \"b*\"; it may only stand alone as the last segment, as in \"/files/*\", and the character itself is \"%2A\"",
    );
    matching(
        "path = []",
        "path: an empty list; leave it out, or name at least one",
    );
    matching(
        "path = 1",
        "path: 1; write a path pattern such as \"/users/:id\" or \"/static/*\", or a list of such",
    );
    matching(
        "method = \"get\"",
        "method: \"get\" is not the method that clients send; methods compare exactly; write \"GET\"",
    );
    matching(
        "method = \"A B\"",
        "method: \"A B\" is no method; write one such as \"GET\"",
    );
    matching(
        "host = \"https://a.example\"",
        "host: \"https://a.example\" is no host; write a host such as \"example.com\" or \"*.example.com\", without scheme and path",
    );
    matching(
        "host = \"a.*.example\"",
        "host: \"a.*.example\" is no host; write a host such as \"example.com\" or \"*.example.com\", without scheme and path",
    );
    matching(
        "host = \"bücher.example\"",
        "host: \"bücher.example\" is no host; write it in its ASCII form (\"xn--…\")",
    );
    matching(
        "ip = \"192.0.2.0/33\"",
        "ip: \"192.0.2.0/33\" is no address range; write an address or a range such as \"192.0.2.0/24\" or \"2001:db8::/32\"",
    );
    matching(
        "country = \"Germany\"",
        "country: \"Germany\" is no country code; write two letters, such as \"DE\"",
    );
    matching(
        "asn = 0",
        "asn: 0 is zero; write a whole number from 1 to 4294967295",
    );
    matching(
        "asn = [4294967296]",
        "asn[0]: 4294967296 is too large; write a whole number from 1 to 4294967295",
    );
    matching(
        "header.\"bad name\" = \"x\"",
        "header.\"bad name\": \"bad name\" is no header name; use letters, digits and \"-\", as in \"x-api-key\"",
    );
    matching(
        "header.x = 1",
        "header.x: 1; write a string that is not empty",
    );
    matching(
        "cookie = \"a b\"",
        "cookie: \"a b\" is no cookie name; use letters, digits, \"-\" and \"_\"",
    );
    matching(
        "query = \"\"",
        "query: an empty string; write something, or leave it out",
    );
    matching(
        "bot = \"verifid\"",
        "bot: \"verifid\" is unknown; did you mean \"verified\"?",
    );
    matching("bot = true", "bot: true; write \"verified\"");
    matching(
        "not = {}",
        "not: an empty match, which holds for every request; leave it out, or name the requests",
    );
    matching(
        "not.not.asn = 0",
        "not.not.asn: 0 is zero; write a whole number from 1 to 4294967295",
    );
    rule(
        "skip = {}",
        "rules[0].skip: an empty match, which holds for every request; leave it out, or name the requests",
    );
}

#[test]
fn bodies() {
    rule(
        "body.max_byte = 1",
        "rules[0].body.max_byte: unknown field; did you mean \"max_bytes\"?",
    );
    rule(
        "body.json = {}",
        "rules[0].body.max_bytes: missing, and \"json\" needs the body read; write a bound such as \"16KiB\"",
    );
    rule(
        "body = { max_bytes = \"33MiB\", graphql = {} }",
        "rules[0].body.max_bytes: 33MiB is too large to be looked into; write at most 32MiB",
    );
    rule(
        "body.buffer = 1",
        "rules[0].body.buffer: a buffer without \"max_bytes\"; write max_bytes, or leave it out",
    );
    rule(
        "body = { buffer = 2, max_bytes = 1 }",
        "rules[0].body.buffer: 2B is more than max_bytes; write at most 1B",
    );
    rule(
        "body.content_types = [\"json\"]",
        "rules[0].body.content_types[0]: \"json\" is no media type; write one type without parameters, such as \"application/json\"",
    );
    rule(
        "body.content_types = \"text/html; charset=utf-8\"",
        "rules[0].body.content_types: \"text/html; charset=utf-8\" is no media type; write one type without parameters, such as \"application/json\"",
    );
    rule(
        "body.timeout = \"1ms\"",
        "rules[0].body.timeout: \"1ms\" is too short; write 100ms to 1h",
    );
    rule(
        "body = { max_bytes = 1, json.max_depth = 0 }",
        "rules[0].body.json.max_depth: 0 is zero; write a whole number from 1 to 128",
    );
    rule(
        "body = { max_bytes = 1, json.cost.max = 5 }",
        "rules[0].body.json.cost.terms: missing; write a JSON Pointer such as \"/pageSize\", or \"/accounts#\", or a list of such",
    );
    rule(
        "body = { max_bytes = 1, json.cost.terms = \"n\" }",
        "rules[0].body.json.cost.terms: \"n\" is no JSON Pointer; a JSON Pointer starts with \"/\"; write \"/n\"",
    );
    rule(
        "body = { max_bytes = 1, graphql.depth = 5 }",
        "rules[0].body.graphql.depth: unknown field; use any of max_depth, max_aliases, max_operations, max_selections",
    );
}

#[test]
fn answers() {
    rule(
        "respond.status = 200",
        "rules[0].respond.status: 200 is too small; write a whole number from 400 to 599",
    );
    rule(
        "respond.content_type = \"text/html\"",
        "rules[0].respond.content_type: a content type without a body of its own; write \"body\" too, or leave it out",
    );
    rule(
        "respond.headers.\"content-length\" = \"1\"",
        "rules[0].respond.headers.content-length: \"content-length\" is set by Weir itself; leave it out",
    );
    rule(
        "respond.headers.x = \"a\\r\\nb\"",
        "rules[0].respond.headers.x: \"a\u{fffd}\u{fffd}b\" is no header value; use visible ASCII characters and blanks between them",
    );
    rule(
        "cors = []",
        "rules[0].cors: an empty list; leave it out, or name at least one",
    );
    rule(
        "cors = \"example.com\"",
        "rules[0].cors: \"example.com\" is no origin; write scheme and host such as \"https://example.com\", without a path",
    );
    rule(
        "cors = \"https://example.com/\"",
        "rules[0].cors: \"https://example.com/\" is no origin; write scheme and host such as \"https://example.com\", without a path",
    );
}
