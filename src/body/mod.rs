//! What is in a request's body, bounded: how many bytes, JSON against a schema and its cost, the
//! fields that keys are made of, GraphQL. Pure: bytes in, a value or a fault out.
//!
//! Nothing here is lenient, because whatever Weir reads is read once more by the origin, with
//! another parser. Where two parsers could see two different documents (a name that appears twice,
//! a lone surrogate, a byte-order mark, an integer beyond what a double holds) the document is
//! either refused or kept exactly; it is never repaired.
//!
//! Not here: decompression, time-outs, `Content-Type` lists. The caller hands over decoded bytes
//! that are already within the rule's `max_bytes`.

mod bound;
mod compile;
mod fault;
mod field;
mod graphql;
pub(crate) mod json;

pub use bound::{ByteBound, TooLarge, content_length};
pub use compile::BoundsFault;
pub use fault::{BodyFault, FaultKind};
pub use field::{Fields, field, is_field_name};
pub use graphql::GraphqlBounds;
pub use json::{Inspected, JsonBounds};
