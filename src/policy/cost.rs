//! What one request takes.

use super::fault::Wrong;
use super::kind::Syntax;
use super::near::near;
use super::syntax;

/// Costs that are written as one string.
pub static COST: Syntax = Syntax {
    what: "\"body\", \"bytes\", \"response-bytes\" or \"response:HEADER\"",
    check: |text| cost(text).map(drop),
    pattern: "^(body|bytes|response-bytes|response:.+)$",
};

/// Where a true figure may be found.
pub static SETTLE: Syntax = Syntax {
    what: "\"response:HEADER\", \"response-bytes\" or \"bytes\"",
    check: |text| settle(text).map(drop),
    pattern: "^(bytes|response-bytes|response:.+)$",
};

const WORDS: &[&str] = &["body", "bytes", "response-bytes"];

/// Reads a cost that is no number and no table.
pub fn cost(text: &str) -> Result<Cost, Wrong> {
    match text {
        "body" => Ok(Cost::Body),
        "bytes" => Ok(Cost::Bytes),
        "response-bytes" => Ok(Cost::ResponseBytes),
        _ => match text.strip_prefix("response:") {
            Some(name) => {
                syntax::header_name(name)?;
                Ok(Cost::ResponseHeader(name.to_ascii_lowercase()))
            }
            None => Err(Wrong::text(
                text,
                "is no cost",
                match near(text, WORDS.iter().copied()) {
                    Some(word) => format!("did you mean \"{word}\"?"),
                    None => format!("write a whole number, or {}", COST.what),
                },
            )),
        },
    }
}

/// Reads where the true figure of a reservation is.
pub fn settle(text: &str) -> Result<Cost, Wrong> {
    match cost(text)? {
        Cost::Body => Err(Wrong::text(
            text,
            "is known before the request",
            format!("write {}", SETTLE.what),
        )),
        known => Ok(known),
    }
}

impl Cost {
    /// True where the computed cost of the body is needed.
    #[must_use]
    pub fn needs_body(&self) -> bool {
        *self == Cost::Body
    }

    /// True where the figure is known only after the response.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        match self {
            Cost::ResponseBytes | Cost::ResponseHeader(_) | Cost::Reserve { .. } => true,
            Cost::Fixed(_) | Cost::Body | Cost::Bytes => false,
        }
    }
}

/// `cost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cost {
    /// So many units.
    Fixed(u64),
    /// The computed cost of the body.
    Body,
    /// Bytes of the request's body.
    Bytes,
    /// Bytes of the response's body; known afterwards.
    ResponseBytes,
    /// The whole number in a response header; known afterwards.
    ResponseHeader(String),
    /// Reserved before, settled to the true figure afterwards.
    Reserve {
        /// Units taken before.
        reserve: u64,
        /// Where the true figure is: `Fixed` and `Body` do not occur.
        settle: Box<Cost>,
    },
}
