//! The document as it was written: JSON with its duplicate names, its order and the exact text of
//! its numbers, which a `serde_json::Value` would lose.

use super::fault::{Faults, Place, Wrong, quoted};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Most bytes of a document.
pub const MAX_BYTES: usize = 1 << 20;

/// Most levels of lists and tables. The deepest thing that can be written sensibly, a JSON Schema
/// in a rule, needs about a dozen.
const MAX_DEPTH: usize = 64;

/// One value of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, as it was written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object, in the order in which it was written. Duplicate names have been reported and the
    /// first kept.
    Table(Vec<(String, Node)>),
}

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
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) => Some(read(raw.get(), &top, MAX_DEPTH, faults)),
            Err(error) => {
                faults.add(
                    &top,
                    Wrong::new(
                        format!("not JSON ({error})"),
                        "write one whole JSON document",
                    ),
                );
                None
            }
        }
    }

    /// The field `name` of a table.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        match self {
            Node::Table(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, n)| n),
            _ => None,
        }
    }

    /// The same document as `serde_json` has it. None where a number is beyond what it can hold.
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
                sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0));
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

/// Reads one value; `text` is valid JSON but for the escapes in its strings.
fn read(text: &str, at: &Place, depth: usize, faults: &mut Faults) -> Node {
    let Some(depth) = depth.checked_sub(1) else {
        let found = format!("more than {MAX_DEPTH} levels of lists and tables");
        faults.add(at, Wrong::new(found, "write it flatter"));
        return Node::Null;
    };
    let odd = |faults: &mut Faults| {
        faults.add(
            at,
            Wrong::new(
                "a string that is no Unicode text",
                "write escapes in whole pairs",
            ),
        );
        Node::Null
    };
    match text.as_bytes().first() {
        Some(b'{') => match serde_json::from_str::<Entries>(text) {
            Err(_) => odd(faults),
            Ok(Entries(entries)) => {
                let mut fields: Vec<(String, Node)> = Vec::with_capacity(entries.len());
                let mut seen = crate::map::Sorted::default();
                for (name, raw) in entries {
                    let place = at.field(&name);
                    if seen.insert(name.clone(), ()).is_none() {
                        let node = read(raw.get(), &place, depth, faults);
                        fields.push((name, node));
                    } else {
                        let found = format!("{} stands twice", quoted(&name));
                        faults.add(&place, Wrong::new(found, "keep one of them"));
                    }
                }
                Node::Table(fields)
            }
        },
        Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Err(_) => odd(faults),
            Ok(items) => Node::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, raw)| read(raw.get(), &at.item(i), depth, faults))
                    .collect(),
            ),
        },
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Err(_) => odd(faults),
            Ok(text) => Node::Text(text),
        },
        Some(b't') => Node::Flag(true),
        Some(b'f') => Node::Flag(false),
        Some(b'n') | None => Node::Null,
        Some(_) => Node::Number(text.to_owned()),
    }
}

/// An object with its order and its duplicates.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Collect).map(Entries)
    }
}
