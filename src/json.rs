//! JSON as a tree that keeps what was written: order, duplicate names and the exact text of
//! numbers. So there is no floating point anywhere, and none of the code that would print it.

use std::fmt;

/// One value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Node {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, as it was written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object, in the order in which it was written.
    Table(Vec<(String, Node)>),
}

impl Node {
    /// The field `name` of a table.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.as_table()?
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, node)| node)
    }

    /// The fields, where it is a table.
    #[must_use]
    pub fn as_table(&self) -> Option<&[(String, Node)]> {
        match self {
            Node::Table(fields) => Some(fields),
            _ => None,
        }
    }

    /// The items, where it is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Node]> {
        match self {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    /// The string, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, where it is a whole one that 64 bits hold, written plainly.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Node::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// As JSON text, without blanks.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(self, &mut out);
        f.write_str(&out)
    }
}

fn write(node: &Node, out: &mut String) {
    match node {
        Node::Null => out.push_str("null"),
        Node::Flag(true) => out.push_str("true"),
        Node::Flag(false) => out.push_str("false"),
        Node::Number(text) => out.push_str(text),
        Node::Text(text) => push_text(out, text),
        Node::List(items) => {
            let mut separator = '[';
            for item in items {
                out.push(separator);
                separator = ',';
                write(item, out);
            }
            out.push_str(if separator == '[' { "[]" } else { "]" });
        }
        Node::Table(fields) => {
            let mut separator = '{';
            for (name, node) in fields {
                out.push(separator);
                separator = ',';
                push_text(out, name);
                out.push(':');
                write(node, out);
            }
            out.push_str(if separator == '{' { "{}" } else { "}" });
        }
    }
}

/// A string of JSON (RFC 8259, section 7).
pub fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for part in text.split_inclusive(|c| matches!(c, '"' | '\\' | '\0'..='\u{1f}')) {
        let mut plain = part.chars();
        match plain.next_back() {
            Some(last @ ('"' | '\\')) => {
                out.push_str(plain.as_str());
                out.push('\\');
                out.push(last);
            }
            Some(control @ '\0'..='\u{1f}') => {
                out.push_str(plain.as_str());
                out.push_str("\\u00");
                for digit in [u32::from(control) >> 4, u32::from(control) & 15] {
                    out.extend(char::from_digit(digit, 16));
                }
            }
            _ => out.push_str(part),
        }
    }
    out.push('"');
}

/// What [`json!`] makes values of.
pub trait ToNode {
    /// The value.
    fn to_node(&self) -> Node;
}

impl ToNode for Node {
    fn to_node(&self) -> Node {
        self.clone()
    }
}

impl ToNode for bool {
    fn to_node(&self) -> Node {
        Node::Flag(*self)
    }
}

impl ToNode for str {
    fn to_node(&self) -> Node {
        Node::Text(self.to_owned())
    }
}

impl ToNode for String {
    fn to_node(&self) -> Node {
        self.as_str().to_node()
    }
}

impl ToNode for u64 {
    fn to_node(&self) -> Node {
        Node::Number(self.to_string())
    }
}

macro_rules! whole_numbers {
    ($($kind:ty),*) => {$(
        impl ToNode for $kind {
            fn to_node(&self) -> Node {
                u64::try_from(*self).unwrap_or(u64::MAX).to_node()
            }
        }
    )*};
}
whole_numbers!(u8, u16, u32, usize);

impl<T: ToNode + ?Sized> ToNode for &T {
    fn to_node(&self) -> Node {
        (**self).to_node()
    }
}

impl<T: ToNode> ToNode for Option<T> {
    fn to_node(&self) -> Node {
        self.as_ref().map_or(Node::Null, T::to_node)
    }
}

impl<T: ToNode> ToNode for [T] {
    fn to_node(&self) -> Node {
        Node::List(self.iter().map(T::to_node).collect())
    }
}

impl<T: ToNode> ToNode for Vec<T> {
    fn to_node(&self) -> Node {
        self.as_slice().to_node()
    }
}

impl<T: ToNode, const N: usize> ToNode for [T; N] {
    fn to_node(&self) -> Node {
        self.as_slice().to_node()
    }
}

macro_rules! from {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Node {
            fn from(value: $kind) -> Node {
                value.to_node()
            }
        }
    )*};
}
from!(bool, u16, u32, u64, &str, String, Vec<String>);

/// A table of these fields; takes their values out. One function for all tables, so that each costs
/// the Worker no more than its values.
#[inline(never)]
pub fn table(fields: &mut [(&str, Node)]) -> Node {
    let owned = |field: &mut (&str, Node)| (field.0.to_owned(), std::mem::take(&mut field.1));
    Node::Table(fields.iter_mut().map(owned).collect())
}

/// A [`Node`] written like JSON: `json!({ "name": expression, … })`, `json!([expression, …])`, or
/// of one expression. Inner tables and lists are written with it again.
macro_rules! json {
    ({ $($name:literal : $value:expr),* $(,)? }) => {
        $crate::json::table(&mut [$(($name, $crate::json::ToNode::to_node(&$value))),*])
    };
    ([ $($item:expr),* $(,)? ]) => {
        $crate::json::Node::List(vec![$($crate::json::ToNode::to_node(&$item)),*])
    };
    ($value:expr) => {
        $crate::json::ToNode::to_node(&$value)
    };
}
pub(crate) use json;

#[cfg(test)]
mod tests;
