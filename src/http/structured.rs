//! Is this a list of structured fields (RFC 9651, section 4.2.1)? Only that: the library's parser,
//! which says what is in it, would be eight kilobytes of the Worker.

/// True for what parses as a list, empty ones included.
#[must_use]
pub fn is_list(value: &str) -> bool {
    let mut text = Text(value.trim_matches(' ').as_bytes());
    list(&mut text).is_some() && text.0.is_empty()
}

/// What is left of the value. All below take what they know from its front; None: it is not there.
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    fn peek(&self) -> u8 {
        self.0.first().copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.next();
        }
        found
    }

    /// Takes all that `is` holds for, and tells how many they were.
    fn run(&mut self, is: fn(u8) -> bool) -> usize {
        let count = self.0.iter().take_while(|byte| is(**byte)).count();
        self.0 = self.0.get(count..).unwrap_or_default();
        count
    }
}

fn list(text: &mut Text<'_>) -> Option<()> {
    if text.0.is_empty() {
        return Some(());
    }
    loop {
        member(text)?;
        let is_space = |byte| matches!(byte, b' ' | b'\t');
        text.run(is_space);
        if text.0.is_empty() {
            return Some(());
        }
        text.takes(b',').then_some(())?;
        text.run(is_space);
    }
}

fn member(text: &mut Text<'_>) -> Option<()> {
    if text.takes(b'(') {
        loop {
            text.run(|byte| byte == b' ');
            if text.takes(b')') {
                break;
            }
            bare_item(text)?;
            parameters(text)?;
            matches!(text.peek(), b' ' | b')').then_some(())?;
        }
    } else {
        bare_item(text)?;
    }
    parameters(text)
}

fn parameters(text: &mut Text<'_>) -> Option<()> {
    while text.takes(b';') {
        text.run(|byte| byte == b' ');
        matches!(text.next()?, b'a'..=b'z' | b'*').then_some(())?;
        text.run(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'));
        if text.takes(b'=') {
            bare_item(text)?;
        }
    }
    Some(())
}

fn bare_item(text: &mut Text<'_>) -> Option<()> {
    let valid = match text.peek() {
        b'-' | b'0'..=b'9' => number(text, true)?,
        b'"' => {
            text.next();
            string(text)?
        }
        b'*' | b'a'..=b'z' | b'A'..=b'Z' => {
            text.run(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
            true
        }
        b':' => {
            text.next();
            bytes(text)
        }
        b'?' => {
            text.next();
            matches!(text.next()?, b'0' | b'1')
        }
        b'@' => {
            text.next();
            number(text, false)?
        }
        b'%' => {
            text.next();
            text.takes(b'"') && display(text)?
        }
        _ => false,
    };
    valid.then_some(())
}

fn number(text: &mut Text<'_>, may_have_fraction: bool) -> Option<bool> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    text.takes(b'-');
    let whole = text.run(is_digit);
    if text.peek() != b'.' || !may_have_fraction {
        return Some((1..=15).contains(&whole));
    }
    text.next();
    let fraction = text.run(is_digit);
    Some((1..=12).contains(&whole) && (1..=3).contains(&fraction))
}

fn string(text: &mut Text<'_>) -> Option<bool> {
    loop {
        match text.next()? {
            b'"' => return Some(true),
            b'\\' => matches!(text.next()?, b'"' | b'\\').then_some(())?,
            b' '..=b'~' => {}
            _ => return Some(false),
        }
    }
}

/// Base64, its padding whole, in part or left out.
fn bytes(text: &mut Text<'_>) -> bool {
    let digits = text.run(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte));
    let padding = text.run(|byte| byte == b'=');
    let most = [0, 0, 2, 1].get(digits % 4).copied().unwrap_or(0);
    digits % 4 != 1 && padding <= most && text.takes(b':')
}

/// A display string: UTF-8, with bytes escaped in lower case.
fn display(text: &mut Text<'_>) -> Option<bool> {
    let mut decoded = Vec::new();
    loop {
        match text.next()? {
            b'"' => return Some(std::str::from_utf8(&decoded).is_ok()),
            b'%' => {
                let (high, low) = (lower_hex(text.next()?)?, lower_hex(text.next()?)?);
                decoded.push(high << 4 | low);
            }
            byte @ b' '..=b'~' => decoded.push(byte),
            _ => return Some(false),
        }
    }
}

fn lower_hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(byte.wrapping_sub(b'a').wrapping_add(10)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn library(value: &str) -> bool {
        sfv::Parser::new(value)
            .parse_list_with_visitor(sfv::visitor::Ignored)
            .is_ok()
    }

    #[test]
    fn every_kind_of_item_is_known() {
        for (value, expected) in [
            ("", true),
            ("  ", true),
            (r#""a";q=1;w=60, "b";r=0"#, true),
            ("a,\tb", true),
            ("a,", false),
            ("a b", false),
            ("(a b);x, ( )", true),
            ("(a", false),
            ("(a)b", false),
            ("(a\"b\")", false),
            ("-1, 1.5, 999999999999999", true),
            ("1000000000000000", false),
            ("1.", false),
            ("1.2345", false),
            ("1234567890123.1", false),
            ("@1, ?1, :YQ==:, :YQ=:, :YQ:", true),
            (":Y:", false),
            (":YQ===:", false),
            ("@1.5", false),
            ("?2", false),
            (r#"%"a%c3%a9""#, true),
            (r#"%"%C3""#, false),
            (r#"%"%c3""#, false),
            (r#""\a""#, false),
            ("é", false),
        ] {
            assert_eq!(is_list(value), expected, "{value}");
            assert_eq!(library(value), expected, "the library: {value}");
        }
    }

    proptest! {
        #[test]
        fn it_knows_what_the_library_knows(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "*", "b/c", "1", "-", "12345", ".", "\"", "\\", ",", ", ", " ", "\t", ";", "=", "(", ")",
                ":", "YQ", "Zm8", "=", "?", "@", "%", "%\"", "%c3%a9", "%e2", "A", "!", "\u{1}", "é", ";a=1", "(a b)",
            ]), 0..12)
        ) {
            let value = parts.concat();
            prop_assert_eq!(is_list(&value), library(&value), "{:?}", value);
        }
    }
}
