//! What can become of a request under a limit or a rule.

use crate::http::code::Code;

/// One outcome, by the name that metrics show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The limit admitted it.
    Passed,
    /// The limit refused it.
    Refused,
    /// The limit would have refused it and is in shadow.
    Shadow,
    /// The counter could not be reached and the request passed, or was counted by the isolate alone.
    FailedOpen,
    /// The counter could not be reached and the request was refused for it.
    FailedClosed,
    /// The body was refused.
    Body,
    /// The body asked for too much work.
    Cost,
    /// No slot was free.
    Busy,
    /// The origin took too long.
    Deadline,
    /// A rule denies it.
    Denied,
    /// URL or headers were too long.
    Size,
    /// The origin could not be reached or answered nonsense.
    Origin,
}

impl Outcome {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Every outcome, in the order of their indices.
    pub const ALL: [Outcome; 12] = [
        Outcome::Passed,
        Outcome::Refused,
        Outcome::Shadow,
        Outcome::FailedOpen,
        Outcome::FailedClosed,
        Outcome::Body,
        Outcome::Cost,
        Outcome::Busy,
        Outcome::Deadline,
        Outcome::Denied,
        Outcome::Size,
        Outcome::Origin,
    ];

    /// The label's value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Refused => "refused",
            Outcome::Shadow => "shadow",
            Outcome::FailedOpen => "failed_open",
            Outcome::FailedClosed => "failed_closed",
            Outcome::Body => "body",
            Outcome::Cost => "cost",
            Outcome::Busy => "busy",
            Outcome::Deadline => "deadline",
            Outcome::Denied => "denied",
            Outcome::Size => "size",
            Outcome::Origin => "origin",
        }
    }

    /// The outcome that a refusal is.
    #[must_use]
    pub const fn of(code: Code) -> Outcome {
        match code {
            Code::RateLimited => Outcome::Refused,
            Code::Busy => Outcome::Busy,
            Code::Unavailable => Outcome::FailedClosed,
            Code::TooExpensive => Outcome::Cost,
            Code::Denied => Outcome::Denied,
            Code::DeadlineExceeded => Outcome::Deadline,
            Code::UrlTooLong | Code::HeadersTooLarge => Outcome::Size,
            Code::OriginUnreachable | Code::OriginMissing | Code::OriginInvalid => Outcome::Origin,
            _ => Outcome::Body,
        }
    }
}
