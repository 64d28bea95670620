//! Patterns on normalised paths: literal segments, `:name` for one segment, a trailing `*` for the
//! rest. `/a/*` holds for `/a`, `/a/` and everything below.

use crate::text::has;
use std::borrow::Cow;

use super::lower::lower;
use super::path::{decode, hex, push_byte, push_segment, segments};

/// Longest pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 2048;

/// A checked path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
    rest: bool,
    case_insensitive: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Normalised, and folded where the pattern folds case.
    Literal(String),
    Name(String),
}

/// Why a text is no pattern, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// It does not begin with `/`.
    #[error("does not begin with \"/\"; write \"{0}\"")]
    NoSlash(String),
    /// It is longer than [`MAX_PATTERN_BYTES`].
    #[error("is longer than 2048 bytes; write a shorter one")]
    TooLong,
    /// It has a query or a fragment.
    #[error(
        "has a {0:?}, and a path has neither query nor fragment; leave them out, or write {1:?}"
    )]
    NotPath(char, &'static str),
    /// It has a backslash, which a URL turns into a slash.
    #[error("has a backslash; write \"/\", or \"%5C\" for the character itself")]
    Backslash,
    /// It has an empty segment.
    #[error("has an empty segment; write one \"/\" where there are several")]
    EmptySegment,
    /// It has a segment `.` or `..`.
    #[error("has the segment \"{0}\"; write the path as it is once that is resolved")]
    DotSegment(String),
    /// It has a `%` that starts no escape.
    #[error("has a \"%\" without two hexadecimal digits after it in \"{0}\"; write \"%25\"")]
    BadEscape(String),
    /// A `:` without a name after it, or with something that is no name.
    #[error(
        "has \"{0}\", which is no name; write \":\" and letters, digits, \"-\" or \"_\", or \"%3A\" for a colon itself"
    )]
    BadName(String),
    /// Two segments have one name.
    #[error("has the name \":{0}\" twice; give each segment a name of its own")]
    NameTwice(String),
    /// A `*` that is not the whole last segment.
    #[error(
        "has a \"*\" in \"{0}\"; it may only stand alone as the last segment, as in \"/files/*\", and the character itself is \"%2A\""
    )]
    MisplacedStar(String),
}

impl Pattern {
    /// Reads a pattern. With `case_insensitive` its literals hold whatever the case of the path.
    ///
    /// # Errors
    /// The first [`PatternFault`], left to right.
    pub fn parse(text: &str, case_insensitive: bool) -> Result<Pattern, PatternFault> {
        if text.len() > MAX_PATTERN_BYTES {
            return Err(PatternFault::TooLong);
        }
        let Some(body) = text.strip_prefix('/') else {
            return Err(PatternFault::NoSlash(format!("/{text}")));
        };
        for (bad, escape) in [('?', "%3F"), ('#', "%23")] {
            if body.contains([bad]) {
                return Err(PatternFault::NotPath(bad, escape));
            }
        }
        if has(body, b'\\') {
            return Err(PatternFault::Backslash);
        }
        let mut pieces: Vec<&str> = body.split('/').collect();
        // `/a/` is `/a`, and `/` has no segment at all.
        pieces.pop_if(|last| last.is_empty());
        let rest = pieces.pop_if(|last| *last == "*").is_some();
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let part = Part::parse(piece, case_insensitive)?;
            if let Part::Name(name) = &part
                && parts.contains(&part)
            {
                return Err(PatternFault::NameTwice(name.clone()));
            }
            parts.push(part);
        }
        Ok(Pattern {
            text: text.to_owned(),
            parts,
            rest,
            case_insensitive,
        })
    }

    /// Whether the pattern holds for a path that [`normalise`](super::path::normalise) gave.
    #[must_use]
    pub fn matches<'a>(&'a self, normalised: &'a str) -> Option<Captures<'a>> {
        let mut path = segments(normalised);
        for part in &self.parts {
            let segment = path.next()?;
            if let Part::Literal(literal) = part
                && !self.same(literal, segment)
            {
                return None;
            }
        }
        (self.rest || path.next().is_none()).then_some(Captures {
            pattern: self,
            normalised,
        })
    }

    /// The pattern as the operator wrote it: the value of the key part `route`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The [`first_segment`](super::path::first_segment) of every path that this can hold for,
    /// folded by [`fold`] where the pattern folds case; `None` where it may be any.
    #[must_use]
    pub fn first_literal(&self) -> Option<&str> {
        match self.parts.first() {
            Some(Part::Literal(literal)) => Some(literal),
            Some(Part::Name(_)) => None,
            None if self.rest => None,
            None => Some(""),
        }
    }

    /// Whether case makes no difference to it.
    #[must_use]
    pub fn is_case_insensitive(&self) -> bool {
        self.case_insensitive
    }

    /// Its `:name`s, left to right.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    fn same(&self, literal: &str, segment: &str) -> bool {
        literal == segment || self.case_insensitive && literal == fold(segment)
    }
}

