//! The reasons for which a request is turned away: one row each.

/// Why, in the stable words that clients may test for: `error` in the problem document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// Out of quota.
    RateLimited,
    /// No slot and no place to wait, or no memory to hold a body in.
    Busy,
    /// A counter could not be reached and `on_error` is `deny`.
    Unavailable,
    /// The body is longer than allowed.
    BodyTooLarge,
    /// The body took too long to arrive.
    BodyTimeout,
    /// The body is not what it has to be, or cannot be decoded.
    InvalidRequest,
    /// The body asks for more work than allowed.
    TooExpensive,
    /// The body is of a type, or in a coding, that is not taken.
    UnsupportedMediaType,
    /// A rule denies it.
    Denied,
    /// The origin did not answer in time.
    DeadlineExceeded,
    /// The origin could not be reached, or broke off.
    OriginUnreachable,
    /// No origin is set.
    OriginMissing,
    /// The origin answered with something that is no HTTP answer.
    OriginInvalid,
    /// The URL is longer than allowed.
    UrlTooLong,
    /// The headers are longer than allowed.
    HeadersTooLarge,
    /// One of Weir's own pages does not take this method.
    MethodNotAllowed,
    /// One of Weir's own pages needs a token.
    Unauthorized,
    /// One of Weir's own pages does not exist.
    NotFound,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 18] = [
        Code::RateLimited,
        Code::Busy,
        Code::Unavailable,
        Code::BodyTooLarge,
        Code::BodyTimeout,
        Code::InvalidRequest,
        Code::TooExpensive,
        Code::UnsupportedMediaType,
        Code::Denied,
        Code::DeadlineExceeded,
        Code::OriginUnreachable,
        Code::OriginMissing,
        Code::OriginInvalid,
        Code::UrlTooLong,
        Code::HeadersTooLarge,
        Code::MethodNotAllowed,
        Code::Unauthorized,
        Code::NotFound,
    ];

    /// The code as clients, metrics and logs see it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The usual status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.row().1
    }

    /// The name of what happened, for a heading; the status' phrase where the problem document has
    /// no type of its own (RFC 9457, section 4.2.1).
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.row().2
    }

    /// A sentence for a person, where nothing more exact is known.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.row().3
    }

    /// True where `respond` applies: refusals by a limit, by concurrency, or by a deny rule; never
    /// faults of a request or of the origin.
    #[must_use]
    pub const fn is_overridable(self) -> bool {
        matches!(self, Code::RateLimited | Code::Busy | Code::Denied)
    }

    /// True where a client that waits and tries again may succeed, so that a time is named.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Code::RateLimited | Code::Busy | Code::Unavailable)
    }

    /// Code, status, title, message.
    const fn row(self) -> (&'static str, u16, &'static str, &'static str) {
        match self {
            Code::RateLimited => (
                "rate_limited",
                429,
                "Too many requests",
                "More requests than allowed have come from you.",
            ),
            Code::Busy => ("busy", 503, "Busy", "All places are taken at the moment."),
            Code::Unavailable => (
                "unavailable",
                503,
                "Temporarily unavailable",
                "Whether this request may pass cannot be determined at the moment.",
            ),
            Code::BodyTooLarge => (
                "body_too_large",
                413,
                "Content Too Large",
                "The body is larger than allowed.",
            ),
            Code::BodyTimeout => (
                "body_timeout",
                408,
                "Request Timeout",
                "The body took too long to arrive.",
            ),
            Code::InvalidRequest => (
                "invalid_request",
                400,
                "Bad Request",
                "The body is not what is expected here.",
            ),
            Code::TooExpensive => (
                "too_expensive",
                400,
                "Bad Request",
                "The request asks for more work than allowed at once.",
            ),
            Code::UnsupportedMediaType => (
                "unsupported_media_type",
                415,
                "Unsupported Media Type",
                "A body of this type is not accepted here.",
            ),
            Code::Denied => ("denied", 403, "Forbidden", "This request is not allowed."),
            Code::DeadlineExceeded => (
                "deadline_exceeded",
                504,
                "Gateway Timeout",
                "The server behind this address did not answer in time.",
            ),
            Code::OriginUnreachable => (
                "origin_unreachable",
                502,
                "Bad Gateway",
                "The server behind this address could not be reached.",
            ),
            Code::OriginMissing => (
                "origin_missing",
                502,
                "Bad Gateway",
                "No origin is set: set the variable ORIGIN to its URL, bind a service as ORIGIN, or put the Worker on a route of a zone.",
            ),
            Code::OriginInvalid => (
                "origin_invalid",
                502,
                "Bad Gateway",
                "The server behind this address gave an answer that is not valid.",
            ),
            Code::UrlTooLong => (
                "url_too_long",
                414,
                "URI Too Long",
                "The address is longer than allowed.",
            ),
            Code::HeadersTooLarge => (
                "headers_too_large",
                431,
                "Request Header Fields Too Large",
                "The header fields are larger than allowed.",
            ),
            Code::MethodNotAllowed => (
                "method_not_allowed",
                405,
                "Method Not Allowed",
                "This page does not take this method.",
            ),
            Code::Unauthorized => (
                "unauthorized",
                401,
                "Unauthorized",
                "This page needs the admin token.",
            ),
            Code::NotFound => ("not_found", 404, "Not Found", "There is no such page."),
        }
    }
}
