//! Whatever is thrown at the parser, it answers.

use super::*;
use proptest::prelude::*;

/// Values as a generator of nonsense would write them, with the words that the parser knows.
fn nonsense() -> impl Strategy<Value = serde_json::Value> {
    let word = prop::sample::select(vec![
        "ip",
        "60s",
        "60",
        "/a/:b/*",
        "token-bucket",
        "sliding-window",
        "header:x|ip",
        "deny",
        "",
        "\u{202e}é\u{0}",
        "99999999999999999999d",
        "body",
        "response:x",
        "*",
        "16KiB",
    ]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word.prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    let name = prop::sample::select(vec![
        "rules",
        "match",
        "not",
        "path",
        "limits",
        "key",
        "quota",
        "window",
        "burst",
        "name",
        "algorithm",
        "cost",
        "reserve",
        "settle",
        "tiers",
        "tier",
        "quotas",
        "body",
        "max_bytes",
        "json",
        "schema",
        "graphql",
        "concurrency",
        "running",
        "deadline",
        "total",
        "distinct",
        "x",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_answered(text in ".*") {
        prop_assert!(parse(&text).is_err());
    }

    #[test]
    fn any_document_is_answered(value in nonsense()) {
        let _ = parse(&value.to_string());
        let rules = serde_json::json!({ "rules": [value] });
        let _ = parse(&rules.to_string());
    }
}

/// A bad policy takes the whole site down: Cloudflare's of 18 November 2025, gofr-dev/gofr#4257,
/// envoyproxy/ratelimit#306. Each of these has to be a fault and nothing worse.
#[test]
fn policies_that_took_sites_down_are_faults() {
    let bad = [
        String::from("{\"rules\": [{"),
        String::from("{\"rules\": [], \"unknown\": 1}"),
        format!(
            "{{\"rules\": [{}]}}",
            vec!["{\"name\":\"r\"}"; 10_000].join(",")
        ),
        format!("{{\"rules\": [], \"x\": \"{}\"}}", "y".repeat(5 << 20)),
        String::from(
            "{\"rules\": [{\"name\": \"r\", \"match\": {\"header\": {\"bad name\": \"x\"}}}]}",
        ),
        String::from("{\"rules\": [{\"name\": \"r\", \"match\": {\"path\": \"/a*(\"}}]}"),
        String::new(),
        format!("{}{}", "[".repeat(200_000), "]".repeat(200_000)),
        String::from("\u{feff}{}"),
    ];
    for text in bad {
        let shown: String = text.chars().take(40).collect();
        assert!(parse(&text).is_err(), "accepted: {shown}");
    }
}

/// All faults of a document are told at once, one message each.
#[test]
fn every_fault_of_a_document_is_told() {
    let text = json(
        r#"
        mod = "off"
        ipv6_prefix = 0
        counter_timeout = 5
        session.ttl = "1h"
        [[rules]]
        name = "a b"
        match = { path = "x", method = "get", country = "Germany", not = {} }
        enforce_percent = 1.5
        deadline = "2"
        limits = [
          { name = "l", key = ["api_kye"], algorithm = "sliding-window", quota = 20000, window = "-1s" },
          { name = "l", key = "ip", algorithm = "token-bucket", quota = 5, window = "1m", cost = 6 },
        ]
        concurrency = [{ name = "c", key = [], running = 0 }]
        "#,
    );
    let faults = parse(&text).expect_err("faulty");
    let places: std::collections::BTreeSet<&str> = faults.iter().map(|f| f.path.as_str()).collect();
    let expected = [
        "counter_timeout",
        "ipv6_prefix",
        "mod",
        "rules[0].concurrency[0].running",
        "rules[0].deadline",
        "rules[0].enforce_percent",
        "rules[0].limits[0].key[0]",
        "rules[0].limits[0].quota",
        "rules[0].limits[0].window",
        "rules[0].limits[1].cost",
        "rules[0].limits[1].name",
        "rules[0].match.country",
        "rules[0].match.method",
        "rules[0].match.not",
        "rules[0].match.path",
        "rules[0].name",
        "session",
    ];
    assert_eq!(places, expected.into_iter().collect());
    assert_eq!(faults.len(), expected.len(), "{}", listed(&faults));
}
