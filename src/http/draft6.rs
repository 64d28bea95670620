//! The dialect `draft-6`: draft-ietf-httpapi-ratelimit-headers up to revision 6.

use super::triple::Triple;

/// The dialect's fields.
pub const FIELDS: Triple = Triple {
    limit: "RateLimit-Limit",
    remaining: "RateLimit-Remaining",
    reset: "RateLimit-Reset",
};