impl Part {
    fn parse(segment: &str, case_insensitive: bool) -> Result<Part, PatternFault> {
        if let Some(name) = segment.strip_prefix(':') {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            return if !name.is_empty() && name.bytes().all(fits) {
                Ok(Part::Name(name.to_owned()))
            } else {
                Err(PatternFault::BadName(segment.to_owned()))
            };
        }
        if has(segment, b'*') {
            return Err(PatternFault::MisplacedStar(segment.to_owned()));
        }
        for after in segment.split('%').skip(1) {
            let mut digits = after.bytes();
            if !(digits.next().is_some_and(|digit| hex(digit).is_some())
                && digits.next().is_some_and(|digit| hex(digit).is_some()))
            {
                return Err(PatternFault::BadEscape(segment.to_owned()));
            }
        }
        let mut literal = String::with_capacity(segment.len());
        push_segment(segment, &mut literal);
        match literal.as_str() {
            "" => return Err(PatternFault::EmptySegment),
            "." | ".." => return Err(PatternFault::DotSegment(segment.to_owned())),
            _ => {}
        }
        if case_insensitive {
            literal = fold(&literal).into_owned();
        }
        Ok(Part::Literal(literal))
    }
}

/// A normalised segment in lower case, non-ASCII letters behind escapes included: what an origin
/// that folds case makes of it.
#[must_use]
pub fn fold(segment: &str) -> Cow<'_, str> {
    if !has(segment, b'%') {
        return if segment.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(segment.to_ascii_lowercase())
        } else {
            Cow::Borrowed(segment)
        };
    }
    // Only a chunk that is UTF-8 has letters; other bytes stay as they are.
    let mut out = String::with_capacity(segment.len());
    let bytes: Vec<u8> = decode(segment).collect();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let small = match lower(c) {
                // However a final sigma is written, it is one.
                'ς' => 'σ',
                // The one letter of which the small one is two characters.
                'İ' => {
                    encode("i\u{307}".as_bytes(), &mut out);
                    continue;
                }
                small => small,
            };
            encode(small.encode_utf8(&mut [0; 4]).as_bytes(), &mut out);
        }
        encode(chunk.invalid(), &mut out);
    }
    Cow::Owned(out)
}

fn encode(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        push_byte(byte, out);
    }
}

/// What the `:name`s of a pattern stand for in a path.
#[derive(Clone, Copy, Debug)]
pub struct Captures<'a> {
    pattern: &'a Pattern,
    normalised: &'a str,
}

impl<'a> Captures<'a> {
    /// The segment that `:name` stands for: normalised (escapes kept), and in lower case where the
    /// pattern folds case, so that spelling a value in another case makes no new key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut pairs = self.pattern.parts.iter().zip(segments(self.normalised));
        let (_, segment) =
            pairs.find(|(part, _)| matches!(part, Part::Name(own) if own == name))?;
        Some(if self.pattern.case_insensitive {
            fold(segment)
        } else {
            Cow::Borrowed(segment)
        })
    }

    /// The pattern that held.
    #[must_use]
    pub fn pattern(&self) -> &'a Pattern {
        self.pattern
    }
}

#[cfg(test)]
mod tests;
