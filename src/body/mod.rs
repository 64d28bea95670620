//! What is in a request's body, bounded: JSON schema and cost, fields that keys are made of,
//! GraphQL. Pure: bytes in, a value or a fault out.

/// `body.json`, compiled.
#[derive(Clone, Debug)]
pub struct JsonBounds {}

/// `body.graphql`.
#[derive(Clone, Debug)]
pub struct GraphqlBounds {}
