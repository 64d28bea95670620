use super::*;
use proptest::prelude::*;

/// What another reader makes of the text: for the tests of everything that writes JSON.
impl Node {
    pub(crate) fn told(&self) -> serde_json::Value {
        serde_json::from_str(&self.to_string()).expect("JSON")
    }

    pub(crate) fn of(value: &serde_json::Value) -> Node {
        crate::policy::node_from_json(&value.to_string()).expect("a document")
    }
}

#[test]
fn is_written_as_json() {
    let node = json!({
        "text": "a\"\\\t\u{1f}\u{7f}é",
        "none": None::<u64>,
        "list": json!([1_u8, u64::MAX, true]),
        "empty": json!({ "list": json!([]), "table": json!({}) }),
    });
    assert_eq!(
        node.to_string(),
        r#"{"text":"a\"\\\u0009\u001f"#.to_owned()
            + "\u{7f}é"
            + r#"","none":null,"list":[1,18446744073709551615,true],"empty":{"list":[],"table":{}}}"#
    );
}

proptest! {
    #[test]
    fn any_text_is_what_another_reader_reads(text in any::<String>(), name in any::<String>()) {
        let node = Node::Table(vec![(name.clone(), text.to_node())]);
        prop_assert_eq!(node.told(), serde_json::json!({ name: text }));
    }
}
