//! `body.graphql`: how deep, how wide and how often a GraphQL request asks.
//!
//! The grammar of executable documents (specification of October 2021, section 2) is small enough to
//! read by hand in a few kilobytes; a parser library would cost as much as the whole of this room,
//! and builds a tree where only five sums are wanted. Type definitions are no requests: they do not
//! parse here.
//!
//! Fragments are not expanded. What one weighs is computed once and added wherever it is spread, so
//! that a document which would expand to 2^40 fields is weighed as quickly as any other.

mod lex;
mod parse;
mod weigh;

use std::borrow::Cow;

use super::compile::{BoundsFault, Compiler};
use super::fault::BodyFault;
use super::json::{Document, Inspected, Kind, MAX_DEPTH, read};
use crate::http::{media, query};
use crate::json::Node;
use weigh::Weight;

/// Most that `max_depth` may say, and most braces or fragments inside each other without it.
const MAX_NESTING: usize = 128;

/// `body.graphql`, compiled. What is absent is not bounded, but for nesting (128).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphqlBounds {
    max_depth: Option<u64>,
    max_aliases: Option<u64>,
    max_operations: Option<u64>,
    max_selections: Option<u64>,
}

impl GraphqlBounds {
    /// Compiles the table `{ max_depth, max_aliases, max_operations, max_selections }`.
    ///
    /// # Errors
    ///
    /// Every fault of the table, each with its place below the table.
    pub fn compile(value: &Node) -> Result<Self, Vec<BoundsFault>> {
        const EXPECTED: &str = "`max_depth`, `max_aliases`, `max_operations` or `max_selections`";
        let mut compiler = Compiler::default();
        let mut bounds = GraphqlBounds::default();
        let nesting = u64::try_from(MAX_NESTING).unwrap_or(u64::MAX);
        for (field, value) in compiler.table(value, "a table").into_iter().flatten() {
            compiler.below(field, |compiler| match field.as_str() {
                "max_depth" => bounds.max_depth = compiler.whole(value, 1, nesting),
                "max_aliases" => bounds.max_aliases = compiler.whole(value, 0, u64::MAX),
                "max_operations" => bounds.max_operations = compiler.whole(value, 1, u64::MAX),
                "max_selections" => bounds.max_selections = compiler.whole(value, 1, u64::MAX),
                _ => compiler.fault("an unknown field", EXPECTED),
            });
        }
        compiler.finish(bounds)
    }

    /// Weighs a request: the document in the URL's `query` parameter and those in the body. Both,
    /// whatever the method, because servers differ in which of the two they prefer.
    ///
    /// `url_query` is the raw query without `?`. A body of type `application/graphql` is a document;
    /// any other one must be JSON: `{ "query": … }` or a list of such, a batch. An empty body is
    /// none. A request that names a stored document instead of sending one cannot be weighed, so it
    /// is refused.
    ///
    /// Where a document has several operations the dearest counts, since one is carried out; a batch
    /// is added up, but its depth is that of its deepest. `max_operations` counts all of them. The
    /// cost is the number of selections at the top, those of fragments included; none where the
    /// request has no document.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` where JSON or document do not parse, or a fragment is unknown, defined twice
    /// or part of itself; `TooExpensive` over a bound.
    pub fn inspect(
        &self,
        url_query: &str,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Inspected, BodyFault> {
        let mut total: Option<Weight> = None;
        let mut add = |pointer: &str, text: &str| {
            let weight = weigh::weigh(pointer, text)?;
            total = Some(total.map_or(weight, |total| total.and(weight)));
            Ok(())
        };
        if query::contains(url_query, "query") {
            match query::lookup(url_query, "query") {
                Some(text) => add("", &text)?,
                None => return Err(invalid("", "more than one `query` in the URL")),
            }
        }
        let essence = media::essence(content_type.unwrap_or_default());
        if essence.eq_ignore_ascii_case("application/graphql") {
            match std::str::from_utf8(body) {
                Ok("") => {}
                Ok(text) => add("", text)?,
                Err(_) => return Err(invalid("", "not UTF-8")),
            }
        } else if !body.is_empty() {
            let depth = usize::try_from(MAX_DEPTH).unwrap_or(usize::MAX);
            let document = read(body, depth)?;
            each_query(&document, &mut add)?;
        }
        let Some(total) = total else {
            return Ok(Inspected { cost: None });
        };
        for (what, found, max) in [
            (
                "the number of operations",
                total.operations,
                self.max_operations,
            ),
            ("the depth", total.depth, self.max_depth),
            ("the number of aliases", total.aliases, self.max_aliases),
            (
                "the number of selections",
                total.selections,
                self.max_selections,
            ),
        ] {
            if let Some(max) = max.filter(|&max| found > max) {
                return Err(BodyFault::expensive(what, found, max));
            }
        }
        Ok(Inspected {
            cost: Some(total.top),
        })
    }
}

/// Gives each request of a JSON body to `add`: where it is, and its document.
fn each_query(
    document: &Document<'_>,
    add: &mut impl FnMut(&str, &str) -> Result<(), BodyFault>,
) -> Result<(), BodyFault> {
    let single = (document.kind(Document::ROOT) != Kind::Array).then_some(Document::ROOT);
    for request in single.into_iter().chain(document.items(Document::ROOT)) {
        let pointer = format!("{}/query", document.pointer(request));
        match document.member(request, "query") {
            Some(at) if document.kind(at) == Kind::String => {
                let text: Cow<'_, str> = document.string(at);
                add(&pointer, &text)?;
            }
            Some(at) => {
                let detail = format!("{}, expected a string", document.kind(at).name());
                return Err(invalid(&pointer, &detail));
            }
            None => return Err(invalid(&pointer, "missing")),
        }
    }
    Ok(())
}

fn invalid(pointer: &str, detail: &str) -> BodyFault {
    BodyFault::invalid(pointer.to_owned(), detail)
}

#[cfg(test)]
mod tests;
