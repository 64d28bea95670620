//! Keys for a person to read, on a terminal or in a page.

use crate::admission::Facts;
use crate::admission::keys::{Client, KeyValues};
use crate::admission::plan::LimitRef;
use crate::policy::Policy;

/// Characters of a key that are shown.
const SHOWN: usize = 64;

/// The key that a limit counts the request under.
#[must_use]
pub fn key(policy: &Policy, limit: LimitRef, request: &dyn Facts) -> String {
    let Some(of) = limit.of(policy) else {
        return String::new();
    };
    let patterns = limit.rule(policy);
    let patterns = patterns.and_then(|rule| rule.matches.paths.as_deref());
    let mut patterns = patterns.unwrap_or_default().iter();
    let captures = patterns.find_map(|pattern| pattern.matches(request.path()));
    let client = Client::of(request.caller(), policy);
    let Ok(values) = KeyValues::resolve(&of.key, request, &client, captures) else {
        return String::new();
    };
    let parts = values.parts().into_iter().map(|part| {
        let value = String::from_utf8_lossy(part.value);
        match part.source {
            "ip" | "absent" | "worker" => value.into_owned(),
            "unknown" => "no address".to_owned(),
            source => format!("{source}={value}"),
        }
    });
    let text = parts.collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        "everybody".to_owned()
    } else {
        text.chars().take(SHOWN).map(harmless).collect()
    }
}

/// What a terminal would obey, and what turns the direction of a text, is shown as unreadable.
fn harmless(char: char) -> char {
    let turns = matches!(char, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if char.is_control() || turns {
        char::REPLACEMENT_CHARACTER
    } else {
        char
    }
}
