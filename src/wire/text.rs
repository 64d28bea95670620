//! Numbers and names as text in the alphabet that passes through a URL path and a header value.
//!
//! A number is base 32 (`0-9a-v`), most significant digit first, without leading zeros, so that
//! there is one spelling of each. 128 bits are base64url (RFC 4648 section 5) without padding.

use super::CounterKey;

const DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
const BASE64URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Digits of the largest `u64`: 64 bits at 5 bits each, rounded up.
const MOST_DIGITS: u32 = 13;

/// Characters of 128 bits: 6 bits each, rounded up.
const NAME_CHARS: usize = 22;

/// Appends `number` in base 32.
pub(super) fn push_number(text: &mut String, number: u64) {
    let significant = u64::BITS.saturating_sub(number.leading_zeros());
    for place in (0..significant.div_ceil(5).max(1)).rev() {
        let digit = number.checked_shr(place.saturating_mul(5)).unwrap_or(0) & 31;
        text.push(char::from(pick(DIGITS, digit)));
    }
}

/// Reads what [`push_number`] wrote, and nothing else.
pub(super) fn number(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > MOST_DIGITS as usize {
        return None;
    }
    if text.len() > 1 && text.starts_with('0') {
        return None;
    }
    let mut number: u64 = 0;
    for byte in text.bytes() {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'v' => byte.wrapping_sub(b'a').wrapping_add(10),
            _ => return None,
        };
        number = number.checked_mul(32)?.checked_add(u64::from(digit))?;
    }
    Some(number)
}

/// Appends 128 bits as 22 characters.
pub(super) fn push_name(text: &mut String, name: [u8; 16]) {
    let full = text.len().saturating_add(NAME_CHARS);
    // The last character carries the two bits that are left over, at its high end.
    let (mut bits, mut held) = (0_u64, 0_u32);
    for byte in name.into_iter().chain([0]) {
        bits = (bits << 8 | u64::from(byte)) & 0xffff;
        held = held.saturating_add(8);
        while held >= 6 && text.len() < full {
            held = held.saturating_sub(6);
            text.push(char::from(pick(
                BASE64URL,
                bits.checked_shr(held).unwrap_or(0) & 63,
            )));
        }
    }
}

/// Reads what [`push_name`] wrote, and nothing else.
pub(super) fn name(text: &str) -> Option<[u8; 16]> {
    if text.len() != NAME_CHARS {
        return None;
    }
    let mut bits: u128 = 0;
    for (place, byte) in text.bytes().enumerate() {
        let sextet = match byte {
            b'A'..=b'Z' => byte.wrapping_sub(b'A'),
            b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        if place.saturating_add(1) == NAME_CHARS {
            // Four bits of the last character must be zero, or one name had sixteen spellings.
            if sextet & 15 != 0 {
                return None;
            }
            bits = (bits << 2) | u128::from(sextet >> 4);
        } else {
            bits = (bits << 6) | u128::from(sextet);
        }
    }
    Some(bits.to_be_bytes())
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
        let mut text = String::with_capacity(NAME_CHARS);
        push_name(&mut text, self.0);
        text
    }

    /// Reads what [`CounterKey::to_text`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<CounterKey> {
        name(text).map(CounterKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_number(value: u64, text: &str) {
        let mut written = String::new();
        push_number(&mut written, value);
        assert_eq!(written, text);
        assert_eq!(number(text), Some(value));
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
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[track_caller]
    fn check_name(bytes: [u8; 16], text: &str) {
        let mut written = String::new();
        push_name(&mut written, bytes);
        assert_eq!(written, text);
        assert_eq!(name(text), Some(bytes));
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
            assert_eq!(name(text), None, "{text}");
        }
    }
}
