//! Numbers of any length, compared exactly by their text: no floating point, no rounding.

use std::cmp::Ordering;

/// ±0.d₁d₂…dₙ × 10^exponent with d₁ and dₙ not zero; zero has no digits. So equal numbers are equal
/// values, however they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    /// ASCII.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number that the reader has already accepted (so its exponent is bounded).
    #[inline(never)]
    pub(crate) fn parse(text: &str) -> Self {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = Vec::with_capacity(mantissa.len());
        digits.extend_from_slice(whole.as_bytes());
        digits.extend_from_slice(fraction.as_bytes());
        let leading = digits.iter().take_while(|&&d| d == b'0').count();
        digits.drain(..leading);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Decimal {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        let exponent = exponent
            .parse::<i64>()
            .unwrap_or(0)
            .saturating_add(length(whole.as_bytes()))
            .saturating_sub(i64::try_from(leading).unwrap_or(i64::MAX));
        Decimal {
            negative,
            digits,
            exponent,
        }
    }

    /// The power of ten of the last digit.
    fn scale(&self) -> i64 {
        self.exponent.saturating_sub(length(&self.digits))
    }

    /// `1.0` is an integer, as JSON Schema says.
    pub(crate) fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.scale() >= 0
    }

    /// Has it no more than so many significant digits?
    pub(crate) fn is_within_digits(&self, digits: usize) -> bool {
        self.digits.len() <= digits
    }

    /// As a count: none where it is negative or no whole number; saturates.
    pub(crate) fn to_count(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        // u64::MAX has 20 digits.
        if self.exponent > 20 {
            return Some(u64::MAX);
        }
        let mut count = shift(0, &self.digits);
        for _ in 0..self.scale() {
            count = count.saturating_mul(10);
        }
        Some(count)
    }

    /// Exact: is this a whole multiple of `step`?
    pub(crate) fn is_multiple_of(&self, step: &Step) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        // X·10^a is a multiple of M·10^b. X does not end in zero, so with a < b it never is.
        let power = self.scale().saturating_sub(step.scale);
        if power < 0 {
            return false;
        }
        let mut rest: u64 = 0;
        for &digit in &self.digits {
            rest = step.reduce(rest, digit.saturating_sub(b'0'));
        }
        // M has fewer than 64 factors 2 and 5: further tens change nothing.
        for _ in 0..power.min(64) {
            rest = step.reduce(rest, 0);
        }
        rest == 0
    }

    /// A form that is equal exactly for equal numbers, and ends itself.
    pub(crate) fn write_canonical(&self, out: &mut Vec<u8>) {
        out.push(if self.negative { b'-' } else { b'+' });
        out.extend_from_slice(&self.digits);
        out.push(b'e');
        out.extend_from_slice(&self.exponent.to_be_bytes());
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self
                .exponent
                .cmp(&other.exponent)
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The value of `multipleOf`: coefficient × 10^scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    coefficient: u64,
    scale: i64,
}

impl Step {
    /// Most digits of the coefficient: with a digit more, `10 × rest` would not fit 64 bits.
    pub(crate) const DIGITS: usize = 18;

    /// None where it is not above zero or has more than [`Step::DIGITS`] digits.
    pub(crate) fn new(step: &Decimal) -> Option<Self> {
        if step.negative || step.digits.is_empty() || step.digits.len() > Self::DIGITS {
            return None;
        }
        Some(Step {
            coefficient: shift(0, &step.digits),
            scale: step.scale(),
        })
    }

    /// `(10 × rest + digit) mod coefficient`; `rest` is less than 10^18, so nothing saturates.
    fn reduce(&self, rest: u64, digit: u8) -> u64 {
        rest.saturating_mul(10)
            .saturating_add(u64::from(digit))
            .checked_rem(self.coefficient)
            .unwrap_or(0)
    }
}

/// Appends decimal digits to a count; saturates.
fn shift(count: u64, digits: &[u8]) -> u64 {
    digits.iter().fold(count, |count, &digit| {
        count
            .saturating_mul(10)
            .saturating_add(u64::from(digit.saturating_sub(b'0')))
    })
}

fn length(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
