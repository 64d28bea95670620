//! What reservations come to once the response is known.
//!
//! A reservation that is never settled counts as spent when it lapses, so nothing here has to
//! arrive; it only makes the count true, and sooner.

use super::decide::Question;
use super::plan::Settle;
use super::verdict::Reservation;
use crate::http::code::Code;
use crate::policy::Cost;
use crate::time::Span;
use crate::wire::Call;

/// The bytes of an answer that takes longer are counted as far as they came by then.
pub const LONGEST_BODY: Span = Span::from_secs(600);

/// What is known when a request is over.
#[derive(Clone, Copy)]
pub struct Ending<'a> {
    /// The status of the answer; None where it never became known: the client left or the deadline
    /// passed while the origin worked.
    pub status: Option<u16>,
    /// Headers of the origin's answer, by lower-case name.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// Bytes of the request's body.
    pub request_bytes: Option<u64>,
    /// Bytes of the answer's body that were sent.
    pub response_bytes: Option<u64>,
}

/// True where a reservation depends on how many bytes the answer has.
#[must_use]
pub fn needs_response_bytes(reservations: &[Reservation]) -> bool {
    reservations
        .iter()
        .any(|reservation| reservation.settle == Settle::Cost(Cost::ResponseBytes))
}

/// What to tell objects about the reservations that `when` picks: one message for each charge.
#[must_use]
pub fn settle(
    reservations: &[Reservation],
    when: impl Fn(&Settle) -> bool,
    ending: &Ending<'_>,
) -> Vec<Question> {
    let mut out: Vec<Question> = Vec::new();
    for reservation in reservations.iter().filter(|one| when(&one.settle)) {
        let units = spent(reservation, ending);
        let known = out
            .iter_mut()
            .find_map(|question| match &mut question.call {
                Call::Settle { id, spent }
                    if *id == reservation.id && question.object == reservation.object =>
                {
                    Some(spent)
                }
                _ => None,
            });
        if let Some(spent) = known {
            spent.push((reservation.item, units));
        } else {
            out.push(Question {
                object: reservation.object.clone(),
                hint: reservation.hint.clone(),
                call: Call::Settle {
                    id: reservation.id,
                    spent: vec![(reservation.item, units)],
                },
                covers: Vec::new(),
            });
        }
    }
    out
}

/// What to tell objects where Weir itself answered a request that its counters had admitted.
///
/// One that did not reach the origin cost the origin nothing; one that was bad has spent what was
/// reserved; one that was cut off while the origin worked on it may have had its effect.
#[must_use]
pub fn refused(reservations: &[Reservation], code: Code, status: u16) -> Vec<Question> {
    let none = |_: &str| None;
    let ending = Ending {
        status: Some(status),
        header: &none,
        request_bytes: None,
        response_bytes: None,
    };
    match code {
        // Not admitted: what was taken is given back as a whole.
        Code::RateLimited | Code::Busy | Code::Unavailable => Vec::new(),
        Code::OriginUnreachable | Code::OriginMissing => {
            let nothing = |_: &str| Some("0".to_owned());
            let ending = Ending {
                header: &nothing,
                request_bytes: Some(0),
                response_bytes: Some(0),
                ..ending
            };
            settle(reservations, |_| true, &ending)
        }
        Code::DeadlineExceeded => {
            let ending = Ending {
                status: None,
                ..ending
            };
            settle(reservations, |_| true, &ending)
        }
        _ => settle(reservations, |_| true, &ending),
    }
}

/// What is not known stays as it was reserved.
fn spent(reservation: &Reservation, ending: &Ending<'_>) -> u64 {
    let cost = match &reservation.settle {
        Settle::Count(when) => {
            let kept = ending
                .status
                .is_none_or(|status| when.status.contains(&status));
            return if kept { reservation.held } else { 0 };
        }
        Settle::Cost(cost) => cost,
    };
    let known = match cost {
        Cost::Bytes => ending.request_bytes,
        Cost::ResponseBytes => ending.response_bytes,
        Cost::ResponseHeader(name) => (ending.header)(name).and_then(|text| whole(&text)),
        Cost::Fixed(_) | Cost::Body | Cost::Reserve { .. } => None,
    };
    known.unwrap_or(reservation.held)
}

/// A whole number; a fraction is rounded up, for no work is free. Anything else is unknown.
fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let more = u64::from(fraction.bytes().any(|byte| byte != b'0'));
    Some(whole.parse().unwrap_or(u64::MAX).saturating_add(more))
}

#[cfg(test)]
mod tests;
