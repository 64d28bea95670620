//! What is known of a request's body.

use std::rc::Rc;

/// What has been found out about the body so far.
#[derive(Clone, Debug, Default)]
pub struct BodyFacts {
    /// It has been read, or there is none.
    pub known: bool,
    /// Its length, as declared or as read.
    pub bytes: Option<u64>,
    /// Its computed cost.
    pub cost: Option<u64>,
    /// The decoded bytes, where a key or a bound looks into them.
    pub content: Option<Rc<[u8]>>,
}
