//! Searching text for text, and joining texts. The standard library's search is three kilobytes of Wasm for texts much
//! longer than any here; that for a character is small.

/// True where the ASCII character `byte` stands in `text`.
pub(crate) fn has(text: &str, byte: u8) -> bool {
    text.as_bytes().contains(&byte)
}

/// Where `part`, which is not empty, first stands in `text`.
pub(crate) fn find(text: &str, part: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(part.len().max(1));
    let first = part.as_bytes().first();
    windows.position(|window| window.first() == first && window == part.as_bytes())
}

/// What stands before and after the first `part`.
pub(crate) fn split_once<'a>(text: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text, part)?;
    Some((text.get(..at)?, text.get(at.saturating_add(part.len())..)?))
}

/// The text with each `part` replaced by another text.
pub(crate) fn replace(mut text: &str, part: &str, by: &str) -> String {
    let mut out = String::new();
    while let Some((before, after)) = split_once(text, part) {
        out.push_str(before);
        out.push_str(by);
        text = after;
    }
    out.push_str(text);
    out
}

/// The parts in turn with `between` between them. The standard library's is a kilobyte of Wasm for each
/// kind of part.
pub(crate) fn join(parts: &[impl AsRef<str>], between: &str) -> String {
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(between);
        }
        out.push_str(part.as_ref());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_the_standard_library_finds(text in "[ab:/é]{0,12}", part in "[ab:/é]{1,3}") {
            prop_assert_eq!(has(&text, b'/'), text.contains('/'));
            prop_assert_eq!(find(&text, &part), text.find(&part));
            prop_assert_eq!(split_once(&text, &part), text.split_once(&part));
            prop_assert_eq!(replace(&text, &part, "a:"), text.replace(&part, "a:"));
            let parts: Vec<&str> = text.split(&part).collect();
            prop_assert_eq!(join(&parts, &part), text);
        }
    }
}
