//! Numbers with a unit, as an operator writes them: `60s`, `16KiB`; and bare whole numbers.

use super::fault::{Wrong, quoted};
use crate::text;
use crate::time::Span;

/// Units of time, in microseconds.
const TIMES: &[(&str, u64)] = &[
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// Units of size, in bytes. `kB` and its kind are decimal, as in SI.
const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// Reads `250ms`, `60s`, `10m`, `1h`, `1d`: one whole number and one unit.
pub fn duration(text: &str) -> Result<Span, Wrong> {
    with_unit(text, TIMES, "s", "60s").map(Span::from_micros)
}

/// Reads `16KiB`, `5MB`: one whole number and one unit.
pub fn size(text: &str) -> Result<u64, Wrong> {
    with_unit(text, SIZES, "B", "16KiB")
}

/// Writes a span in the largest unit that divides it.
#[must_use]
pub fn show_duration(span: Span) -> String {
    show(
        span.as_micros(),
        TIMES,
        if span.is_zero() { "s" } else { "us" },
    )
}

/// Writes a size in the largest binary unit that divides it.
#[must_use]
pub fn show_size(bytes: u64) -> String {
    show(bytes, SIZES.get(..4).unwrap_or_default(), "B")
}

fn show(value: u64, units: &[(&str, u64)], smallest: &str) -> String {
    let fits = |&&(_, factor): &&(&str, u64)| value.checked_rem(factor) == Some(0) && value != 0;
    match units.iter().rev().find(fits) {
        Some((unit, factor)) => format!("{}{unit}", value.checked_div(*factor).unwrap_or(value)),
        None => format!("{value}{smallest}"),
    }
}

fn with_unit(text: &str, units: &[(&str, u64)], likely: &str, example: &str) -> Result<u64, Wrong> {
    let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    let names = text::join(&names, ", ");
    let like = format!("write a whole number and a unit ({names}), such as \"{example}\"");
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    if digits.is_empty() {
        let matter = if text.starts_with('-') {
            "is negative"
        } else {
            "is not a number with a unit"
        };
        return Err(Wrong::text(text, matter, like));
    }
    if unit.is_empty() {
        return Err(Wrong::text(
            text,
            "has no unit",
            format!("write \"{digits}{likely}\""),
        ));
    }
    let Some(&(_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        let other = unit.trim();
        let near = units
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(other));
        return Err(match near {
            Some((name, _)) => Wrong::text(
                text,
                "has an unknown unit",
                format!("write \"{digits}{name}\""),
            ),
            None if unit.starts_with('.') => Wrong::text(
                text,
                "is fractional",
                format!("write a whole number of a smaller unit ({names})"),
            ),
            None if unit.bytes().any(|b| b.is_ascii_digit()) => {
                Wrong::text(text, "has more than one number", like)
            }
            None => Wrong::text(
                text,
                "has an unknown unit",
                format!("use one of {names}, as in \"{example}\""),
            ),
        });
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| Wrong::text(text, "is enormous", "write less"))
}

/// Reads a whole number from the text of a JSON number.
pub fn whole(text: &str, min: u64, max: u64) -> Result<u64, Wrong> {
    let shown: String = text.chars().take(40).collect();
    let wrong = |matter: &str| {
        Wrong::new(
            format!("{shown} {matter}"),
            format!("write a whole number from {min} to {max}"),
        )
    };
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    if unsigned.starts_with(|c: char| !c.is_ascii_digit()) {
        return Err(wrong("is not finite"));
    }
    if text.starts_with('-') {
        return Err(wrong("is negative"));
    }
    if text.contains(['.', 'e', 'E']) {
        return Err(wrong("is not written as a whole number"));
    }
    match text.parse::<u64>() {
        Ok(0) if min > 0 => Err(wrong("is zero")),
        Ok(number) if number < min => Err(wrong("is too small")),
        Ok(number) if number <= max => Ok(number),
        _ => Err(wrong("is too large")),
    }
}

/// Reads a size written as a bare number of bytes or with a unit.
pub fn ranged_size(bytes: u64, shown: &str, min: u64, max: u64) -> Result<u64, Wrong> {
    if (min..=max).contains(&bytes) {
        return Ok(bytes);
    }
    let matter = if bytes == 0 {
        "is zero"
    } else if bytes < min {
        "is too small"
    } else {
        "is too large"
    };
    let expected = format!("write {} to {}", show_size(min), show_size(max));
    Err(Wrong::new(format!("{shown} {matter}"), expected))
}

/// Holds a span against its range.
pub fn ranged_duration(span: Span, text: &str, min: Span, max: Span) -> Result<Span, Wrong> {
    if (min..=max).contains(&span) {
        return Ok(span);
    }
    let matter = if span.is_zero() {
        "is zero"
    } else if span < min {
        "is too short"
    } else {
        "is too long"
    };
    let expected = format!("write {} to {}", show_duration(min), show_duration(max));
    Err(Wrong::new(format!("{} {matter}", quoted(text)), expected))
}
