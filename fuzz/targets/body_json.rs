//! Any bytes as a JSON body: nothing panics, and nothing passes that serde_json refuses.

use std::sync::LazyLock;

use serde_json::{Value, json};
use weir::body::JsonBounds;
use weir::policy::node_from_json;

/// Only that it is JSON.
static PLAIN: LazyLock<JsonBounds> = LazyLock::new(|| compile(&json!({ "max_depth": 100 })));

/// One bound of every kind.
static BOUNDED: LazyLock<JsonBounds> = LazyLock::new(|| {
    compile(&json!({
        "max_depth": 128,
        "schema": {
            "uniqueItems": true, "maxItems": 50, "minProperties": 1, "maxLength": 60, "multipleOf": 0.5,
            "minimum": -1000, "exclusiveMaximum": 1e6, "required": ["a"],
            "items": { "uniqueItems": true, "enum": [1, "a", null, [], {}] },
            "additionalProperties": { "uniqueItems": true, "type": ["integer", "string", "array", "object"] },
        },
        "cost": { "terms": ["/a", "/0#", "#"], "max": 10 },
    }))
});

fn compile(table: &Value) -> JsonBounds {
    let table = node_from_json(&table.to_string()).expect("a document");
    JsonBounds::compile(&table).expect("the bounds of this target are good")
}

/// One input.
pub fn run(bytes: &[u8]) {
    let _ = BOUNDED.inspect(bytes);
    if PLAIN.inspect(bytes).is_ok() {
        match serde_json::from_slice::<Value>(bytes) {
            Ok(_) => {}
            // A double does not hold every number.
            Err(fault) => assert!(
                fault.to_string().starts_with("number out of range"),
                "{fault}"
            ),
        }
    }
    // The operator's side: any table compiles or has faults, and what compiles inspects.
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(table) = node_from_json(text)
        && let Ok(bounds) = JsonBounds::compile(&table)
    {
        let _ = bounds.inspect(bytes);
    }
}
