//! What a rule may ask of a request.

use std::borrow::Cow;
use std::net::IpAddr;

/// A request as matching sees it. Nothing is read that no rule asks for: every answer costs a
/// crossing of the JavaScript boundary or a parse, so implementations remember theirs.
pub trait RequestView {
    /// The method, exactly as it was sent.
    fn method(&self) -> &str;
    /// The host, lower case, without port and final dot; empty where there is none.
    fn host(&self) -> &str;
    /// The path, normalised for matching.
    fn path(&self) -> &str;
    /// The client's address, IPv4-mapped ones as IPv4.
    fn ip(&self) -> Option<IpAddr>;
    /// Country code (ISO 3166-1 alpha-2), upper case.
    fn country(&self) -> Option<&str>;
    /// Autonomous system number.
    fn asn(&self) -> Option<u32>;
    /// The value of a header, by its lower-case name; several joined by `, `.
    fn header(&self, name: &str) -> Option<Cow<'_, str>>;
    /// True where the cookie was sent, however often.
    fn has_cookie(&self, name: &str) -> bool;
    /// True where the query has the parameter, however often; names compare percent-decoded.
    fn has_query(&self, name: &str) -> bool;
    /// True for a crawler that the platform has verified.
    fn is_verified_bot(&self) -> bool;
}
