//! The document as it was written, read into a [`Node`].

use super::fault::{Faults, Place, Wrong, quoted};
use crate::body::json::{Document, Kind, read_lenient};
pub use crate::json::Node;

/// Most bytes of a document.
pub const MAX_BYTES: usize = 1 << 20;

/// Most levels of lists and tables. The deepest thing that can be written sensibly, a JSON Schema
/// in a rule, needs about a dozen.
const MAX_DEPTH: usize = 64;

impl Node {
    /// Reads a JSON document. What could not be read is reported and left out.
    pub fn read(text: &str, faults: &mut Faults) -> Option<Node> {
        let top = Place::default();
        if text.len() > MAX_BYTES {
            let found = format!("{} bytes", text.len());
            faults.add(
                &top,
                Wrong::new(found, format!("write at most {MAX_BYTES}")),
            );
            return None;
        }
        if text.trim().is_empty() {
            faults.add(
                &top,
                Wrong::new(
                    "an empty document",
                    "write a table with a list of \"rules\"",
                ),
            );
            return None;
        }
        match read_lenient(text) {
            Ok(document) => Some(read(&document, Document::ROOT, &top, MAX_DEPTH, faults)),
            Err(fault) => {
                let message = fault.message.as_str();
                let found = message.strip_prefix("body: ").unwrap_or(message);
                faults.add(&top, Wrong::new(found, "write one whole JSON document"));
                None
            }
        }
    }

    /// The same document as `serde_json` has it: names sorted, numbers in 64 bits. None where a
    /// number is beyond what it can hold.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn to_json(&self) -> Option<serde_json::Value> {
        use serde_json::Value;
        Some(match self {
            Node::Null => Value::Null,
            Node::Flag(flag) => Value::Bool(*flag),
            Node::Number(text) => Value::Number(serde_json::from_str(text).ok()?),
            Node::Text(text) => Value::String(text.clone()),
            Node::List(items) => {
                Value::Array(items.iter().map(Node::to_json).collect::<Option<_>>()?)
            }
            Node::Table(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, node)| Some((name.clone(), node.to_json()?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    /// What stands here, for a message.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Node::Null => "null".to_owned(),
            Node::Flag(flag) => flag.to_string(),
            Node::Number(text) => text.chars().take(40).collect(),
            Node::Text(text) => quoted(text),
            Node::List(_) => "a list".to_owned(),
            Node::Table(_) => "a table".to_owned(),
        }
    }

    /// Writes the document in one spelling only: names sorted, no blanks.
    pub fn canonical(&self, out: &mut String) {
        use std::fmt::Write as _;
        match self {
            Node::Null | Node::Flag(_) => out.push_str(&self.shown()),
            Node::Number(text) => out.push_str(text),
            Node::Text(text) => {
                let _ = write!(out, "{text:?}");
            }
            Node::List(items) => {
                out.push('[');
                for item in items {
                    item.canonical(out);
                    out.push(',');
                }
                out.push(']');
            }
            Node::Table(fields) => {
                let mut sorted: Vec<_> = fields.iter().collect();
                crate::map::sort_by(&mut sorted, |one, other| one.0 < other.0);
                out.push('{');
                for (name, node) in sorted {
                    let _ = write!(out, "{name:?}:");
                    node.canonical(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

/// Reads one value. Of names that stand twice, the first is kept and the rest reported.
fn read(
    document: &Document<'_>,
    value: u32,
    at: &Place,
    depth: usize,
    faults: &mut Faults,
) -> Node {
    let Some(depth) = depth.checked_sub(1) else {
        let found = format!("more than {MAX_DEPTH} levels of lists and tables");
        faults.add(at, Wrong::new(found, "write it flatter"));
        return Node::Null;
    };
    match document.kind(value) {
        Kind::Null => Node::Null,
        Kind::True => Node::Flag(true),
        Kind::False => Node::Flag(false),
        Kind::Number => Node::Number(document.raw(value).to_owned()),
        Kind::String if document.is_unicode(value) => Node::Text(document.string(value).into()),
        Kind::Object
            if document
                .members(value)
                .all(|(name, _)| document.is_unicode(name)) =>
        {
            let mut fields: Vec<(String, Node)> = Vec::new();
            let mut seen = crate::map::Sorted::default();
            for (name, value) in document.members(value) {
                let name = document.string(name).into_owned();
                let place = at.field(&name);
                if seen.insert(name.clone(), ()).is_none() {
                    let node = read(document, value, &place, depth, faults);
                    fields.push((name, node));
                } else {
                    let found = format!("{} stands twice", quoted(&name));
                    faults.add(&place, Wrong::new(found, "keep one of them"));
                }
            }
            Node::Table(fields)
        }
        Kind::Array => {
            let items = document.items(value).enumerate();
            let read = items.map(|(i, item)| read(document, item, &at.item(i), depth, faults));
            Node::List(read.collect())
        }
        Kind::String | Kind::Object => {
            let found = "a string that is no Unicode text";
            faults.add(at, Wrong::new(found, "write escapes in whole pairs"));
            Node::Null
        }
    }
}
