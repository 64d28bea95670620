//! How many bytes a body may have: what it claims, and what really comes.

/// A body that is longer than its rule allows: 413.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is larger than {max} bytes")]
pub struct TooLarge {
    /// The most that is allowed, in bytes.
    pub max: u64,
}

/// Counts the bytes of one body against its bound. Whoever reads the stream asks before it keeps or
/// passes on a chunk, so that nothing beyond the bound is ever held or sent.
#[derive(Clone, Debug)]
pub struct ByteBound {
    max: u64,
    seen: u64,
}

impl ByteBound {
    /// A body of which nothing has come yet. With `max` bytes exactly it still passes.
    #[must_use]
    pub const fn new(max: u64) -> Self {
        ByteBound { max, seen: 0 }
    }

    /// Refuses a declared length, so that not a byte has to be read.
    ///
    /// # Errors
    ///
    /// Where the length is over the bound.
    pub const fn declare(&self, length: u64) -> Result<(), TooLarge> {
        if length > self.max {
            return Err(TooLarge { max: self.max });
        }
        Ok(())
    }

    /// Counts the bytes of the next chunk.
    ///
    /// # Errors
    ///
    /// Where the body has passed the bound: with this chunk, or already before it.
    pub const fn push(&mut self, bytes: u64) -> Result<(), TooLarge> {
        self.seen = self.seen.saturating_add(bytes);
        self.declare(self.seen)
    }

    /// Bytes counted so far, those of a refused chunk included. Saturates.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

/// The value of a `Content-Length` (RFC 9110 section 8.6): digits and nothing else, saturating where
/// 64 bits do not hold it. None for anything else, `5, 5` included: what it means to the origin
/// cannot be known, and a length that two sides read differently is a way to smuggle.
#[must_use]
pub fn content_length(value: &str) -> Option<u64> {
    let digits = value.trim_matches([' ', '\t']);
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0_u64, |length, byte| {
        let digit = char::from(byte).to_digit(10)?;
        Some(length.saturating_mul(10).saturating_add(u64::from(digit)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_itself_passes_and_one_more_does_not() {
        let mut bound = ByteBound::new(16);
        assert_eq!(bound.declare(16), Ok(()));
        assert_eq!(bound.declare(17), Err(TooLarge { max: 16 }));
        assert_eq!(bound.push(0), Ok(()));
        assert_eq!(bound.push(15), Ok(()));
        assert_eq!(bound.push(1), Ok(()));
        assert_eq!(bound.push(0), Ok(()));
        assert_eq!(bound.push(1), Err(TooLarge { max: 16 }));
        assert_eq!(bound.push(0), Err(TooLarge { max: 16 }));
        assert_eq!(bound.seen(), 17);
    }

    #[test]
    fn counting_does_not_wrap() {
        let mut bound = ByteBound::new(16);
        assert!(bound.push(u64::MAX).is_err());
        assert!(bound.push(u64::MAX).is_err());
        assert_eq!(bound.seen(), u64::MAX);
    }

    #[test]
    fn a_length_is_digits() {
        #[track_caller]
        fn check(value: &str, length: Option<u64>) {
            assert_eq!(content_length(value), length, "{value:?}");
        }
        check("0", Some(0));
        check("00017", Some(17));
        check(" 17\t", Some(17));
        check("18446744073709551615", Some(u64::MAX));
        check("18446744073709551616", Some(u64::MAX));
        check(&"9".repeat(10_000), Some(u64::MAX));
        for hostile in [
            "", " ", "-1", "+1", "1.0", "1e3", "0x10", "1 2", "5, 5", "5,5", "1_000", "١", "１",
            "17\0", "\u{a0}17",
        ] {
            check(hostile, None);
        }
    }
}
