//! Numbers and names as text in the alphabet that passes through a URL path and a header value.
//!
//! A number is base 32 (`0-9a-v`), most significant digit first, without leading zeros, so that
//! there is one spelling of each. 128 bits are base64url (RFC 4648 section 5) without padding.

use super::CounterKey;

const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
const BASE64URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Digits of the largest `u64`: 64 bits at 5 bits each, rounded up.
const MOST_DIGITS: usize = 13;

/// Characters of 128 bits: 6 bits each, rounded up.
const NAME_CHARS: usize = 22;

/// Appends `number` in base 32.
pub(super) fn push_number(text: &mut Vec<u8>, number: u64) {
    let significant = u64::BITS.saturating_sub(number.leading_zeros());
    let mut place = significant.div_ceil(5).max(1).saturating_mul(5);
    while place > 0 {
        place = place.saturating_sub(5);
        text.push(pick(DIGITS, number.wrapping_shr(place) & 31));
    }
}

/// Reads what [`push_number`] wrote, and nothing else.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > MOST_DIGITS {
        return None;
    }
    if text.len() > 1 && text.first() == Some(&b'0') {
        return None;
    }
    let mut number: u64 = 0;
    for byte in text {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'v' => byte.wrapping_sub(b'a').wrapping_add(10),
            _ => return None,
        };
        // Nothing may be pushed out at the top.
        if number.leading_zeros() < 5 {
            return None;
        }
        number = number << 5 | u64::from(digit);
    }
    Some(number)
}

/// Appends 128 bits as 22 characters.
pub(super) fn push_name(text: &mut Vec<u8>, name: [u8; 16]) {
    let mut chars = [0; NAME_CHARS];
    let mut bytes = name.iter();
    let (mut bits, mut held) = (0_u64, 0_u32);
    for char in &mut chars {
        if held < 6 {
            // Behind the last byte: two bits are left over, and stand at the high end.
            bits = bits << 8 | u64::from(bytes.next().copied().unwrap_or(0));
            held = held.wrapping_add(8);
        }
        held = held.wrapping_sub(6);
        *char = pick(BASE64URL, bits.wrapping_shr(held) & 63);
    }
    text.extend_from_slice(&chars);
}

/// 128 bits as text.
pub(super) fn name_text(name: [u8; 16]) -> String {
    let mut text = Vec::with_capacity(NAME_CHARS);
    push_name(&mut text, name);
    to_string(text)
}

/// The text that is written here, which is ASCII.
pub(super) fn to_string(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_default()
}

/// Reads what [`push_name`] wrote, and nothing else.
pub(super) fn name(text: &[u8]) -> Option<[u8; 16]> {
    if text.len() != NAME_CHARS {
        return None;
    }
    let mut name = [0; 16];
    let mut bytes = name.iter_mut();
    let (mut bits, mut held) = (0_u64, 0_u32);
    for byte in text {
        let sextet = match byte {
            b'A'..=b'Z' => byte.wrapping_sub(b'A'),
            b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u64::from(sextet);
        held = held.wrapping_add(6);
        if held >= 8 {
            held = held.wrapping_sub(8);
            *bytes.next()? = u8::try_from(bits.wrapping_shr(held) & 255).ok()?;
        }
    }
    // The four bits that are left over must be zero, or one name had sixteen spellings.
    (bits & 15 == 0).then_some(name)
}

fn pick<const N: usize>(alphabet: &[u8; N], place: u64) -> u8 {
    // The callers mask to the alphabet's size; the fallback cannot be reached.
    usize::try_from(place)
        .ok()
        .and_then(|place| alphabet.get(place))
        .copied()
        .unwrap_or(b'0')
}

impl CounterKey {
    /// 22 characters of base64url.
    #[must_use]
    pub fn to_text(self) -> String {
        name_text(self.0)
    }

    /// Reads what [`CounterKey::to_text`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<CounterKey> {
        name(text.as_bytes()).map(CounterKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_number(value: u64, text: &str) {
        let mut written = Vec::new();
        push_number(&mut written, value);
        assert_eq!(to_string(written), text);
        assert_eq!(number(text.as_bytes()), Some(value));
    }

    #[test]
    fn numbers() {
        check_number(0, "0");
        check_number(31, "v");
        check_number(32, "10");
        check_number(60_000_000, "1p71o0");
        check_number(u64::MAX, "fvvvvvvvvvvvv");
    }

    #[test]
    fn a_number_has_one_spelling() {
        for text in [
            "",
            "00",
            "01",
            "w",
            "A",
            "-1",
            "+1",
            "gvvvvvvvvvvvv",
            "fvvvvvvvvvvvvv",
            "é",
        ] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[track_caller]
    fn check_name(bytes: [u8; 16], text: &str) {
        assert_eq!(name_text(bytes), text);
        assert_eq!(name(text.as_bytes()), Some(bytes));
    }

    #[test]
    fn names() {
        check_name([0; 16], "AAAAAAAAAAAAAAAAAAAAAA");
        check_name([255; 16], "_____________________w");
        check_name(*b"0123456789abcdef", "MDEyMzQ1Njc4OWFiY2RlZg");
        for text in [
            "",
            "AAAA",
            "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAAA~",
        ] {
            assert_eq!(name(text.as_bytes()), None, "{text}");
        }
    }
}
