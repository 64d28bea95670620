//! Integer arithmetic that cannot fail: a division by zero counts as one by 1, and what does not
//! fit saturates. Quotas without zeros are `policy`'s duty; not crashing on one is ours.

use crate::time::{Span, Timestamp};

/// `a / b`, rounded down.
pub(super) const fn div_floor(a: u128, b: u64) -> u128 {
    match a.checked_div(b as u128) {
        Some(quotient) => quotient,
        None => a,
    }
}

/// `a / b`, rounded up.
pub(super) const fn div_ceil(a: u128, b: u64) -> u128 {
    match a.checked_rem(b as u128) {
        Some(0) | None => div_floor(a, b),
        Some(_) => div_floor(a, b).saturating_add(1),
    }
}

/// `a * b`, exactly.
#[inline(never)]
pub(super) const fn mul(a: u64, b: u64) -> u128 {
    // What is nothing, which nearly all that is held and lent is, needs no multiplication of 128 bits.
    if a == 0 || b == 0 {
        return 0;
    }
    // The product of two 64-bit numbers always fits.
    (a as u128).saturating_mul(b as u128)
}

/// The nearest 64-bit number.
pub(super) fn clamp(a: u128) -> u64 {
    u64::try_from(a).unwrap_or(u64::MAX)
}

/// Microseconds as a span.
pub(super) fn span(us: u128) -> Span {
    Span::from_micros(clamp(us))
}

/// Which aligned window `at` lies in, and how far into it, both counted from the epoch.
pub(super) const fn aligned(at: Timestamp, window: Span) -> (u64, u64) {
    let us = at.as_micros();
    match (
        us.checked_div(window.as_micros()),
        us.checked_rem(window.as_micros()),
    ) {
        (Some(index), Some(elapsed)) => (index, elapsed),
        _ => (us, 0),
    }
}

/// From `now` until `elapsed_us` into the aligned window `index`; nothing where that is past.
pub(super) fn until_aligned(now: Timestamp, index: u64, window: Span, elapsed_us: u128) -> Span {
    let start_us = mul(index, window.as_micros().max(1));
    let target_us = start_us.saturating_add(elapsed_us);
    span(target_us.saturating_sub(u128::from(now.as_micros())))
}
