//! One line of an access log as a request.

use super::request::Request;
use super::when::Moments;
use super::{combined, json};
use crate::time::Timestamp;

/// A request that somebody made once, and what became of it then.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// When, as the log says.
    pub at: Timestamp,
    /// What the log says of the request.
    pub request: Request<'a>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// Bytes of the answer's body.
    pub response_bytes: Option<u64>,
}

/// Why a line is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unreadable {
    /// Neither of the forms.
    #[error("neither the common log format nor a JSON object")]
    Form,
    /// JSON that is none.
    #[error("not valid JSON")]
    Json,
    /// No time, or none that can be read.
    #[error("no time that can be read")]
    Time,
    /// No address.
    #[error("no client address")]
    Address,
    /// The request line is missing or is none.
    #[error("no HTTP request line")]
    Request,
    /// Longer than any line should be.
    #[error("longer than 64 KiB")]
    TooLong,
}

impl<'a> Entry<'a> {
    /// Reads a line in the common or combined log format, or of JSON.
    ///
    /// # Errors
    /// What the line lacks.
    pub fn read(line: &'a str, moments: &mut Moments) -> Result<Entry<'a>, Unreadable> {
        if line.starts_with('{') {
            json::read(line, moments)
        } else {
            combined::read(line, moments)
        }
    }
}
