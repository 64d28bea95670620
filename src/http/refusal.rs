//! A refusal: why a request was turned away, before it is anything of HTTP.

use std::borrow::Cow;

use crate::json::Node;
use crate::time::Span;

pub use super::code::Code;

/// One refused request.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Why.
    pub code: Code,
    /// The status, before any override.
    pub status: u16,
    /// From now until a retry succeeds.
    pub retry_after: Option<Span>,
    /// Policy names of every limit that refused, in policy order.
    pub violated: Vec<String>,
    /// A `block` speaks, not the quota itself.
    pub blocked: bool,
    /// What exactly is wrong, as a sentence; else the code's message.
    pub detail: Option<Cow<'static, str>>,
    /// Further members of the problem document, such as `pointer`, or `cost` and `max`.
    pub members: Vec<(&'static str, Node)>,
    /// Further headers that belong to the status, such as `Allow`.
    pub headers: Vec<(&'static str, String)>,
}

impl Refusal {
    /// A refusal with the code's usual status.
    #[must_use]
    pub fn new(code: Code) -> Refusal {
        Refusal {
            code,
            status: code.status(),
            retry_after: None,
            violated: Vec::new(),
            blocked: false,
            detail: None,
            members: Vec::new(),
            headers: Vec::new(),
        }
    }

    /// Out of quota: the limits that refused, and when the last of them readmits.
    #[must_use]
    pub fn rate_limited(violated: Vec<String>, retry_after: Span) -> Refusal {
        Refusal {
            violated,
            retry_after: Some(retry_after),
            ..Refusal::new(Code::RateLimited)
        }
    }

    /// No slot: the status that the concurrency limit names.
    #[must_use]
    pub fn busy(policy_name: String, status: u16, retry_after: Span) -> Refusal {
        Refusal {
            status,
            violated: vec![policy_name],
            retry_after: Some(retry_after),
            ..Refusal::new(Code::Busy)
        }
    }

    /// A counter cannot be reached: when it is worth trying again.
    #[must_use]
    pub fn unavailable(retry_after: Span) -> Refusal {
        Refusal {
            retry_after: Some(retry_after),
            ..Refusal::new(Code::Unavailable)
        }
    }

    /// JSON that is wrong at a place, which is named by its JSON Pointer (RFC 6901).
    #[must_use]
    pub fn invalid_request(pointer: &str, detail: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal {
            detail: Some(detail.into()),
            members: vec![("pointer", pointer.into())],
            ..Refusal::new(Code::InvalidRequest)
        }
    }

    /// More work than allowed.
    #[must_use]
    pub fn too_expensive(cost: u64, max: u64) -> Refusal {
        Refusal {
            detail: Some(format!("The request costs {cost}, and at most {max} is allowed.").into()),
            members: vec![("cost", cost.into()), ("max", max.into())],
            ..Refusal::new(Code::TooExpensive)
        }
    }

    /// A page of Weir's own that takes only these methods.
    #[must_use]
    pub fn method_not_allowed(allow: &str) -> Refusal {
        Refusal {
            headers: vec![("Allow", allow.to_owned())],
            ..Refusal::new(Code::MethodNotAllowed)
        }
    }

    /// A page of Weir's own that needs a token.
    #[must_use]
    pub fn unauthorized() -> Refusal {
        Refusal {
            headers: vec![("WWW-Authenticate", "Bearer".to_owned())],
            ..Refusal::new(Code::Unauthorized)
        }
    }

    /// Says what exactly is wrong.
    #[must_use]
    pub fn detailed(mut self, detail: impl Into<Cow<'static, str>>) -> Refusal {
        self.detail = Some(detail.into());
        self
    }

    /// The sentence for a person.
    #[must_use]
    pub fn message(&self) -> &str {
        self.detail.as_deref().unwrap_or(self.code.message())
    }
}
