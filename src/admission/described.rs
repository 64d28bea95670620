//! A request that is described rather than received: by `explain`, by a log line that is replayed,
//! by a test.

use std::borrow::Cow;
use std::net::IpAddr;

use super::Facts;
use crate::body::field;
use crate::http::address::{Caller, ClientAddress};
use crate::http::path::normalise;
use crate::http::url::UrlParts;
use crate::http::{cookie, query};
use crate::policy::RequestView;

/// A request in plain values.
#[derive(Clone, Debug, Default)]
pub struct Described {
    method: String,
    url: String,
    host: String,
    path: String,
    headers: Vec<(String, String)>,
    /// The client's address, as text.
    pub ip: Option<String>,
    /// Autonomous system number.
    pub asn: Option<u32>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// The continent's two letters.
    pub continent: Option<String>,
    /// The data centre's IATA code.
    pub colo: Option<String>,
    /// TLS fingerprint.
    pub ja4: Option<String>,
    /// A bot that the platform has verified.
    pub verified_bot: bool,
    /// The body; `None` where there is none.
    pub body: Option<Vec<u8>>,
    /// The body's length, where it is known and the body is not.
    pub body_length: Option<u64>,
    /// The computed cost of the body.
    pub body_cost: Option<u64>,
    /// The body is still on its way.
    pub body_to_come: bool,
}

impl Described {
    /// A request of `method` for `url` (absolute, or a path) without headers.
    #[must_use]
    pub fn new(method: &str, url: &str) -> Described {
        let parts = UrlParts::split(url);
        Described {
            method: method.to_owned(),
            host: parts.host.clone().into_owned(),
            path: normalise(parts.path).into_owned(),
            url: url.to_owned(),
            ..Described::default()
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Described {
        self.headers
            .push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// The same from an address.
    #[must_use]
    pub fn from_ip(mut self, ip: &str) -> Described {
        self.ip = Some(ip.to_owned());
        self
    }

    fn parts(&self) -> UrlParts<'_> {
        UrlParts::split(&self.url)
    }

    /// The URL's query without `?`, as it was written.
    #[must_use]
    pub fn query_text(&self) -> &str {
        self.parts().query
    }

    fn joined(&self, name: &str, separator: &str) -> Option<Cow<'_, str>> {
        let mut values = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str());
        let first = values.next()?;
        Some(values.fold(Cow::Borrowed(first), |all, next| {
            Cow::Owned(format!("{all}{separator}{next}"))
        }))
    }
}

impl RequestView for Described {
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
        self.ip
            .as_deref()
            .and_then(ClientAddress::parse)
            .map(ClientAddress::ip)
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
        query::contains(self.parts().query, name)
    }

    fn is_verified_bot(&self) -> bool {
        self.verified_bot
    }
}

impl Facts for Described {
    fn caller(&self) -> Caller<'_> {
        let worker = self
            .headers
            .iter()
            .find(|(name, _)| name == "cf-worker")
            .map(|(_, value)| value.as_str());
        Caller::read(self.ip.as_deref(), worker)
    }

    fn url_bytes(&self) -> u64 {
        u64::try_from(self.parts().target.len()).unwrap_or(u64::MAX)
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
        query::lookup(self.parts().query, name)
    }

    fn body_field(&self, name: &str) -> Option<Cow<'_, str>> {
        let media_type = self.header_text("content-type");
        field(media_type.as_deref(), self.body.as_deref()?, name).map(Cow::Owned)
    }

    fn body_cost(&self) -> Option<u64> {
        self.body_cost
    }

    fn body_bytes(&self) -> Option<u64> {
        let length = self.body.as_ref().map(Vec::len);
        let length = length.map(|length| u64::try_from(length).unwrap_or(u64::MAX));
        Some(length.or(self.body_length).unwrap_or(0))
    }

    fn body_known(&self) -> bool {
        !self.body_to_come
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
            && self.header_text("origin").is_some()
            && self.header_text("access-control-request-method").is_some()
    }
}

impl Described {
    fn header_text(&self, name: &str) -> Option<Cow<'_, str>> {
        RequestView::header(self, name)
    }
}
