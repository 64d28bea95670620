//! What may stand in a header: everything that is sent is checked here, wherever it came from.

/// True for a field name: a token of RFC 9110, section 5.6.2.
#[must_use]
pub fn is_field_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

/// True for a field value of printable ASCII, inner spaces and tabs: nothing that a runtime
/// refuses, and nothing that ends a line.
#[must_use]
pub fn is_field_value(value: &str) -> bool {
    let is_text = |byte: u8| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic();
    value.bytes().all(is_text) && value.trim() == value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_line() {
        for name in ["X-A", "a", "!#$%&'*+-.^_`|~"] {
            assert!(is_field_name(name), "{name:?}");
        }
        for name in ["", "bad name", "a:", "a\r\nb", "caf\u{e9}", "a\0"] {
            assert!(!is_field_name(name), "{name:?}");
        }
        for value in ["", "a", "a b\tc", "\"~!"] {
            assert!(is_field_value(value), "{value:?}");
        }
        for value in [" a", "a ", "a\r\nB: c", "a\n", "caf\u{e9}", "\0", "\u{7f}"] {
            assert!(!is_field_value(value), "{value:?}");
        }
    }
}
