//! Policies in TOML, as they stand in `wrangler.toml`. Not in the Worker: it is handed JSON.

use super::node::Node;

/// A TOML document as a [`Node`]: what wrangler would hand to the Worker, but for numbers that
/// JSON does not have, which stay visible.
///
/// # Errors
///
/// What the TOML parser has to say, with line and column.
pub fn node(text: &str) -> Result<Node, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| error.to_string())?;
    Ok(convert(toml::Value::Table(table)))
}

fn convert(value: toml::Value) -> Node {
    match value {
        toml::Value::String(text) => Node::Text(text),
        toml::Value::Integer(number) => Node::Number(number.to_string()),
        toml::Value::Float(number) => Node::Number(format!("{number:?}")),
        toml::Value::Boolean(flag) => Node::Flag(flag),
        toml::Value::Datetime(date) => Node::Text(date.to_string()),
        toml::Value::Array(items) => Node::List(items.into_iter().map(convert).collect()),
        toml::Value::Table(table) => Node::Table(
            table
                .into_iter()
                .map(|(name, value)| (name, convert(value)))
                .collect(),
        ),
    }
}
