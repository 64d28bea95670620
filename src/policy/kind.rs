//! What may stand where: one description of every table and field, from which the checking of
//! shapes and ranges, the near names, the JSON Schema and the reference in the docs all follow.
//!
//! What depends on more than one field is checked afterwards, where the checked types are built.

use super::fault::{Faults, Place, Wrong};
use super::near::near;
use super::node::Node;
use super::unit;
use crate::text;
use crate::time::Span;

/// Words that will mean something one day: known, but not to be used yet.
const PLANNED: &[&str] = &["challenge"];

/// What a value may be.
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number in a range, ends included.
    Whole(u64, u64),
    /// A duration such as `60s` in a range, ends included.
    Duration(Span, Span),
    /// Bytes: a whole number, or `16KiB`, in a range, ends included.
    Size(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A string with a syntax of its own.
    Text(&'static Syntax),
    /// A list, or one value without the brackets.
    Many(&'static Kind, Count),
    /// A table whose names the operator chooses.
    Map(&'static Syntax, &'static Kind, usize),
    /// A table with these fields.
    Table(&'static Table),
    /// Whichever fits the shape of what is written.
    Either(&'static [Kind]),
    /// A table whose inside somebody else checks.
    Free,
    /// Planned: known, but not to be used yet.
    Later,
}

/// How many entries a list may have.
pub struct Count {
    /// Fewest: an empty list would often mean the opposite of what was meant.
    pub least: usize,
    /// Most.
    pub most: usize,
}

/// A syntax of strings.
pub struct Syntax {
    /// What such a string is, with an article.
    pub what: &'static str,
    /// Says what is wrong with one.
    pub check: fn(&str) -> Result<(), Wrong>,
    /// A regular expression (ECMA-262) that every good one matches, for editors; empty: none.
    pub pattern: &'static str,
}

/// A table of the document.
pub struct Table {
    /// Its name in the JSON Schema.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A field of a table.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// True where it may not be absent.
    pub needed: bool,
    /// What it means, and its default. Empty in the Worker, which shows it to nobody.
    pub doc: &'static str,
}

impl Field {
    /// A field that may be absent.
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        let doc = if cfg!(target_arch = "wasm32") {
            ""
        } else {
            doc
        };
        Field {
            name,
            kind,
            needed: false,
            doc,
        }
    }

    /// A field that must be there.
    pub const fn needed(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        let mut field = Field::new(name, kind, doc);
        field.needed = true;
        field
    }
}

impl Kind {
    /// Reports everything that is wrong with the value as such.
    pub fn check(&self, node: &Node, at: &Place, faults: &mut Faults) {
        match (self, node) {
            (Kind::Later, _) => faults.add(at, Wrong::new("not supported yet", "leave it out")),
            (Kind::Flag, Node::Flag(_)) | (Kind::Free, Node::Table(_)) => {}
            (Kind::Whole(min, max), Node::Number(text))
            | (Kind::Size(min, max), Node::Number(text)) => {
                faults.keep(at, unit::whole(text, *min, *max));
            }
            (Kind::Size(min, max), Node::Text(text)) => {
                let size = unit::size(text);
                faults.keep(
                    at,
                    size.and_then(|n| unit::ranged_size(n, &node.shown(), *min, *max)),
                );
            }
            (Kind::Duration(min, max), Node::Text(text)) => {
                let span = unit::duration(text);
                faults.keep(
                    at,
                    span.and_then(|span| unit::ranged_duration(span, text, *min, *max)),
                );
            }
            (Kind::Word(words), Node::Text(text)) if words.contains(&text.as_str()) => {}
            (Kind::Word(_), Node::Text(text)) if PLANNED.contains(&text.as_str()) => {
                let expected = format!("write {}", self.wanted());
                faults.add(at, Wrong::text(text, "is not supported yet", expected));
            }
            (Kind::Word(words), Node::Text(text)) => {
                let expected = match near(text, words.iter().copied()) {
                    Some(word) => format!("did you mean \"{word}\"?"),
                    None => format!("write {}", self.wanted()),
                };
                faults.add(at, Wrong::text(text, "is unknown", expected));
            }
            (Kind::Text(syntax), Node::Text(text)) => {
                faults.keep(at, (syntax.check)(text));
            }
            (Kind::Many(of, count), Node::List(items)) => many(of, count, items, at, faults),
            (Kind::Many(of, _), _) if of.takes(node) => of.check(node, at, faults),
            (Kind::Map(names, of, most), Node::Table(fields)) => {
                if fields.len() > *most {
                    let found = format!("{} entries", fields.len());
                    faults.add(at, Wrong::new(found, format!("write at most {most}")));
                    return;
                }
                for (name, node) in fields {
                    let place = at.field(name);
                    faults.keep(&place, (names.check)(name));
                    of.check(node, &place, faults);
                }
            }
            (Kind::Table(table), Node::Table(fields)) => table.check(fields, at, faults),
            (Kind::Either(kinds), _) if kinds.iter().any(|kind| kind.takes(node)) => {
                if let Some(kind) = kinds.iter().find(|kind| kind.takes(node)) {
                    kind.check(node, at, faults);
                }
            }
            _ => faults.add(at, self.mismatch(node)),
        }
    }

    /// True where the value has the right shape, whatever it says.
    fn takes(&self, node: &Node) -> bool {
        match self {
            Kind::Flag => matches!(node, Node::Flag(_)),
            Kind::Whole(..) => matches!(node, Node::Number(_)),
            Kind::Size(..) => matches!(node, Node::Number(_) | Node::Text(_)),
            Kind::Duration(..) | Kind::Word(_) | Kind::Text(_) => matches!(node, Node::Text(_)),
            Kind::Many(of, _) => matches!(node, Node::List(_)) || of.takes(node),
            Kind::Map(..) | Kind::Table(_) | Kind::Free => matches!(node, Node::Table(_)),
            Kind::Either(kinds) => kinds.iter().any(|kind| kind.takes(node)),
            Kind::Later => true,
        }
    }

    /// What to say about a value of another shape.
    fn mismatch(&self, node: &Node) -> Wrong {
        let shown = node.shown();
        match (self, node) {
            (Kind::Duration(..), Node::Number(_))
            | (Kind::Either([Kind::Duration(..), ..]), Node::Number(_))
            | (Kind::Many(Kind::Duration(..), _), Node::Number(_)) => Wrong::new(
                format!("{shown} has no unit"),
                format!("write \"{shown}s\""),
            ),
            (Kind::Whole(..), Node::Text(text)) if text.bytes().all(|b| b.is_ascii_digit()) => {
                Wrong::new(
                    format!("{shown} is text"),
                    "write the number without quotes",
                )
            }
            _ => Wrong::new(shown, format!("write {}", self.wanted())),
        }
    }

    /// What would do, with an article.
    #[must_use]
    pub fn wanted(&self) -> String {
        match self {
            Kind::Flag => "true or false".to_owned(),
            Kind::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Kind::Duration(..) => "a duration such as \"60s\"".to_owned(),
            Kind::Size(..) => "a number of bytes, or a size such as \"16KiB\"".to_owned(),
            Kind::Word(words) => {
                let words: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
                text::join(&words, " or ")
            }
            Kind::Text(syntax) => syntax.what.to_owned(),
            Kind::Many(of, _) => match of {
                Kind::Table(_) => "a list of tables".to_owned(),
                of => format!("{}, or a list of such", of.wanted()),
            },
            Kind::Map(names, of, _) => {
                format!("a table of {} to {}", names.what, of.wanted())
            }
            Kind::Table(table) => {
                let names: Vec<&str> = table.fields.iter().map(|f| f.name).collect();
                format!("a table with any of {}", text::join(&names, ", "))
            }
            Kind::Either(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(Kind::wanted).collect();
                text::join(&kinds, ", or ")
            }
            Kind::Free => "a table".to_owned(),
            Kind::Later => "nothing".to_owned(),
        }
    }
}

fn many(of: &Kind, count: &Count, items: &[Node], at: &Place, faults: &mut Faults) {
    if items.len() > count.most {
        let found = format!("{} entries", items.len());
        faults.add(
            at,
            Wrong::new(found, format!("write at most {}", count.most)),
        );
        return;
    }
    if items.len() < count.least {
        let expected = "leave it out, or name at least one";
        faults.add(at, Wrong::new("an empty list", expected));
    }
    for (index, item) in items.iter().enumerate() {
        of.check(item, &at.item(index), faults);
    }
}

impl Table {
    /// Reports unknown, missing and bad fields.
    pub fn check(&self, fields: &[(String, Node)], at: &Place, faults: &mut Faults) {
        for (name, node) in fields {
            let place = at.field(name);
            match self.fields.iter().find(|field| field.name == name) {
                Some(field) => field.kind.check(node, &place, faults),
                None => {
                    let names = self.fields.iter().map(|field| field.name);
                    let expected = match near(name, names.clone()) {
                        Some(known) => format!("did you mean \"{known}\"?"),
                        None => format!(
                            "use any of {}",
                            text::join(&names.collect::<Vec<_>>(), ", ")
                        ),
                    };
                    faults.add(&place, Wrong::new("unknown field", expected));
                }
            }
        }
        for field in self.fields.iter().filter(|field| field.needed) {
            if !fields.iter().any(|(name, _)| name == field.name) {
                let expected = format!("write {}", field.kind.wanted());
                faults.add(&at.field(field.name), Wrong::new("missing", expected));
            }
        }
    }
}
