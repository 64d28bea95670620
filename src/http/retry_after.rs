//! `Retry-After` (RFC 9110, section 10.2.3): written as seconds, read in both forms.

use crate::time::{Span, Timestamp};

/// The field's name.
pub const NAME: &str = "Retry-After";

/// Longest delay that is ever named: what RFC 9111 (section 1.2.2) says of delta-seconds, and what
/// a signed 32-bit number holds.
pub const MAX_S: u64 = 2_147_483_647;

/// A delay as it is shown: whole seconds, rounded up, at least 1.
#[must_use]
pub fn seconds(delay: Span) -> u64 {
    delay.as_secs_ceil().clamp(1, MAX_S)
}

/// Seconds from `now`, rounded up, that a value names; zero for a date in the past. `None` for what
/// is neither a whole number nor a date in the preferred format.
#[must_use]
pub fn parse(value: &str, now: Timestamp) -> Option<u64> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(value.parse().unwrap_or(MAX_S));
    }
    Some(date(value)?.saturating_since(now).as_secs_ceil())
}

/// An IMF-fixdate (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(value: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = crate::text::split_once(value, ", ")?;
    let mut parts = rest.split(' ');
    let day = within(parts.next()?, 1, 31)?;
    let month = parts.next()?;
    let month = u64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()?;
    let year = within(parts.next()?, 1970, 9999)?;
    let mut time = parts.next()?.split(':');
    let hour = within(time.next()?, 0, 23)?;
    let minute = within(time.next()?, 0, 59)?;
    let second = within(time.next()?, 0, 60)?;
    if (parts.next(), parts.next(), time.next()) != (Some("GMT"), None, None) {
        return None;
    }
    let days = days_since_epoch(year, month, day)?;
    let seconds = days.checked_mul(24)?.checked_add(hour)?;
    let seconds = seconds.checked_mul(60)?.checked_add(minute)?;
    let seconds = seconds.checked_mul(60)?.checked_add(second)?;
    Some(Timestamp::ZERO + Span::from_secs(seconds))
}

fn within(text: &str, least: u64, most: u64) -> Option<u64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = text.parse().ok()?;
    (least..=most).contains(&number).then_some(number)
}

/// Counts years from March on, so that a leap day is the last day of its year; `month` from 0.
fn days_since_epoch(year: u64, month: u64, day: u64) -> Option<u64> {
    // Days from 1 March of the year 0 to 1 January 1970.
    const EPOCH: u64 = 719_468;
    let months = month.checked_add(10)?.checked_rem(12)?;
    let year = if months >= 10 {
        year.checked_sub(1)?
    } else {
        year
    };
    // 153 days are five months of 31, 30, 31, 30, 31 days.
    let in_year = months.checked_mul(153)?.checked_add(2)? / 5;
    let leap_days = (year / 4)
        .checked_sub(year / 100)?
        .checked_add(year / 400)?;
    let days = year.checked_mul(365)?.checked_add(leap_days)?;
    days.checked_add(in_year)?
        .checked_add(day)?
        .checked_sub(1)?
        .checked_sub(EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delays_are_whole_seconds_from_one_up() {
        for (delay, expected) in [
            (Span::ZERO, 1),
            (Span::from_micros(1), 1),
            (Span::from_secs(1), 1),
            (Span::from_micros(1_000_001), 2),
            (Span::MAX, MAX_S),
        ] {
            assert_eq!(seconds(delay), expected, "{delay:?}");
        }
    }

    #[track_caller]
    fn check(value: &str, expected: Option<u64>) {
        let now = Timestamp::from_millis(784_111_776_500);
        assert_eq!(parse(value, now), expected, "{value:?}");
    }

    #[test]
    fn both_forms_are_read() {
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("99999999999999999999999", Some(MAX_S));
        // Half a second ahead, and a day in a leap year and past one.
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(1));
        check("Sun, 06 Nov 1994 08:49:36 GMT", Some(0));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Thu, 29 Feb 1996 00:00:00 GMT", Some(41_440_224));
        check("Fri, 01 Mar 1996 00:00:00 GMT", Some(41_526_624));
        for text in ["", "-5", "2.5", "soon", "+3", "1e3", "1, 2"] {
            check(text, None);
        }
        for text in [
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49:37 GMT ...",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
        ] {
            check(text, None);
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC*|[a-zA-Z]{0,3}, [0-9]{1,20} Nov [0-9]{1,20} [0-9:]{0,30} GMT") {
            let _ = parse(&text, Timestamp::ZERO);
        }

        #[test]
        fn each_day_is_one_after_the_last(days in 0_u64..400_000) {
            // The civil date by counting years and months up.
            let leap = |y: u64| {
                y.is_multiple_of(4) && !y.is_multiple_of(100) || y.is_multiple_of(400)
            };
            let (mut year, mut left) = (1970, days);
            while left >= 365 + u64::from(leap(year)) {
                left -= 365 + u64::from(leap(year));
                year += 1;
            }
            let mut month = 0;
            let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            while left >= lengths[month as usize] {
                left -= lengths[month as usize];
                month += 1;
            }
            prop_assert_eq!(days_since_epoch(year, month, left + 1), Some(days));
        }
    }
}
