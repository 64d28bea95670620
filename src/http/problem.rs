//! Problem documents (RFC 9457).

use serde_json::{Map, Value};

use super::refusal::{Code, Refusal};

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
/// what the refusal adds. What it adds never replaces one of these.
#[must_use]
pub fn document(refusal: &Refusal, status: u16, retry_after_s: Option<u64>) -> String {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| {
        if !members.contains_key(name) {
            members.insert(name.to_owned(), value);
        }
    };
    put("type", kind(refusal).into());
    put("title", refusal.code.title().into());
    put("status", status.into());
    put("detail", refusal.message().into());
    put("error", refusal.code.as_str().into());
    put("message", refusal.message().into());
    if let Some(seconds) = retry_after_s {
        put("retryAfter", seconds.into());
    }
    if !refusal.violated.is_empty() {
        put("violated-policies", refusal.violated.clone().into());
    }
    for (name, value) in &refusal.members {
        put(name, value.clone());
    }
    Value::Object(members).to_string()
}
