//! Taking values out of a document whose shapes have been checked.
//!
//! What is absent or was found faulty is `None` here and reported nowhere: that has been done.

use super::fault::{Place, Wrong};
use super::node::Node;
use super::unit;
use crate::time::Span;

/// A value of the document, or its absence, and its place.
#[derive(Clone)]
pub struct Reader<'a> {
    /// The value; None where the field is absent.
    pub node: Option<&'a Node>,
    /// Where it is, or would be.
    pub at: Place,
}

impl<'a> Reader<'a> {
    /// The document itself.
    pub fn top(node: &'a Node) -> Reader<'a> {
        Reader {
            node: Some(node),
            at: Place::default(),
        }
    }

    /// The field `name` of this table.
    #[must_use]
    pub fn field(&self, name: &str) -> Reader<'a> {
        let node = self.node.and_then(|node| node.get(name));
        Reader {
            node,
            at: self.at.field(name),
        }
    }

    /// True where something is written here.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.node.is_some()
    }

    /// True where a table is written here, and nothing in it.
    #[must_use]
    pub fn is_empty_table(&self) -> bool {
        matches!(self.node, Some(Node::Table(fields)) if fields.is_empty())
    }

    /// A string.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        match self.node {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// `true` or `false`.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self.node {
            Some(Node::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    /// A whole number that is not zero, or zero where `min` allows it.
    #[must_use]
    pub fn whole<N: TryFrom<u64>>(&self, min: u64) -> Option<N> {
        match self.node {
            Some(Node::Number(text)) => unit::whole(text, min, u64::MAX).ok()?.try_into().ok(),
            _ => None,
        }
    }

    /// A duration.
    #[must_use]
    pub fn duration(&self) -> Option<Span> {
        unit::duration(self.text()?).ok()
    }

    /// A number of bytes.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match self.text() {
            Some(text) => unit::size(text).ok(),
            None => self.whole(1),
        }
    }

    /// The entries of a list; a single value is a list of one.
    #[must_use]
    pub fn items(&self) -> Vec<Reader<'a>> {
        match self.node {
            None => Vec::new(),
            Some(Node::List(items)) => items
                .iter()
                .enumerate()
                .map(|(index, node)| Reader {
                    node: Some(node),
                    at: self.at.item(index),
                })
                .collect(),
            Some(_) => vec![self.clone()],
        }
    }

    /// The strings of a list, each read by `parse`; None where nothing is written.
    pub fn texts<T>(&self, parse: impl Fn(&str) -> Result<T, Wrong>) -> Option<Vec<T>> {
        self.node?;
        let texts = self.items().into_iter().filter_map(|item| item.text());
        Some(texts.filter_map(|text| parse(text).ok()).collect())
    }

    /// Names and values of a table.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'a str, Reader<'a>)> {
        match self.node {
            Some(Node::Table(fields)) => fields
                .iter()
                .map(|(name, node)| {
                    let entry = Reader {
                        node: Some(node),
                        at: self.at.field(name),
                    };
                    (name.as_str(), entry)
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}
