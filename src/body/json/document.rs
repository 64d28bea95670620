//! A document that has been read: its values in document order, without copies of the text.

use std::borrow::Cow;

use super::decimal::Decimal;
use super::text;
use crate::body::fault::{BodyFault, push_token};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object,
}

/// One value, or the name of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Byte offsets of a number, or of a string without its quotes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Index of the first node that is not inside this one; `u32::MAX` while it is still open.
    pub(crate) next: u32,
}

/// A document. A value is named by its index in document order; 0 is the whole. The children of a
/// container follow it, and a member is its name followed by its value.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) nodes: Vec<Node>,
}

impl<'a> Document<'a> {
    /// Index of the whole document.
    pub(crate) const ROOT: u32 = 0;

    fn node(&self, at: u32) -> Node {
        const NONE: Node = Node {
            kind: Kind::Null,
            start: 0,
            end: 0,
            next: u32::MAX,
        };
        let index = usize::try_from(at).unwrap_or(usize::MAX);
        self.nodes.get(index).copied().unwrap_or(NONE)
    }

    pub(crate) fn kind(&self, at: u32) -> Kind {
        self.node(at).kind
    }

    /// The text between the ends of a number or string, as it was written.
    pub(crate) fn raw(&self, at: u32) -> &'a str {
        let node = self.node(at);
        let start = usize::try_from(node.start).unwrap_or(usize::MAX);
        let end = usize::try_from(node.end).unwrap_or(usize::MAX);
        self.text.get(start..end).unwrap_or("")
    }

    /// A string, or the name of a member, decoded.
    #[inline(never)]
    pub(crate) fn string(&self, at: u32) -> Cow<'a, str> {
        text::decode(self.raw(at))
    }

    /// Is a string, or the name of a member, Unicode text? Of what the strict reader read, all are.
    pub(crate) fn is_unicode(&self, at: u32) -> bool {
        text::is_unicode(self.raw(at))
    }

    pub(crate) fn number(&self, at: u32) -> Decimal {
        Decimal::parse(self.raw(at))
    }

    /// The nodes directly inside a container: items, or names and values by turns.
    fn inside(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let end = match self.kind(at) {
            Kind::Array | Kind::Object => {
                let count = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                self.node(at).next.min(count)
            }
            _ => 0,
        };
        let first = Some(at.saturating_add(1)).filter(move |&child| child < end);
        std::iter::successors(first, move |&child| {
            Some(self.node(child).next).filter(|&next| next < end)
        })
    }

    /// The items of an array; of anything else, none.
    pub(crate) fn items(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let all = self.kind(at) == Kind::Array;
        self.inside(at).take_while(move |_| all)
    }

    /// Name and value of each member of an object; of anything else, none.
    pub(crate) fn members(&self, at: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.kind(at) == Kind::Object;
        self.inside(at)
            .take_while(move |_| all)
            .step_by(2)
            .map(|name| (name, name.saturating_add(1)))
    }

    /// The value of a member. Names are unique: the reader has seen to it.
    pub(crate) fn member(&self, at: u32, name: &str) -> Option<u32> {
        self.members(at)
            .find(|&(found, _)| self.string(found) == name)
            .map(|(_, value)| value)
    }

    /// What is wrong with a value.
    #[cold]
    pub(crate) fn fault(&self, at: u32, detail: &str) -> BodyFault {
        BodyFault::invalid(self.pointer(at), detail)
    }

    /// The pointer to a value, for a fault. Works on a document that is still being read.
    #[inline(never)]
    pub(crate) fn pointer(&self, target: u32) -> String {
        let mut pointer = String::new();
        let mut at = Self::ROOT;
        while at < target {
            let holds = |child: u32| child == target || target < self.node(child).next;
            let step = if self.kind(at) == Kind::Object {
                self.members(at)
                    .find(|&(_, value)| holds(value))
                    .map(|(name, value)| (self.string(name), value))
            } else {
                self.items(at)
                    .enumerate()
                    .find(|&(_, item)| holds(item))
                    .map(|(index, item)| (Cow::Owned(index.to_string()), item))
            };
            let Some((token, child)) = step else { break };
            push_token(&mut pointer, &token);
            at = child;
        }
        pointer
    }
}
