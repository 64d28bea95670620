//! What a document costs: numbers in it and lengths of arrays in it, multiplied.

use super::document::{Document, Kind};
use super::pointer::Pointer;
use crate::body::compile::Compiler;
use crate::body::fault::BodyFault;
use crate::json::Node;

/// Most terms of a cost.
const MAX_TERMS: usize = 16;

/// `cost = { terms, max }`.
#[derive(Clone, Debug)]
pub(crate) struct CostBounds {
    terms: Vec<Term>,
    max: Option<u64>,
}

/// One factor.
#[derive(Clone, Debug)]
struct Term {
    /// Without the `#`: where a fault says that it is.
    written: String,
    pointer: Pointer,
    /// It ended in `#`: the length of that array, not that number.
    length: bool,
}

impl CostBounds {
    pub(crate) fn compile(compiler: &mut Compiler, value: &Node) -> Option<Self> {
        let table = compiler.table(value, "a table with `terms` and `max`")?;
        let mut terms = Vec::new();
        let mut max = None;
        for (field, value) in table {
            compiler.below(field, |compiler| match field.as_str() {
                "terms" => terms = compile_terms(compiler, value),
                "max" => max = compiler.whole(value, 0, u64::MAX),
                _ => compiler.fault("an unknown field", "`terms` or `max`"),
            });
        }
        if value.get("terms").is_none() {
            compiler.fault("no `terms`", "a list of pointers, like [\"/items#\"]");
        }
        Some(CostBounds { terms, max })
    }

    /// The product; saturates. A term that is absent or no whole number is the client's fault.
    pub(crate) fn compute(&self, document: &Document<'_>) -> Result<u64, BodyFault> {
        let mut cost: u64 = 1;
        for term in &self.terms {
            cost = cost.saturating_mul(term.evaluate(document)?);
        }
        match self.max {
            Some(max) if cost > max => Err(BodyFault::expensive("the request's cost", cost, max)),
            _ => Ok(cost),
        }
    }
}

fn compile_terms(compiler: &mut Compiler, value: &Node) -> Vec<Term> {
    const EXPECTED: &str =
        "a JSON Pointer like \"/pageSize\", with `#` at the end for the length of an array";
    let Some(list) = value
        .as_list()
        .filter(|list| (1..=MAX_TERMS).contains(&list.len()))
    else {
        compiler.unfit(value, &format!("a list of 1 to {MAX_TERMS} pointers"));
        return Vec::new();
    };
    let mut terms = Vec::new();
    for (index, value) in list.iter().enumerate() {
        compiler.below(&index.to_string(), |compiler| {
            match value.as_text().and_then(Term::parse) {
                Some(term) => terms.push(term),
                None => compiler.unfit(value, EXPECTED),
            }
        });
    }
    terms
}

impl Term {
    fn parse(text: &str) -> Option<Self> {
        let (written, length) = match text.strip_suffix('#') {
            Some(written) => (written, true),
            None => (text, false),
        };
        Some(Term {
            pointer: Pointer::parse(written)?,
            written: written.to_owned(),
            length,
        })
    }

    fn evaluate(&self, document: &Document<'_>) -> Result<u64, BodyFault> {
        let expected = if self.length {
            "an array"
        } else {
            "a whole number, not negative"
        };
        let fault = |found: &str| {
            let detail = format!("{found}, expected {expected}");
            Err(BodyFault::invalid(self.written.clone(), &detail))
        };
        let Some(at) = self.pointer.follow(document) else {
            return fault("missing");
        };
        match (self.length, document.kind(at)) {
            (true, Kind::Array) => {
                Ok(u64::try_from(document.items(at).count()).unwrap_or(u64::MAX))
            }
            // A batch of one may be sent without its brackets.
            (true, _) if self.written.is_empty() => Ok(1),
            (false, Kind::Number) => match document.number(at).to_count() {
                Some(count) => Ok(count),
                None => fault(&shorten(document.raw(at))),
            },
            (_, kind) => fault(kind.name()),
        }
    }
}

/// A number of the client's, short enough to repeat.
pub(crate) fn shorten(number: &str) -> String {
    match number.get(..40) {
        Some(start) => format!("{start}…"),
        None => number.to_owned(),
    }
}
