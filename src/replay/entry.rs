//! One line of an access log as a request.

use super::{combined, json};
use crate::admission::described::Described;
use crate::time::Timestamp;

/// A request that somebody made once, and what became of it then.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When, as the log says.
    pub at: Timestamp,
    /// What the log says of the request.
    pub request: Described,
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

impl Entry {
    /// Reads a line in the common or combined log format, or of JSON.
    ///
    /// # Errors
    /// What the line lacks.
    pub fn read(line: &str) -> Result<Entry, Unreadable> {
        if line.starts_with('{') {
            json::read(line)
        } else {
            combined::read(line)
        }
    }
}
