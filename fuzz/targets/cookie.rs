//! Any bytes as a Cookie header and a name: nothing panics, and no decoy chooses the value. The first
//! line is the header, the second the name.

use weir::http::cookie::{contains, lookup};

/// One input.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (header, name) = text.split_once('\n').unwrap_or((&text, "sid"));
    let found = lookup(header, name);
    if let Some(value) = found {
        assert!(contains(header, name));
        assert!(header.contains(value));
    }
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return;
    }
    let more = format!("{header}; {name}=own");
    // There or not, before or behind: one is taken where it is alone, and none where it is not.
    let expected = if contains(header, name) {
        None
    } else {
        Some("own")
    };
    assert_eq!(lookup(&more, name), expected);
    assert_eq!(lookup(&format!("{name}=own; {header}"), name), expected);
    assert_eq!(
        lookup(&format!("{header}; other"), name),
        found,
        "what is no cookie changes nothing"
    );
}
