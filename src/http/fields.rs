//! Quota fields: what clients are told of the limits that applied to them, in every dialect that
//! the policy names, and how that goes together with what the origin already said.
//!
//! What the origin says is never removed and never relaxed.

use crate::limit::{Algorithm, Quota};
use crate::policy::Dialect;
use crate::time::{Span, Timestamp};

use super::structured::is_list;
use super::triple::Triple;
use super::{draft6, draft8, retry_after, x_ratelimit};

/// A header: its name and its value.
pub type Field = (&'static str, String);

/// One limit, as a client is to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaView<'a> {
    /// `rule.limit`.
    pub name: &'a str,
    /// Units in all: a bucket's burst, else the quota. See [`shown`].
    pub quota: u64,
    /// The time that these are for: a bucket's time to fill, else the window. See [`shown`].
    pub window: Span,
    /// Units that this caller could still spend now.
    pub remaining: u64,
    /// From now until `remaining` next grows; where it refuses, until a retry succeeds.
    pub reset: Span,
    /// It is among what refused this request.
    pub refuses: bool,
}

impl QuotaView<'_> {
    /// `w`: whole seconds, rounded up, so that no client takes the quota for more than it is.
    #[must_use]
    pub fn window_s(&self) -> u64 {
        self.window.as_secs_ceil().max(1)
    }

    /// `t`: whole seconds, rounded up; on a refusal the same as Retry-After.
    #[must_use]
    pub fn reset_s(&self) -> u64 {
        if self.refuses {
            retry_after::seconds(self.reset)
        } else {
            self.reset.as_secs_ceil().min(retry_after::MAX_S)
        }
    }
}

/// `q` and `w` of a quota: for a bucket its burst and the time to fill it.
#[must_use]
pub fn shown(quota: &Quota) -> (u64, Span) {
    if quota.algorithm != Algorithm::TokenBucket || quota.burst == quota.limit {
        return (quota.limit, quota.window);
    }
    let units = u128::from(quota.window.as_micros()).saturating_mul(quota.burst.into());
    let to_fill = units.div_ceil(u128::from(quota.limit.max(1)));
    let to_fill = u64::try_from(to_fill).unwrap_or(u64::MAX);
    (quota.burst, Span::from_micros(to_fill))
}

/// The fields for the views, dialect by dialect. Views stand in the order of the policy.
#[must_use]
pub fn fields(dialects: &[Dialect], views: &[QuotaView<'_>]) -> Vec<Field> {
    dialects
        .iter()
        .flat_map(|dialect| match dialect {
            Dialect::Draft8 => draft8::fields(views, false),
            Dialect::Draft6 => draft6::FIELDS.fields(views),
            Dialect::XRateLimit => x_ratelimit::FIELDS.fields(views),
        })
        .collect()
}

/// The latest `t` (see [`latest_s`]), then names and values of [`fields`], a line each, with the numbers
/// left open that differ from request to request: a NUL stands for each of [`open_numbers`]. None where
/// these are not all that differs.
#[must_use]
pub fn shape(dialects: &[Dialect], views: &[QuotaView<'_>]) -> Option<String> {
    let is_plain = dialects == [Dialect::Draft8] && !views.is_empty();
    if !is_plain || !views.iter().all(|view| draft8::is_string(view.name)) {
        return None;
    }
    let mut out = String::from("\0");
    for (name, value) in draft8::fields(views, true) {
        for part in ["\n", name, "\n", &value] {
            out.push_str(part);
        }
    }
    Some(out)
}

/// Tells the numbers that a [`shape`] leaves open, in turn.
pub fn open_numbers(views: &[QuotaView<'_>], mut tell: impl FnMut(u64)) {
    tell(latest_s(views).unwrap_or(0));
    for view in views {
        tell(draft8::shown(view.remaining));
        tell(view.reset_s());
    }
}

/// The latest `t` of the views, in seconds; None for no view.
#[must_use]
pub fn latest_s(views: &[QuotaView<'_>]) -> Option<u64> {
    views.iter().map(QuotaView::reset_s).max()
}

/// What has to be set on an answer of the origin, so that it also says what `ours` says. `origin`
/// gives a header of the answer, several lines joined by commas; `now` reads a date in Retry-After.
///
/// - Lists get our items appended. A value that is no list stays as it is: nobody could read ours
///   behind it.
/// - Of a triple the tighter side's stays whole.
/// - A Retry-After of the origin that is earlier than `latest_s`, see [`latest_s`], is moved to it.
#[must_use]
pub fn merge<'a>(
    ours: &[(&'a str, String)],
    latest_s: Option<u64>,
    origin: &dyn Fn(&str) -> Option<String>,
    now: Timestamp,
) -> Vec<(&'a str, String)> {
    let standing = |triple: Triple| triple.origin_stands(ours, origin).then_some(triple);
    let standing = [draft6::FIELDS, x_ratelimit::FIELDS].map(standing);
    let mut out = Vec::with_capacity(ours.len().saturating_add(1));
    for (name, value) in ours {
        if [draft8::POLICY, draft8::LIMIT].contains(name) {
            match origin(name) {
                None => out.push((*name, value.clone())),
                Some(theirs) if theirs.trim().is_empty() => out.push((*name, value.clone())),
                Some(theirs) if is_list(&theirs) => {
                    out.push((*name, format!("{}, {value}", theirs.trim())));
                }
                Some(_) => {}
            }
        } else if !standing.iter().flatten().any(|triple| triple.has(name)) {
            out.push((*name, value.clone()));
        }
    }
    if let (Some(latest), Some(theirs)) = (latest_s, origin(retry_after::NAME))
        && retry_after::parse(&theirs, now).is_some_and(|theirs| theirs < latest)
    {
        out.push((retry_after::NAME, latest.to_string()));
    }
    out
}

#[cfg(test)]
mod tests;
