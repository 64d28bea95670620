//! Any bytes as a GraphQL document, envelope or query string: nothing panics, and no bound is passed
//! by a request that passes a tighter one.

use std::sync::LazyLock;

use serde_json::json;
use weir::body::GraphqlBounds;
use weir::policy::node_from_json;

static TIGHT: LazyLock<GraphqlBounds> = LazyLock::new(|| {
    let table =
        json!({ "max_depth": 5, "max_aliases": 5, "max_operations": 2, "max_selections": 20 });
    let table = node_from_json(&table.to_string()).expect("a document");
    GraphqlBounds::compile(&table).expect("the bounds of this target are good")
});

/// One input.
pub fn run(bytes: &[u8]) {
    let open = GraphqlBounds::default();
    let query = String::from_utf8_lossy(bytes);
    for (query, content_type, body) in [
        ("", "application/graphql", bytes),
        ("", "application/json", bytes),
        (query.as_ref(), "", &[]),
    ] {
        let tight = TIGHT.inspect(query, Some(content_type), body);
        let open = open.inspect(query, Some(content_type), body);
        if let Ok(tight) = tight {
            assert_eq!(Ok(tight), open);
            assert!(tight.cost.is_none_or(|cost| cost <= 20));
        }
    }
}
