//! A request as a line of a log tells of it, borrowed from the line wherever that has it as it is.

use std::borrow::Cow;
use std::net::IpAddr;

use super::scan;
use crate::admission::Facts;
use crate::http::address::{Caller, ClientAddress};
use crate::http::path::normalise;
use crate::http::url::{UrlParts, normalise_host};
use crate::http::{cookie, query};
use crate::policy::RequestView;

/// Text of a line, or made from it.
pub type Text<'a> = Cow<'a, str>;

/// What a log says of a request.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// As it was sent.
    pub method: Text<'a>,
    /// For comparing; empty where it is not known.
    pub host: Text<'a>,
    /// Normalised.
    pub path: Text<'a>,
    /// As it was sent, without `?`.
    pub query: Text<'a>,
    /// Bytes of path and query as they were sent.
    pub target_bytes: u64,
    /// The client's.
    pub address: Option<ClientAddress>,
    /// Names in lower case, and values.
    pub headers: Vec<(Text<'a>, Text<'a>)>,
    /// Autonomous system number.
    pub asn: Option<u32>,
    /// ISO 3166-1 alpha-2, upper case.
    pub country: Option<Text<'a>>,
    /// The continent's two letters.
    pub continent: Option<Text<'a>>,
    /// The data centre's IATA code.
    pub colo: Option<Text<'a>>,
    /// TLS fingerprint.
    pub ja4: Option<Text<'a>>,
    /// A bot that the platform has verified.
    pub verified_bot: bool,
    /// Of the request's body.
    pub body_length: Option<u64>,
}

impl<'a> Request<'a> {
    /// A request of `method` for `url`: absolute, or a path, which is then the host's where one is
    /// known.
    #[must_use]
    pub fn new(method: Text<'a>, host: Option<&str>, url: Text<'a>) -> Request<'a> {
        let rooted = url.starts_with('/');
        let request = match host {
            Some(host) if rooted && is_plain(host) => Request {
                host: Cow::Owned(normalise_host(host).into_owned()),
                ..of_url(url)
            },
            Some(host) if rooted || UrlParts::split(&url).scheme.is_empty() => {
                of_url(format!("https://{host}{url}").into())
            }
            _ => of_url(url),
        };
        Request { method, ..request }
    }

    /// The same with a header, its name in lower case.
    #[must_use]
    pub fn header(mut self, name: Text<'a>, value: Text<'a>) -> Request<'a> {
        self.headers.push((name, value));
        self
    }

    /// The same from an address.
    #[must_use]
    pub fn from_ip(mut self, ip: &str) -> Request<'a> {
        self.address = ClientAddress::parse(ip);
        self
    }

    fn joined(&self, name: &str, separator: &str) -> Option<Cow<'_, str>> {
        let mut values = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| &**value);
        let first = values.next()?;
        Some(values.fold(Cow::Borrowed(first), |all, next| {
            Cow::Owned(format!("{all}{separator}{next}"))
        }))
    }
}

fn of_url(url: Text<'_>) -> Request<'_> {
    match url {
        Cow::Borrowed(url) => in_parts(url),
        Cow::Owned(url) => {
            let parts = in_parts(&url);
            Request {
                host: Cow::Owned(parts.host.into_owned()),
                path: Cow::Owned(parts.path.into_owned()),
                query: Cow::Owned(parts.query.into_owned()),
                target_bytes: parts.target_bytes,
                ..Request::default()
            }
        }
    }
}

fn in_parts(url: &str) -> Request<'_> {
    // What most logs have; there is no scheme behind a slash.
    if url.starts_with('/') {
        let at = scan::either(url.as_bytes(), b'?', b'#');
        let (path, rest) = at
            .and_then(|at| url.split_at_checked(at))
            .unwrap_or((url, ""));
        let query = rest.strip_prefix('?').unwrap_or("");
        let query = query.split_once('#').map_or(query, |(before, _)| before);
        let mark = usize::from(rest.starts_with('?'));
        let target = path.len().saturating_add(mark).saturating_add(query.len());
        return Request {
            path: normalise(path),
            query: Cow::Borrowed(query),
            target_bytes: u64::try_from(target).unwrap_or(u64::MAX),
            ..Request::default()
        };
    }
    let parts = UrlParts::split(url);
    Request {
        host: normalise_host(parts.authority),
        path: normalise(parts.path),
        query: Cow::Borrowed(parts.query),
        target_bytes: u64::try_from(parts.target.len()).unwrap_or(u64::MAX),
        ..Request::default()
    }
}

/// Nothing in it could be anything else than a host and its port.
fn is_plain(host: &str) -> bool {
    host.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-' | b'_' | b'[' | b']')
    })
}

impl RequestView for Request<'_> {
    fn method(&self) -> &str {
        &self.method
    }

    fn host(&self) -> &str {
        &self.host
    }

    fn path(&self) -> &str {
        &self.path
    }

    fn ip(&self) -> Option<IpAddr> {
        self.address.map(ClientAddress::ip)
    }

    fn country(&self) -> Option<&str> {
        self.country.as_deref()
    }

    fn asn(&self) -> Option<u32> {
        self.asn
    }

    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.joined(name, ", ")
    }

    fn has_cookie(&self, name: &str) -> bool {
        self.joined("cookie", "; ")
            .is_some_and(|cookies| cookie::contains(&cookies, name))
    }

    fn has_query(&self, name: &str) -> bool {
        query::contains(&self.query, name)
    }

    fn is_verified_bot(&self) -> bool {
        self.verified_bot
    }
}

impl Facts for Request<'_> {
    fn caller(&self) -> Caller<'_> {
        let Some(address) = self.address else {
            return Caller::Unknown;
        };
        let named = |(name, _): &&(Text<'_>, Text<'_>)| name == "cf-worker";
        let worker = if address.is_cross_zone_worker() {
            self.headers.iter().find(named)
        } else {
            None
        };
        Caller::at(address, worker.map(|(_, value)| &**value))
    }

    fn url_bytes(&self) -> u64 {
        self.target_bytes
    }

    fn header_bytes(&self) -> u64 {
        let lengths = self
            .headers
            .iter()
            .map(|(name, value)| name.len().saturating_add(value.len()));
        u64::try_from(lengths.fold(0, usize::saturating_add)).unwrap_or(u64::MAX)
    }

    fn cookie(&self, name: &str) -> Option<Cow<'_, str>> {
        let cookies = self.joined("cookie", "; ")?;
        let value = cookie::lookup(&cookies, name)?.to_owned();
        Some(Cow::Owned(value))
    }

    fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        query::lookup(&self.query, name)
    }

    fn body_field(&self, _: &str) -> Option<Cow<'_, str>> {
        None
    }

    fn body_cost(&self) -> Option<u64> {
        None
    }

    fn body_bytes(&self) -> Option<u64> {
        Some(self.body_length.unwrap_or(0))
    }

    fn body_known(&self) -> bool {
        true
    }

    fn continent(&self) -> Option<Cow<'_, str>> {
        self.continent.as_deref().map(Cow::Borrowed)
    }

    fn colo(&self) -> Option<Cow<'_, str>> {
        self.colo.as_deref().map(Cow::Borrowed)
    }

    fn ja4(&self) -> Option<Cow<'_, str>> {
        self.ja4.as_deref().map(Cow::Borrowed)
    }

    fn is_preflight(&self) -> bool {
        self.method == "OPTIONS"
            && RequestView::header(self, "origin").is_some()
            && RequestView::header(self, "access-control-request-method").is_some()
    }
}

#[cfg(test)]
mod tests;
