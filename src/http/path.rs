//! Paths, normalised for matching, and the patterns that match them.

/// A checked path pattern.
#[derive(Clone, Debug)]
pub struct Pattern {}
