//! Numbers, with and without units.

use super::*;

#[test]
fn durations_say_what_is_the_matter() {
    let window = |text: &str, matter: &str| {
        limit(
            &format!("window = \"{text}\""),
            &format!("rules[0].limits[0].window: \"{text}\" {matter}"),
        );
    };
    window("60", "has no unit; write \"60s\"");
    window(
        "",
        "is not a number with a unit; write a whole number and a unit (ms, s, m, h, d), such as \"60s\"",
    );
    window(
        "-5s",
        "is negative; write a whole number and a unit (ms, s, m, h, d), such as \"60s\"",
    );
    window("0s", "is zero; write 1ms to 366d");
    window("367d", "is too long; write 1ms to 366d");
    window(
        "1.5s",
        "is fractional; write a whole number of a smaller unit (ms, s, m, h, d)",
    );
    window("60S", "has an unknown unit; write \"60s\"");
    window("60 s", "has an unknown unit; write \"60s\"");
    window(
        "1w",
        "has an unknown unit; use one of ms, s, m, h, d, as in \"60s\"",
    );
    window(
        "1h30m",
        "has more than one number; write a whole number and a unit (ms, s, m, h, d), such as \"60s\"",
    );
    window("99999999999999999999s", "is enormous; write less");
    window(
        "infs",
        "is not a number with a unit; write a whole number and a unit (ms, s, m, h, d), such as \"60s\"",
    );
}

#[test]
fn sizes_say_what_is_the_matter() {
    let bytes = |written: &str, message: &str| {
        rule(
            &format!("body.max_bytes = {written}"),
            &format!("rules[0].body.max_bytes: {message}"),
        );
    };
    bytes(
        "0",
        "0 is zero; write a whole number from 1 to 1099511627776",
    );
    bytes(
        "1.5",
        "1.5 is not written as a whole number; write a whole number from 1 to 1099511627776",
    );
    bytes("\"0B\"", "\"0B\" is zero; write 1B to 1024GiB");
    bytes(
        "\"2000GiB\"",
        "\"2000GiB\" is too large; write 1B to 1024GiB",
    );
    bytes(
        "\"16kib\"",
        "\"16kib\" has an unknown unit; write \"16KiB\"",
    );
    bytes(
        "\"16K\"",
        "\"16K\" has an unknown unit; use one of B, KiB, MiB, GiB, kB, MB, GB, as in \"16KiB\"",
    );
    bytes("\"16384\"", "\"16384\" has no unit; write \"16384B\"");
    bytes(
        "true",
        "true; write a number of bytes, or a size such as \"16KiB\"",
    );
}

#[test]
fn whole_numbers_say_what_is_the_matter() {
    let quota = |written: &str, matter: &str| {
        let json = format!(
            r#"{{"rules":[{{"name":"r","limits":[{{"name":"l","key":[],"algorithm":"fixed-window","window":"1d","quota":{written}}}]}}]}}"#
        );
        let expected = "write a whole number from 1 to 1000000000000";
        rejects_json(
            &json,
            &format!("rules[0].limits[0].quota: {written} {matter}; {expected}"),
        );
    };
    quota("0", "is zero");
    quota("-5", "is negative");
    quota("0.5", "is not written as a whole number");
    quota("1e400", "is not written as a whole number");
    quota("1000000000001", "is too large");
    quota("99999999999999999999999999", "is too large");
    let json = r#"{"rules":[{"name":"r","limits":[{"name":"l","key":[],"algorithm":"fixed-window","window":"1d","quota":null}]}]}"#;
    rejects_json(
        json,
        "rules[0].limits[0].quota: null; write a whole number from 1 to 1000000000000",
    );
}
