//! The reader: RFC 8259 to the letter, in one pass, with a bound on depth and on the number of
//! values, and without recursion.
//!
//! Stricter than many: a byte-order mark, a name that appears twice in an object (compared after
//! decoding), half a surrogate pair and an exponent of more than nine digits are refused.

mod scalar;

use super::canonical::{repeated, sorted_members};
use super::document::{Document, Kind, Node};
use crate::body::fault::BodyFault;

/// Most values (names included) of one document: 16 bytes each, so 8 MB at the most.
pub(crate) const MAX_VALUES: usize = 500_000;

/// Reads a whole body. `max_depth` is how many containers may stand inside each other: with 1,
/// `[]` passes and `[[]]` does not.
pub(crate) fn read(bytes: &[u8], max_depth: usize) -> Result<Document<'_>, BodyFault> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if u32::try_from(text.len()).is_ok() => text,
        Ok(_) => return Err(whole("too long")),
        Err(fault) => {
            return Err(whole(&format!("not UTF-8 at byte {}", fault.valid_up_to())));
        }
    };
    read_text(text, max_depth, true)
}

/// Reads an operator's document: names may stand twice, halves of surrogate pairs alone, and
/// anything inside anything, so that whoever looks at it can say what is wrong where. Its faults
/// tell lines and columns.
pub(crate) fn read_lenient(text: &str) -> Result<Document<'_>, BodyFault> {
    read_text(text, usize::MAX, false)
}

fn read_text(text: &str, max_depth: usize, is_strict: bool) -> Result<Document<'_>, BodyFault> {
    if text.starts_with('\u{feff}') {
        let detail = "starts with a byte-order mark, which JSON must not have";
        return Err(whole(detail));
    }
    let mut reader = Reader {
        document: Document {
            text,
            nodes: Vec::new(),
        },
        at: 0,
        open: Vec::new(),
        max_depth,
        is_strict,
    };
    reader.document()?;
    Ok(reader.document)
}

/// A fault of the document as a whole.
fn whole(detail: &str) -> BodyFault {
    BodyFault::invalid(String::new(), detail)
}

/// What may come next.
#[derive(Clone, Copy)]
enum Want {
    Value,
    FirstItem,
    FirstName,
    Name,
    Next,
}

struct Reader<'a> {
    document: Document<'a>,
    /// Byte offset of what comes next.
    at: usize,
    /// The containers that have begun and not ended.
    open: Vec<u32>,
    max_depth: usize,
    is_strict: bool,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), BodyFault> {
        let mut want = Want::Value;
        loop {
            self.skip_space();
            let closes = |kind| {
                matches!(
                    (kind, self.peek()),
                    (Kind::Array, Some(b']')) | (Kind::Object, Some(b'}'))
                )
            };
            want = match want {
                Want::FirstItem if closes(Kind::Array) => self.close()?,
                Want::FirstName if closes(Kind::Object) => self.close()?,
                Want::Value | Want::FirstItem => self.value()?,
                Want::Name | Want::FirstName => self.name()?,
                Want::Next => match self.open.last().map(|&at| self.document.kind(at)) {
                    None if self.peek().is_none() => return Ok(()),
                    None => return Err(self.unexpected("nothing after the value")),
                    Some(kind) if closes(kind) => self.close()?,
                    Some(kind) if self.peek() == Some(b',') => {
                        self.bump(1);
                        if kind == Kind::Object {
                            Want::Name
                        } else {
                            Want::Value
                        }
                    }
                    Some(Kind::Object) => return Err(self.unexpected("`,` or `}`")),
                    Some(_) => return Err(self.unexpected("`,` or `]`")),
                },
            };
        }
    }

    fn value(&mut self) -> Result<Want, BodyFault> {
        match self.peek() {
            Some(b'{') => self.open(Kind::Object, Want::FirstName),
            Some(b'[') => self.open(Kind::Array, Want::FirstItem),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Kind::True),
            Some(b'f') => self.literal("false", Kind::False),
            Some(b'n') => self.literal("null", Kind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn open(&mut self, kind: Kind, want: Want) -> Result<Want, BodyFault> {
        if self.open.len() >= self.max_depth {
            let pointer = self.open.last().map(|&at| self.document.pointer(at));
            let detail = format!("nested deeper than {} levels", self.max_depth);
            return Err(BodyFault::invalid(pointer.unwrap_or_default(), &detail));
        }
        let at = self.push(kind, self.at, self.at, u32::MAX)?;
        self.open.push(at);
        self.bump(1);
        Ok(want)
    }

    fn close(&mut self) -> Result<Want, BodyFault> {
        self.bump(1);
        let next = u32::try_from(self.document.nodes.len()).unwrap_or(u32::MAX);
        if let Some(at) = self.open.pop() {
            if self.is_strict {
                self.refuse_duplicates(at)?;
            }
            let index = usize::try_from(at).unwrap_or(usize::MAX);
            if let Some(node) = self.document.nodes.get_mut(index) {
                node.next = next;
            }
        }
        Ok(Want::Next)
    }

    fn refuse_duplicates(&self, at: u32) -> Result<(), BodyFault> {
        let document = &self.document;
        match repeated(&sorted_members(document, at)).next() {
            Some((_, value)) => Err(document.fault(value, "this name appears more than once")),
            None => Ok(()),
        }
    }

    fn name(&mut self) -> Result<Want, BodyFault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a name in double quotes"));
        }
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.bump(1);
        Ok(Want::Value)
    }

    /// A value without children, from `start` to here.
    fn leaf(&mut self, kind: Kind, start: usize) -> Result<u32, BodyFault> {
        let next = self.document.nodes.len().saturating_add(1);
        self.push(
            kind,
            start,
            self.at,
            u32::try_from(next).unwrap_or(u32::MAX),
        )
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize, next: u32) -> Result<u32, BodyFault> {
        let index = self.document.nodes.len();
        if index >= MAX_VALUES {
            let detail = format!("more than {MAX_VALUES} values");
            return Err(whole(&detail));
        }
        self.document.nodes.push(Node {
            kind,
            start: u32::try_from(start).unwrap_or(u32::MAX),
            end: u32::try_from(end).unwrap_or(u32::MAX),
            next,
        });
        Ok(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.bump(1);
        }
    }

    fn rest(&self) -> &[u8] {
        let bytes = self.document.text.as_bytes();
        bytes.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.document.text.as_bytes().get(self.at).copied()
    }

    fn bump(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> BodyFault {
        let rest = self.document.text.get(self.at..).unwrap_or_default();
        let detail = match rest.chars().next() {
            Some(c) => format!(
                "not JSON at {}: found {c:?}, expected {expected}",
                self.place()
            ),
            None => format!("not JSON: ends early, expected {expected}"),
        };
        whole(&detail)
    }

    #[cold]
    fn place(&self) -> String {
        if self.is_strict {
            return format!("byte {}", self.at);
        }
        let before = self.document.text.get(..self.at).unwrap_or_default();
        let line = before.split('\n').count();
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        format!("line {line} column {}", column.saturating_add(1))
    }
}

#[cfg(test)]
mod tests;
