//! JSON lines: one object a line, with the field names that servers, load balancers and Cloudflare's
//! Logpush use.
//!
//! Names compare without case and punctuation (`ClientIP`, `client_ip` and `client.ip` are one).
//! Objects inside are looked into, outer fields first; where a record has several names for the
//! same thing, the one listed first below counts.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::entry::{Entry, Unreadable};
use super::request::Request;
use super::when::Moments;
use crate::http::address::ClientAddress;
use members::{Members, pairs, text};
use names::{AS_HEADERS, COOKIES, HEADERS, KINDS, Kind, LONGEST, known, plain_name};

mod members;
mod names;

/// How deep objects are looked into.
const DEPTH: usize = 3;

/// Reads one line.
///
/// # Errors
/// What the line lacks.
pub fn read<'a>(line: &'a str, moments: &mut Moments) -> Result<Entry<'a>, Unreadable> {
    let Ok(Members(members)) = serde_json::from_str(line) else {
        return Err(Unreadable::Json);
    };
    let mut fields = Fields::default();
    fields.add(&members, DEPTH);
    let at = fields.text(Kind::Time);
    let at = at.and_then(|text| moments.read(&text));
    let ip = fields.text(Kind::Ip);
    let address = ip.and_then(|text| ClientAddress::parse(&text));
    let (method, url) = fields.target().ok_or(Unreadable::Request)?;
    let host = fields
        .text(Kind::Host)
        .filter(|host| !host.is_empty() && host != "-");
    let mut request = Request::new(method, host.as_deref(), url);
    request.address = Some(address.ok_or(Unreadable::Address)?);
    request.country = fields.text(Kind::Country).map(|code| {
        if code.bytes().any(|byte| byte.is_ascii_lowercase()) {
            Cow::Owned(code.to_ascii_uppercase())
        } else {
            code
        }
    });
    request.continent = fields.text(Kind::Continent);
    request.asn = fields.number(Kind::Asn).and_then(|asn| asn.try_into().ok());
    request.colo = fields.text(Kind::Colo);
    request.ja4 = fields.text(Kind::Ja4);
    request.verified_bot = fields
        .text(Kind::Verified)
        .is_some_and(|text| !matches!(&*text, "" | "false" | "0"));
    request.body_length = fields.number(Kind::Received);
    for (place, (name, _)) in (Kind::Header as usize..).zip(AS_HEADERS) {
        if let Some(value) = fields
            .at(place)
            .filter(|value| !matches!(&**value, "" | "-"))
        {
            request = request.header(Cow::Borrowed(*name), value);
        }
    }
    for (name, value) in pairs(&fields.headers) {
        let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            name
        };
        request = request.header(name, value);
    }
    let cookies: Vec<String> = pairs(&fields.cookies)
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if !cookies.is_empty() {
        request = request.header("cookie".into(), cookies.join("; ").into());
    }
    Ok(Entry {
        at: at.ok_or(Unreadable::Time)?,
        request,
        status: fields
            .number(Kind::Status)
            .and_then(|status| status.try_into().ok()),
        response_bytes: fields.number(Kind::Sent),
    })
}

/// What is known of a record.
#[derive(Default)]
struct Fields<'a> {
    /// For each kind, how early its name counts, and the value.
    found: [Option<(usize, &'a RawValue)>; KINDS],
    headers: Vec<&'a RawValue>,
    cookies: Vec<&'a RawValue>,
}

impl<'a> Fields<'a> {
    fn add(&mut self, members: &[(Cow<'a, str>, &'a RawValue)], depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let mut inner = Vec::new();
        for (name, value) in members {
            let mut plain = [0_u8; LONGEST];
            let Some(plain) = plain_name(name, &mut plain) else {
                continue;
            };
            let object = value.get().starts_with('{');
            if HEADERS.contains(&plain) {
                self.headers.push(value);
            } else if COOKIES.contains(&plain) {
                self.cookies.push(value);
            } else if object {
                // What the answer carried is nothing that the request said.
                if !plain.starts_with("resp") {
                    inner.push(*value);
                }
            } else if value.get() != "null" {
                self.take(plain, value);
            }
        }
        for value in inner {
            if let Ok(Members(members)) = serde_json::from_str(value.get()) {
                self.add(&members, depth);
            }
        }
    }

    fn take(&mut self, plain: &str, value: &'a RawValue) {
        let known = known();
        let from = known.partition_point(|(name, ..)| *name < plain);
        let of_that_name = known.get(from..).unwrap_or_default().iter();
        for (_, kind, rank) in of_that_name.take_while(|(name, ..)| *name == plain) {
            if let Some(place) = self.found.get_mut(*kind)
                && place.is_none_or(|(earlier, _)| *rank < earlier)
            {
                *place = Some((*rank, value));
            }
        }
    }

    fn at(&self, place: usize) -> Option<Cow<'a, str>> {
        let (_, value) = self.found.get(place).copied().flatten()?;
        text(value)
    }

    fn text(&self, kind: Kind) -> Option<Cow<'a, str>> {
        self.at(kind as usize)
    }

    fn number(&self, kind: Kind) -> Option<u64> {
        self.text(kind)?.parse().ok()
    }

    /// Method and URL: as fields of their own, or as a request line.
    fn target(&self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        if let (Some(method), Some(url)) = (self.text(Kind::Method), self.text(Kind::Url))
            && !method.is_empty()
        {
            let query = self.text(Kind::Query);
            let url = match query.filter(|query| !query.is_empty() && *query != "-") {
                Some(query) if !url.contains('?') => {
                    Cow::Owned(format!("{url}?{}", query.trim_start_matches('?')))
                }
                _ => url,
            };
            return Some((method, url));
        }
        let line = self.text(Kind::Line)?;
        let mut words = line.split_ascii_whitespace();
        let (method, url) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some((method.into(), url.into()))
    }
}

#[cfg(test)]
mod tests;
