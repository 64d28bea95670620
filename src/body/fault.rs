//! Why a body is refused, in words for whoever sent it.

/// Which refusal it is: `code` of the problem document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// 400 `invalid_request`: not JSON, too deep, or against the schema.
    InvalidRequest,
    /// 400 `too_expensive`: well-formed, but it asks for more work than is allowed.
    TooExpensive,
}

/// A body that the origin must not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyFault {
    /// Which refusal.
    pub kind: FaultKind,
    /// Where, as a JSON Pointer (RFC 6901); empty for the document as a whole. Cut to
    /// [`POINTER_BYTES`] bytes, since its names are the client's.
    pub pointer: String,
    /// What was found and what would do, one line, starting with the place.
    pub message: String,
    /// For `TooExpensive`: what was counted. Saturates.
    pub cost: Option<u64>,
    /// For `TooExpensive`: the most that is allowed.
    pub max: Option<u64>,
}

/// Most bytes of a pointer that a fault repeats.
pub const POINTER_BYTES: usize = 200;

impl BodyFault {
    /// `detail` follows the place: "11 items, at most 10".
    #[cold]
    pub(crate) fn invalid(pointer: String, detail: &str) -> Self {
        BodyFault {
            kind: FaultKind::InvalidRequest,
            message: located(&pointer, detail),
            pointer,
            cost: None,
            max: None,
        }
    }

    /// `what` is the thing counted: "cost", "aliases".
    #[cold]
    pub(crate) fn expensive(what: &str, cost: u64, max: u64) -> Self {
        BodyFault {
            kind: FaultKind::TooExpensive,
            pointer: String::new(),
            message: format!("{what} is {cost}, at most {max}"),
            cost: Some(cost),
            max: Some(max),
        }
    }
}

fn located(pointer: &str, detail: &str) -> String {
    let place = if pointer.is_empty() { "body" } else { pointer };
    format!("{place}: {detail}")
}

/// Adds one reference token to a pointer, escaped, unless the pointer is full: then an ellipsis
/// ends it and nothing more is added.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    if pointer.len() >= POINTER_BYTES {
        return;
    }
    pointer.push('/');
    for c in token.chars() {
        if pointer.len() >= POINTER_BYTES {
            pointer.push('…');
            return;
        }
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(c),
        }
    }
}
