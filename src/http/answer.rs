//! The one place that turns a refusal into an HTTP answer.

use crate::policy::{Cors, Dialect, Respond};

use super::fields::{QuotaView, fields};
use super::refusal::Refusal;
use super::text::{is_field_name, is_field_value};
use super::{accept, cors, page, problem, retry_after};

/// What of the request decides how an answer looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// The method; HEAD gets no body.
    pub method: &'a str,
    /// `Accept`.
    pub accept: Option<&'a str>,
    /// `Origin`.
    pub origin: Option<&'a str>,
}

/// What of the policy decides how an answer looks: of the first rule that refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape<'a> {
    /// Its `respond`.
    pub respond: Option<&'a Respond>,
    /// Its `cors`.
    pub cors: Option<&'a Cors>,
    /// The policy's `headers`.
    pub dialects: &'a [Dialect],
}

/// A whole answer. Every name and value is valid header text, and the status is 200 to 599.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The status.
    pub status: u16,
    /// To be appended in order: a name that `respond` writes twice, such as `Set-Cookie`, is here
    /// twice; no other is.
    pub headers: Vec<(String, String)>,
    /// None for HEAD and for a status that can have none.
    pub body: Option<String>,
}

/// Headers of a refusal that `respond.headers` cannot set: they follow from the refusal itself, or
/// are the runtime's own. Lower case.
pub const RESERVED: [&str; 8] = [
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "retry-after",
    "trailer",
    "transfer-encoding",
];

/// Renders a refusal. `views` are all limits that applied to the request, in policy order.
#[must_use]
pub fn render(
    refusal: &Refusal,
    asked: Asked<'_>,
    shape: Shape<'_>,
    views: &[QuotaView<'_>],
) -> Rendered {
    let respond = shape.respond.filter(|_| refusal.code.is_overridable());
    let status = respond
        .and_then(|respond| respond.status)
        .into_iter()
        .chain([refusal.status])
        .find(|status| (200..=599).contains(status))
        .unwrap_or(refusal.code.status());
    let wait = wait_s(refusal, views);
    let content = content(refusal, asked, respond, status, wait);

    let mut headers = Headers(Vec::new());
    headers.put("Content-Type", content.media_type);
    headers.put("Cache-Control", "no-store");
    if content.is_page {
        headers.put("Content-Security-Policy", page::CONTENT_SECURITY_POLICY);
    }
    if let Some(seconds) = wait {
        headers.put(retry_after::NAME, &seconds.to_string());
    }
    for (name, value) in &refusal.headers {
        headers.put(name, value);
    }
    let quota = fields(shape.dialects, views);
    for (name, value) in &quota {
        headers.put(name, value);
    }
    if let Some(cors) = shape.cors {
        let exposed: Vec<&str> = wait
            .map(|_| retry_after::NAME)
            .into_iter()
            .chain(quota.iter().map(|(name, _)| *name))
            .collect();
        for (name, value) in cors::refusal_fields(cors, asked.origin, &exposed) {
            headers.put(name, &value);
        }
    }
    let own = headers.0.len();
    for (name, value) in respond.map_or(&[][..], |respond| &respond.headers) {
        headers.put_extra(own, name, value);
    }

    let has_body = asked.method != "HEAD" && ![204, 205, 304].contains(&status);
    Rendered {
        status,
        headers: headers.0,
        body: has_body.then_some(content.body),
    }
}

/// Retry-After: never before any limit that refused would admit.
fn wait_s(refusal: &Refusal, views: &[QuotaView<'_>]) -> Option<u64> {
    let own = retry_after::seconds(refusal.retry_after?);
    let refusing = views.iter().filter(|view| view.refuses);
    refusing.map(QuotaView::reset_s).chain([own]).max()
}

struct Content<'a> {
    media_type: &'a str,
    body: String,
    is_page: bool,
}

fn content<'a>(
    refusal: &Refusal,
    asked: Asked<'_>,
    respond: Option<&'a Respond>,
    status: u16,
    wait: Option<u64>,
) -> Content<'a> {
    let own_type = respond
        .and_then(|respond| respond.content_type.as_deref())
        .filter(|media_type| is_field_value(media_type));
    if let Some(body) = respond.and_then(|respond| respond.body.as_ref()) {
        return Content {
            media_type: own_type.unwrap_or("text/plain; charset=utf-8"),
            body: body.clone(),
            is_page: false,
        };
    }
    // A type that the operator wrote is for every caller.
    if own_type.is_none() && accept::prefers_html(asked.accept) {
        return Content {
            media_type: "text/html; charset=utf-8",
            body: page::page(status, refusal.code.title(), refusal.message(), wait),
            is_page: true,
        };
    }
    Content {
        media_type: own_type.unwrap_or(problem::MEDIA_TYPE),
        body: problem::document(refusal, status, wait),
        is_page: false,
    }
}

struct Headers(Vec<(String, String)>);

impl Headers {
    /// Leaves out what no header may hold: an answer without it is better than none.
    fn put(&mut self, name: &str, value: &str) {
        if is_field_name(name) && is_field_value(value) {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    /// What the operator adds: never in place of one of the `own` first headers, which follow from
    /// the refusal; to a list it is added.
    fn put_extra(&mut self, own: usize, name: &str, value: &str) {
        if RESERVED
            .iter()
            .any(|reserved| reserved.eq_ignore_ascii_case(name))
        {
            return;
        }
        let mut ours = self.0.iter_mut().take(own);
        match ours.find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            None => self.put(name, value),
            Some((_, list)) if name.eq_ignore_ascii_case("vary") && is_field_value(value) => {
                *list = format!("{list}, {value}");
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod respond_tests;
#[cfg(test)]
mod tests;
