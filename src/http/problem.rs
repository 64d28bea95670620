//! Problem documents (RFC 9457).

use super::refusal::{Code, Refusal};
use crate::json::push_text;

/// The media type.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// The `type` of a refusal: of draft-ietf-httpapi-ratelimit-headers where one fits, else the one
/// that says no more than the status.
#[must_use]
pub fn kind(refusal: &Refusal) -> &'static str {
    match refusal.code {
        Code::RateLimited if refusal.blocked => {
            "https://iana.org/assignments/http-problem-types#abnormal-usage-detected"
        }
        Code::RateLimited => "https://iana.org/assignments/http-problem-types#quota-exceeded",
        Code::Busy | Code::Unavailable => {
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
        }
        _ => "about:blank",
    }
}

/// The document: RFC 9457's members, then `error`, `message`, `retryAfter`, `violated-policies`, and
/// what the refusal adds. What it adds never replaces one of these. Written out by hand: it is the
/// largest part of what a flood costs, and a tree of values would be most of it.
#[must_use]
pub fn document(refusal: &Refusal, status: u16, retry_after_s: Option<u64>) -> String {
    let mut out = String::with_capacity(384);
    let message = refusal.message();
    for (name, value) in [
        ("{\"type\":", kind(refusal)),
        (",\"title\":", refusal.code.title()),
        (",\"detail\":", message),
        (",\"error\":", refusal.code.as_str()),
        (",\"message\":", message),
    ] {
        out.push_str(name);
        push_text(&mut out, value);
    }
    out.push_str(",\"status\":");
    push_number(&mut out, status.into());
    if let Some(seconds) = retry_after_s {
        out.push_str(",\"retryAfter\":");
        push_number(&mut out, seconds);
    }
    for (index, name) in refusal.violated.iter().enumerate() {
        out.push_str(if index == 0 {
            ",\"violated-policies\":["
        } else {
            ","
        });
        push_text(&mut out, name);
    }
    if !refusal.violated.is_empty() {
        out.push(']');
    }
    for (index, (name, value)) in refusal.members.iter().enumerate() {
        let mut before = refusal.members.iter().take(index);
        if OWN.contains(name) || before.any(|(known, _)| known == name) {
            continue;
        }
        out.push(',');
        push_text(&mut out, name);
        out.push(':');
        out.push_str(&value.to_string());
    }
    out.push('}');
    out
}

const OWN: [&str; 8] = [
    "type",
    "title",
    "detail",
    "error",
    "message",
    "status",
    "retryAfter",
    "violated-policies",
];

fn push_number(out: &mut String, number: u64) {
    out.push_str(&number.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_a_refusal_adds_replaces_nothing() {
        let refusal = Refusal {
            members: vec![
                ("status", 200_u64.into()),
                ("cost", 7_u64.into()),
                ("cost", 8_u64.into()),
            ],
            violated: vec!["a.b".to_owned(), "c\"d".to_owned()],
            ..Refusal::new(Code::TooExpensive)
        };
        let read: serde_json::Value =
            serde_json::from_str(&document(&refusal, 400, Some(3))).unwrap();
        assert_eq!(read["status"], 400);
        assert_eq!(read["cost"], 7);
        assert_eq!(read["retryAfter"], 3);
        assert_eq!(
            read["violated-policies"],
            serde_json::json!(["a.b", "c\"d"])
        );
    }
}
