//! The dialect `draft-8`: `RateLimit-Policy` and `RateLimit` as lists of structured fields
//! (RFC 9651), in the syntax of draft-ietf-httpapi-ratelimit-headers revisions 8 to 10.

use super::fields::{Field, QuotaView};
use crate::text;

/// What is promised: `"name";q=120;w=60`.
pub const POLICY: &str = "RateLimit-Policy";
/// What is left: `"name";r=119;t=60`.
pub const LIMIT: &str = "RateLimit";

/// The largest integer of RFC 9651, section 3.3.1.
const MOST: u64 = 999_999_999_999_999;

/// Both fields, one item per view, in order; nothing for no view. A name that cannot be a
/// structured string (a checked policy has none) is left out of both. With `open`, a NUL stands for each
/// number of [`LIMIT`].
#[must_use]
pub fn fields(views: &[QuotaView<'_>], open: bool) -> Vec<Field> {
    let mut policy = String::with_capacity(40);
    let mut limit = String::with_capacity(40);
    for view in views.iter().filter(|view| is_string(view.name)) {
        item(
            &mut policy,
            view.name,
            ('q', Some(view.quota)),
            ('w', Some(view.window_s())),
        );
        item(
            &mut limit,
            view.name,
            ('r', Some(view.remaining).filter(|_| !open)),
            ('t', Some(view.reset_s()).filter(|_| !open)),
        );
    }
    if policy.is_empty() {
        return Vec::new();
    }
    vec![(POLICY, policy), (LIMIT, limit)]
}

/// Appends a string with two integers as its parameters (section 4.1). This is on every answer;
/// `npm run bench -- core` shows it beside a library that serialises everything RFC 9651 knows.
fn item(list: &mut String, name: &str, first: (char, Option<u64>), second: (char, Option<u64>)) {
    if !list.is_empty() {
        list.push_str(", ");
    }
    list.push('"');
    if text::has(name, b'"') || text::has(name, b'\\') {
        for c in name.chars() {
            if matches!(c, '"' | '\\') {
                list.push('\\');
            }
            list.push(c);
        }
    } else {
        list.push_str(name);
    }
    list.push('"');
    for (key, value) in [first, second] {
        list.push(';');
        list.push(key);
        list.push('=');
        match value {
            Some(value) => list.push_str(&shown(value).to_string()),
            None => list.push('\0'),
        }
    }
}

/// A number as it is written.
pub(super) fn shown(number: u64) -> u64 {
    number.min(MOST)
}

/// Only printable ASCII can stand in a string (section 3.3.3).
pub(super) fn is_string(name: &str) -> bool {
    name.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sfv::{Integer, KeyRef, ListSerializer, StringRef, key_ref};

    use super::*;
    use crate::time::Span;

    /// The same by a library that serialises whatever RFC 9651 knows.
    fn library(
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

    proptest! {
        #[test]
        fn both_fields_are_what_a_library_makes_of_them(
            views in prop::collection::vec(
                ("[a-z.\"\\\\ ~é\t]{0,6}", any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>()), 0..4),
        ) {
            let views: Vec<QuotaView<'_>> = views
                .iter()
                .map(|(name, quota, window, remaining, reset, refuses)| QuotaView {
                    name,
                    quota: *quota,
                    window: Span::from_micros(*window),
                    remaining: *remaining,
                    reset: Span::from_micros(*reset),
                    refuses: *refuses,
                })
                .collect();
            let ours = fields(&views, false);
            let theirs: Vec<Field> = [
                (POLICY, library(&views, |view| [(key_ref("q"), view.quota), (key_ref("w"), view.window_s())])),
                (LIMIT, library(&views, |view| [(key_ref("r"), view.remaining), (key_ref("t"), view.reset_s())])),
            ]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
