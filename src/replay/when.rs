//! Times as logs write them, and as people read them. Everything is UTC inside.

use crate::time::{Span, Timestamp};

mod usual;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Days between 1 March of the year 0 and the epoch, in the proleptic Gregorian calendar.
const EPOCH_DAYS: u64 = 719_468;

const DAY_S: u64 = 86_400;

/// Reads times, remembering the last: most lines are of the second of the line before.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    text: String,
    at: Option<Timestamp>,
}

impl Moments {
    /// As [`parse`].
    pub fn read(&mut self, text: &str) -> Option<Timestamp> {
        if self.at.is_none() || self.text != text {
            self.at = parse(text);
            self.text.clear();
            self.text.push_str(text);
        }
        self.at
    }
}

/// A time in any of the forms that logs use: `10/Oct/2000:13:55:36 -0700` (common log format),
/// `2000-10-10T13:55:36.25-07:00` (RFC 3339, also with a blank for the `T`, and UTC where it names
/// no zone), or a number of seconds, milliseconds, microseconds or nanoseconds since the epoch, told
/// apart by its size.
#[must_use]
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim().trim_matches(['[', ']']);
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return number(text);
    }
    if text.as_bytes().get(4) == Some(&b'-') {
        rfc3339(text)
    } else {
        common(text)
    }
}

fn number(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    // Seconds have ten digits until the year 2286; each further unit three more.
    let (shift, drop) = match whole.len() {
        1..=11 => (6, 0),
        12..=14 => (3, 0),
        15..=17 => (0, 0),
        18..=19 => (0, 3),
        _ => return None,
    };
    let kept = whole.get(..whole.len().checked_sub(drop)?)?;
    let mut us: u64 = kept.parse().ok()?;
    let mut digits = fraction.bytes();
    for _ in 0..shift {
        let digit = match digits.next() {
            Some(byte @ b'0'..=b'9') => u64::from(byte.saturating_sub(b'0')),
            Some(_) => return None,
            None => 0,
        };
        us = us.checked_mul(10)?.checked_add(digit)?;
    }
    Some(Timestamp::from_micros(us))
}

fn rfc3339(text: &str) -> Option<Timestamp> {
    if let Some(seconds) = usual::rfc3339(text.as_bytes())
        && let Some("Z" | "+00:00") = text.get(19..)
    {
        return Some(Timestamp::from_micros(seconds.checked_mul(1_000_000)?));
    }
    let (date, rest) = (text.get(..10)?, text.get(11..)?);
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let zone_at = rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let seconds = seconds(year, month.parse().ok()?, day, clock)?;
    let mut us: u64 = 0;
    let mut digits = fraction.bytes();
    for _ in 0..6 {
        let digit = match digits.next() {
            Some(byte @ b'0'..=b'9') => u64::from(byte.saturating_sub(b'0')),
            Some(_) => return None,
            None => 0,
        };
        us = us.saturating_mul(10).saturating_add(digit);
    }
    let at = Timestamp::from_micros(seconds.checked_mul(1_000_000)?) + Span::from_micros(us);
    shifted(at, zone.trim())
}

fn common(text: &str) -> Option<Timestamp> {
    if let Some((usual, " +0000")) = text.split_at_checked(20)
        && let Some(seconds) = usual::common(usual.as_bytes())
    {
        return Some(Timestamp::from_micros(seconds.checked_mul(1_000_000)?));
    }
    let (moment, zone) = text.split_once(' ').unwrap_or((text, ""));
    let (date, clock) = moment.split_once(':')?;
    let mut parts = date.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS
        .iter()
        .position(|name| name.eq_ignore_ascii_case(month))?;
    let month = u64::try_from(month).ok()?.saturating_add(1);
    let seconds = seconds(year, month, day, clock)?;
    shifted(
        Timestamp::from_micros(seconds.checked_mul(1_000_000)?),
        zone.trim(),
    )
}

fn seconds(year: &str, month: u64, day: &str, clock: &str) -> Option<u64> {
    let year: u64 = year.parse().ok()?;
    let day: u64 = day.parse().ok()?;
    let mut parts = clock.split(':').map(str::parse::<u64>);
    let hour = parts.next()?.ok()?;
    let minute = parts.next()?.ok()?;
    let second = parts.next().unwrap_or(Ok(0)).ok()?;
    moment([year, month, day, hour, minute, second])
}

/// Seconds since the epoch.
fn moment([year, month, day, hour, minute, second]: [u64; 6]) -> Option<u64> {
    let sane = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !sane {
        return None;
    }
    let clock = hour
        .saturating_mul(3_600)
        .saturating_add(minute.saturating_mul(60))
        .saturating_add(second);
    Some(
        days(year, month, day)
            .saturating_mul(DAY_S)
            .saturating_add(clock),
    )
}

/// Days since the epoch. The year is taken to begin in March, so that the leap day is its last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let early = month <= 2;
    let year = year.saturating_sub(u64::from(early));
    let month = if early {
        month.saturating_add(9)
    } else {
        month.saturating_sub(3)
    };
    let before_month = month.saturating_mul(153).saturating_add(2) / 5;
    let leaps = (year / 4)
        .saturating_sub(year / 100)
        .saturating_add(year / 400);
    year.saturating_mul(365)
        .saturating_add(leaps)
        .saturating_add(before_month)
        .saturating_add(day.saturating_sub(1))
        .saturating_sub(EPOCH_DAYS)
}

/// Local time minus the zone's offset: `+02:00`, `-0700`, `Z`.
fn shifted(at: Timestamp, zone: &str) -> Option<Timestamp> {
    if matches!(zone, "" | "Z" | "z" | "UTC" | "GMT") {
        return Some(at);
    }
    let (east, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (true, digits),
        ("-", digits) => (false, digits),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|c| *c != ':').collect();
    let hours: u64 = digits.get(..2)?.parse().ok()?;
    let minutes: u64 = digits.get(2..4).unwrap_or("0").parse().ok()?;
    let minutes = hours.saturating_mul(60).saturating_add(minutes);
    let offset = Span::from_secs(minutes.saturating_mul(60));
    Some(if east { at - offset } else { at + offset })
}

/// `2000-10-10 20:55:36`, UTC.
#[must_use]
pub fn show(seconds: u64) -> String {
    let (days, clock) = (seconds / DAY_S, seconds % DAY_S);
    // 400 years are 146,097 days; the steps below undo `days`.
    let shifted = days.saturating_add(EPOCH_DAYS);
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = of_era
        .saturating_sub(of_era / 1_460)
        .saturating_add(of_era / 36_524)
        .saturating_sub(of_era / 146_096)
        / 365;
    let before_year = year_of_era
        .saturating_mul(365)
        .saturating_add(year_of_era / 4)
        .saturating_sub(year_of_era / 100);
    let of_year = of_era.saturating_sub(before_year);
    let month = of_year.saturating_mul(5).saturating_add(2) / 153;
    let before_month = month.saturating_mul(153).saturating_add(2) / 5;
    let day = of_year.saturating_sub(before_month).saturating_add(1);
    let (month, late) = if month < 10 {
        (month.saturating_add(3), 0)
    } else {
        (month.saturating_sub(9), 1)
    };
    let year = era
        .saturating_mul(400)
        .saturating_add(year_of_era)
        .saturating_add(late);
    let (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests;
