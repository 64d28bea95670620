//! The forms that nearly all logs have, read digit by digit. Whatever is not quite like them goes the
//! long way.

use super::{MONTHS, moment};

/// The first 19 bytes of what nearly all write: `2000-10-10T20:55:36`.
pub fn rfc3339(text: &[u8]) -> Option<u64> {
    let [
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T' | b' ',
        rest @ ..,
    ] = text
    else {
        return None;
    };
    let year = two(*y0, *y1)?
        .saturating_mul(100)
        .saturating_add(two(*y2, *y3)?);
    clock(year, two(*m0, *m1)?, two(*d0, *d1)?, rest)
}

/// The first 20 bytes of what nearly all write: `10/Oct/2000:13:55:36`.
pub fn common(text: &[u8]) -> Option<u64> {
    let [
        d0,
        d1,
        b'/',
        name @ ..,
        b'/',
        _,
        _,
        _,
        _,
        b':',
        _,
        _,
        b':',
        _,
        _,
        b':',
        _,
        _,
    ] = text
    else {
        return None;
    };
    let [y0, y1, y2, y3, b':', rest @ ..] = text.get(7..)? else {
        return None;
    };
    let month = MONTHS
        .iter()
        .position(|month| name.eq_ignore_ascii_case(month.as_bytes()))?;
    let month = u64::try_from(month).ok()?.saturating_add(1);
    let year = two(*y0, *y1)?
        .saturating_mul(100)
        .saturating_add(two(*y2, *y3)?);
    clock(year, month, two(*d0, *d1)?, rest)
}

fn clock(year: u64, month: u64, day: u64, text: &[u8]) -> Option<u64> {
    let [h0, h1, b':', m0, m1, b':', s0, s1, ..] = text else {
        return None;
    };
    moment([
        year,
        month,
        day,
        two(*h0, *h1)?,
        two(*m0, *m1)?,
        two(*s0, *s1)?,
    ])
}

fn two(tens: u8, ones: u8) -> Option<u64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u64::from(byte & 15));
    Some(digit(tens)?.saturating_mul(10).saturating_add(digit(ones)?))
}
