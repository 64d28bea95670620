//! The fields of `body`.

use super::one_to;
use crate::policy::kind::{Field, Kind, Table};
use crate::policy::syntax;
use crate::time::Span;

/// Most bytes of a body that must be held to be looked into: all held by one isolate together.
pub const MAX_HELD: u64 = 32 << 20;

/// `body`.
pub static BODY: Table = Table {
    name: "body",
    doc: "Bounds on the request's body. What passes reaches the origin byte for byte.",
    fields: &[
        Field::new(
            "max_bytes",
            Kind::Size(1, 1 << 40),
            "Most bytes; more is answered 413. Needed where the body is looked into.",
        ),
        Field::new(
            "buffer",
            Kind::Size(1, MAX_HELD),
            "Most bytes held back of a body that does not declare its length, before it streams. Default: the smaller of \"max_bytes\" and 64 KiB.",
        ),
        Field::new(
            "content_types",
            Kind::Many(&Kind::Text(&syntax::MEDIA_TYPE), one_to(100)),
            "Allowed media types, without parameters; others are answered 415.",
        ),
        Field::new(
            "timeout",
            Kind::Duration(Span::from_millis(100), Span::from_secs(3_600)),
            "How long a held body may take to arrive; 408 after that. Default: \"30s\".",
        ),
        Field::new(
            "json",
            Kind::Table(&JSON),
            "The body is JSON within these bounds.",
        ),
        Field::new(
            "graphql",
            Kind::Table(&GRAPHQL),
            "The body is a GraphQL request within these bounds.",
        ),
    ],
};

/// `body.json`.
pub static JSON: Table = Table {
    name: "json",
    doc: "Bounds on a JSON body.",
    fields: &[
        Field::new(
            "max_depth",
            Kind::Whole(1, 128),
            "Most levels of arrays and objects.",
        ),
        Field::new(
            "schema",
            Kind::Free,
            "JSON Schema keywords; what does not fit is answered 400. A keyword that Weir does not know is a fault.",
        ),
        Field::new(
            "cost",
            Kind::Table(&JSON_COST),
            "The computed cost of the body.",
        ),
    ],
};

/// `body.json.cost`.
pub static JSON_COST: Table = Table {
    name: "json_cost",
    doc: "A cost computed from the body: its terms multiplied together.",
    fields: &[
        Field::needed(
            "terms",
            Kind::Many(&Kind::Text(&syntax::TERM), one_to(16)),
            "JSON Pointers to whole numbers; with a trailing \"#\", the length of that array; \"#\" alone is the length of a top-level array.",
        ),
        Field::new(
            "max",
            Kind::Whole(1, 1 << 53),
            "Most that it may be; more is answered 400 with code \"too_expensive\".",
        ),
    ],
};

/// `body.graphql`.
pub static GRAPHQL: Table = Table {
    name: "graphql",
    doc: "Bounds on a GraphQL request.",
    fields: &[
        Field::new(
            "max_depth",
            Kind::Whole(1, 1_000),
            "Most levels of selections.",
        ),
        Field::new("max_aliases", Kind::Whole(0, 100_000), "Most aliases."),
        Field::new(
            "max_operations",
            Kind::Whole(1, 1_000),
            "Most operations of a batch.",
        ),
        Field::new(
            "max_selections",
            Kind::Whole(1, 100_000),
            "Most selections.",
        ),
    ],
};
