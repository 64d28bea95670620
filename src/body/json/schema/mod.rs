//! The keywords of JSON Schema (draft 2020-12) that bound work, and nothing else: no references, no
//! combination of schemas, no patterns. So checking a document visits each value at most once per
//! level of the schema, and a schema cannot be made expensive.

mod check;
mod compile;

use super::decimal::{Decimal, Step};
use crate::text;

/// A compiled schema.
#[derive(Clone, Debug)]
pub(crate) enum Schema {
    /// `true` or `{}`.
    Any,
    /// `false`.
    Nothing,
    /// Keywords.
    Rules(Box<Rules>),
}

/// What a schema's keywords say. What is absent is no condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    types: Option<Types>,
    /// `enum` and `const`: canonical forms, sorted.
    choices: Option<Vec<Vec<u8>>>,
    /// `properties` and `required`, sorted by name.
    named: Vec<Named>,
    /// `additionalProperties`.
    unnamed: Option<Schema>,
    /// `minProperties`, `maxProperties`.
    members: Count,
    /// `prefixItems`.
    first_items: Vec<Schema>,
    /// `items`.
    items: Option<Schema>,
    /// `minItems`, `maxItems`.
    item_count: Count,
    /// `uniqueItems`.
    unique: bool,
    /// `minLength`, `maxLength`, in code points.
    length: Count,
    /// `minimum`, `exclusiveMinimum`, `maximum`, `exclusiveMaximum`.
    bounds: Vec<Bound>,
    /// `multipleOf`, and how it was written.
    multiple_of: Option<(Step, String)>,
}

/// A bound on a number.
#[derive(Clone, Debug)]
struct Bound {
    relation: Relation,
    value: Decimal,
    /// As the operator wrote it: what a fault says.
    written: String,
}

impl Bound {
    /// Is this a lower bound that leaves no number under the upper bound `other`?
    fn opposes(&self, other: &Bound) -> bool {
        use Relation::{AtLeast, AtMost, LessThan, MoreThan};
        match (self.relation, other.relation) {
            (AtLeast, AtMost) => self.value > other.value,
            (AtLeast, LessThan) | (MoreThan, AtMost | LessThan) => self.value >= other.value,
            _ => false,
        }
    }
}

/// How a number stands to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
}

impl Relation {
    fn holds(self, number: &Decimal, bound: &Decimal) -> bool {
        match self {
            Relation::AtLeast => number >= bound,
            Relation::MoreThan => number > bound,
            Relation::AtMost => number <= bound,
            Relation::LessThan => number < bound,
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Relation::AtLeast => "at least",
            Relation::MoreThan => "more than",
            Relation::AtMost => "at most",
            Relation::LessThan => "less than",
        }
    }
}

/// A property that the schema names.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    required: bool,
    /// None: required, but not among `properties`.
    schema: Option<Schema>,
}

/// Bounds of a count.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    min: Option<u64>,
    max: Option<u64>,
}

/// A set of types: bits of [`TYPES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Types(u8);

/// The types of JSON Schema, in the order of their bits, with their article.
const TYPES: [(&str, &str); 7] = [
    ("null", "null"),
    ("boolean", "a boolean"),
    ("object", "an object"),
    ("array", "an array"),
    ("number", "a number"),
    ("string", "a string"),
    ("integer", "an integer"),
];

impl Types {
    const NULL: Types = Types(1);
    const BOOLEAN: Types = Types(1 << 1);
    const OBJECT: Types = Types(1 << 2);
    const ARRAY: Types = Types(1 << 3);
    const NUMBER: Types = Types(1 << 4);
    const STRING: Types = Types(1 << 5);
    const INTEGER: Types = Types(1 << 6);

    /// Have the two a type in common?
    fn meets(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    fn with(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    fn each() -> impl Iterator<Item = (Types, &'static str, &'static str)> {
        let bits = std::iter::successors(Some(1_u8), |bit| bit.checked_shl(1));
        bits.zip(TYPES)
            .map(|(bit, (name, phrase))| (Types(bit), name, phrase))
    }

    /// "an integer or null".
    fn phrase(self) -> String {
        let phrases = Self::each().filter(|(bit, ..)| bit.meets(self));
        let phrases: Vec<_> = phrases.map(|(_, _, phrase)| phrase).collect();
        text::join(&phrases, " or ")
    }
}

#[cfg(test)]
mod tests;
