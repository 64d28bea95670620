//! Where a byte is, eight bytes at a time: most of a log is text in which nothing ends.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Where the first of `bytes` is that equals one of two.
#[must_use]
pub fn either(bytes: &[u8], one: u8, other: u8) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    let (ones, others) = (
        LOW.wrapping_mul(u64::from(one)),
        LOW.wrapping_mul(u64::from(other)),
    );
    let mut at: usize = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ ones) | zeros(word ^ others);
        if found != 0 {
            // Above a zero byte others may be marked that are none; the lowest is one.
            let bytes = usize::try_from(found.trailing_zeros() / 8).unwrap_or(0);
            return Some(at.saturating_add(bytes));
        }
        at = at.saturating_add(8);
    }
    let rest = rest
        .iter()
        .position(|byte| *byte == one || *byte == other)?;
    Some(at.saturating_add(rest))
}

/// Where the first of `bytes` is that equals `wanted`.
#[must_use]
pub fn first(bytes: &[u8], wanted: u8) -> Option<usize> {
    either(bytes, wanted, wanted)
}

/// The high bit of every byte that is zero (Mycroft 1987), the lowest of them at least.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_one_by_one(bytes in proptest::collection::vec(proptest::sample::select(vec![0_u8, 1, 2, 127, 128, 129, 255]), 0..40), one: u8, low in 0..3_u8) {
            for one in [one, low, 127, 128, 255] {
                prop_assert_eq!(first(&bytes, one), bytes.iter().position(|byte| *byte == one));
                prop_assert_eq!(
                    either(&bytes, one, low),
                    bytes.iter().position(|byte| *byte == one || *byte == low)
                );
            }
        }
    }
}
