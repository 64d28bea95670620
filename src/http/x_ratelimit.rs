//! The dialect `x-ratelimit`: the fields of custom, with `Reset` in seconds from now.

use super::triple::Triple;

/// The dialect's fields.
pub const FIELDS: Triple = Triple {
    limit: "X-RateLimit-Limit",
    remaining: "X-RateLimit-Remaining",
    reset: "X-RateLimit-Reset",
};
