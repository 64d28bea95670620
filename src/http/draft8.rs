//! The dialect `draft-8`: `RateLimit-Policy` and `RateLimit` as lists of structured fields
//! (RFC 9651), in the syntax of draft-ietf-httpapi-ratelimit-headers revisions 8 to 10.

use sfv::{Integer, KeyRef, ListSerializer, StringRef, key_ref};

use super::fields::{Field, QuotaView};

/// What is promised: `"name";q=120;w=60`.
pub const POLICY: &str = "RateLimit-Policy";
/// What is left: `"name";r=119;t=60`.
pub const LIMIT: &str = "RateLimit";

const QUOTA: &KeyRef = key_ref("q");
const WINDOW: &KeyRef = key_ref("w");
const REMAINING: &KeyRef = key_ref("r");
const RESET: &KeyRef = key_ref("t");

/// Both fields, one item per view, in order; nothing for no view. A name that cannot be a
/// structured string (a checked policy has none) is left out of both.
#[must_use]
pub fn fields(views: &[QuotaView<'_>]) -> Vec<Field> {
    let policy = list(views, |view| {
        [(QUOTA, view.quota), (WINDOW, view.window_s())]
    });
    let limit = list(views, |view| {
        [(REMAINING, view.remaining), (RESET, view.reset_s())]
    });
    let named = [(POLICY, policy), (LIMIT, limit)];
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn list(
    views: &[QuotaView<'_>],
    parameters: impl Fn(&QuotaView<'_>) -> [(&'static KeyRef, u64); 2],
) -> Option<String> {
    let mut list = ListSerializer::new();
    for view in views {
        let Ok(name) = StringRef::from_str(view.name) else {
            continue;
        };
        let mut item = list.bare_item(name);
        for (key, value) in parameters(view) {
            item = item.parameter(key, Integer::try_from(value).unwrap_or(Integer::MAX));
        }
    }
    list.finish()
}
