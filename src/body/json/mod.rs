//! `body.json`: depth, schema and cost of a JSON document.

mod canonical;
mod cost;
mod decimal;
mod document;
mod pointer;
mod read;
mod schema;
mod text;

use crate::json::Node;

use super::compile::{BoundsFault, Compiler};
use super::fault::BodyFault;
use cost::CostBounds;
use decimal::Decimal;
use schema::Schema;

pub(crate) use document::{Document, Kind};
pub(super) use pointer::Pointer;
pub(super) use read::read;
pub(crate) use read::read_lenient;

/// Default of `max_depth`.
const DEFAULT_DEPTH: u64 = 64;
/// Most that `max_depth` may say: recursion over a document stays within a small stack.
pub(super) const MAX_DEPTH: u64 = 128;

/// `body.json`, compiled.
#[derive(Clone, Debug)]
pub struct JsonBounds {
    max_depth: usize,
    schema: Option<Schema>,
    cost: Option<CostBounds>,
}

/// What inspecting a body has found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// The computed cost, in the units of the operator's terms; none where the bounds define none.
    /// Saturates.
    pub cost: Option<u64>,
}

impl JsonBounds {
    /// Compiles the table `{ max_depth, schema, cost = { terms, max } }`. Every field may be absent:
    /// then a body must only be JSON.
    ///
    /// # Errors
    ///
    /// Every fault of the table, each with its place below the table. Unknown fields and keywords
    /// are faults: a bound that is not understood would silently not bind.
    pub fn compile(value: &Node) -> Result<Self, Vec<BoundsFault>> {
        const EXPECTED: &str = "`max_depth`, `schema` or `cost`";
        let mut compiler = Compiler::default();
        let mut depth = None;
        let mut schema = None;
        let mut cost = None;
        for (field, value) in compiler.table(value, "a table").into_iter().flatten() {
            compiler.below(field, |compiler| match field.as_str() {
                "max_depth" => depth = compiler.whole(value, 1, MAX_DEPTH),
                "schema" => schema = Some(Schema::compile(compiler, value)),
                "cost" => cost = CostBounds::compile(compiler, value),
                _ => compiler.fault("an unknown field", EXPECTED),
            });
        }
        compiler.finish(JsonBounds {
            max_depth: usize::try_from(depth.unwrap_or(DEFAULT_DEPTH)).unwrap_or(usize::MAX),
            schema,
            cost,
        })
    }

    /// Does a body have a cost under these bounds? `cost = "body"` needs one.
    #[must_use]
    pub fn has_cost(&self) -> bool {
        self.cost.is_some()
    }

    /// Reads a whole body, whatever its `Content-Type` claims: otherwise the claim would be a way
    /// round the bounds.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` where it is no JSON (RFC 8259 in UTF-8, without byte-order mark), too deep,
    /// has a name twice in one object, or is against the schema; `TooExpensive` over `cost.max`.
    pub fn inspect(&self, bytes: &[u8]) -> Result<Inspected, BodyFault> {
        let document = read(bytes, self.max_depth)?;
        if let Some(schema) = &self.schema {
            schema.check(&document, Document::ROOT)?;
        }
        let cost = self.cost.as_ref().map(|cost| cost.compute(&document));
        Ok(Inspected {
            cost: cost.transpose()?,
        })
    }
}

/// A number of the policy, exactly. None where a TOML reader may have rounded it on its way here:
/// integers that 64 bits do not hold, and doubles of more than 15 digits.
pub(crate) fn policy_number(value: &Node) -> Option<Decimal> {
    let Node::Number(text) = value else {
        return None;
    };
    let decimal = Decimal::parse(text);
    let is_whole = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    (is_whole || decimal.is_within_digits(DOUBLE_DIGITS)).then_some(decimal)
}

/// Every decimal of so many digits survives a trip through a double.
const DOUBLE_DIGITS: usize = 15;

/// A whole number of the policy, not negative.
pub(crate) fn whole_number(value: &Node) -> Option<u64> {
    policy_number(value)?.to_count()
}

#[cfg(test)]
mod tests;
