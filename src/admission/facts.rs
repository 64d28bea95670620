//! What the rules may ask about a request, beyond what matching asks.

use std::borrow::Cow;

use crate::http::address::Caller;
use crate::policy::RequestView;

/// A request as the edge sees it. Everything is read when it is first asked for: a policy that
/// keys on nothing but the address reads no cookie.
///
/// Values that the platform knows (`colo`, `ja4`, `continent`) are `None` where it does not say.
pub trait Facts: RequestView {
    /// Who is calling.
    fn caller(&self) -> Caller<'_>;
    /// Bytes of path and query as sent.
    fn url_bytes(&self) -> u64;
    /// Bytes of all header names and values.
    fn header_bytes(&self) -> u64;
    /// A cookie's value; `None` where it is absent or appears twice.
    fn cookie(&self, name: &str) -> Option<Cow<'_, str>>;
    /// A query parameter, decoded; `None` where it is absent or appears twice.
    fn query(&self, name: &str) -> Option<Cow<'_, str>>;
    /// A field of the body; `None` where it has none, appears twice, or is no scalar.
    fn body_field(&self, name: &str) -> Option<Cow<'_, str>>;
    /// The computed cost of the body, once it has been inspected.
    fn body_cost(&self) -> Option<u64>;
    /// The body's length in bytes: as declared, or as read.
    fn body_bytes(&self) -> Option<u64>;
    /// True once the body has been read (or there is none): `body_field` and `body_cost` are final.
    fn body_known(&self) -> bool;
    /// The continent's two letters.
    fn continent(&self) -> Option<Cow<'_, str>>;
    /// The data centre's IATA code.
    fn colo(&self) -> Option<Cow<'_, str>>;
    /// TLS fingerprint.
    fn ja4(&self) -> Option<Cow<'_, str>>;
    /// A CORS preflight.
    fn is_preflight(&self) -> bool;
}
