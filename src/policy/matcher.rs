//! Which requests a rule is about.

use super::fault::Wrong;
use super::glob::Glob;
use super::kind::Syntax;
use super::view::RequestView;
use crate::http::path::{Captures, Pattern};

/// Path patterns.
pub static PATH: Syntax = Syntax {
    what: "a path pattern such as \"/users/:id\" or \"/static/*\"",
    check: |text| pattern(text, false).map(drop),
    pattern: "^/.*$",
};

/// Reads a path pattern.
pub fn pattern(text: &str, case_insensitive: bool) -> Result<Pattern, Wrong> {
    Pattern::parse(text, case_insensitive).map_err(|fault| {
        let message = fault.to_string();
        match crate::text::split_once(&message, "; ") {
            Some((matter, expected)) => Wrong::text(text, matter, expected),
            None => Wrong::text(text, &message, "write a path such as \"/users/:id\""),
        }
    })
}

/// Conditions, all of which must hold. `None` and empty lists are no condition.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Any of these patterns, on the normalised path.
    pub paths: Option<Vec<Pattern>>,
    /// Any of these methods, compared exactly; `GET` covers `HEAD`.
    pub methods: Option<Vec<String>>,
    /// Any of these hosts, lower case, without port or final dot; `*.example.com` covers
    /// subdomains.
    pub hosts: Option<Vec<String>>,
    /// The client's address is in any of these networks.
    pub ips: Option<Vec<ipnet::IpNet>>,
    /// Any of these ISO 3166-1 alpha-2 codes, upper case.
    pub countries: Option<Vec<String>>,
    /// Any of these autonomous system numbers.
    pub asns: Option<Vec<u32>>,
    /// Every named header (lower case) is present and fits its glob.
    pub headers: Vec<(String, Glob)>,
    /// Every named cookie is present.
    pub cookies: Vec<String>,
    /// Every named query parameter is present.
    pub queries: Vec<String>,
    /// `bot = "verified"`.
    pub verified_bot: bool,
    /// The nested match does not hold.
    pub not: Option<Box<Matcher>>,
}

impl Matcher {
    /// True where every condition holds. Conditions that are cheap to read come first.
    pub fn matches(&self, request: &dyn RequestView) -> bool {
        any(&self.methods, |method| {
            let sent = request.method();
            method == sent || (sent == "HEAD" && method == "GET")
        }) && self.matches_path(request.path())
            && any(&self.hosts, |host| host_fits(host, request.host()))
            && any(&self.ips, |net| {
                request.ip().is_some_and(|ip| net.contains(&ip))
            })
            && any(&self.countries, |country| {
                request.country() == Some(country.as_str())
            })
            && any(&self.asns, |asn| request.asn() == Some(*asn))
            && (!self.verified_bot || request.is_verified_bot())
            && self.headers.iter().all(|(name, glob)| {
                request
                    .header(name)
                    .is_some_and(|value| glob.matches(&value))
            })
            && self.cookies.iter().all(|name| request.has_cookie(name))
            && self.queries.iter().all(|name| request.has_query(name))
            && !self.not.as_ref().is_some_and(|not| not.matches(request))
    }

    /// True where there is no condition at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths.is_none()
            && self.methods.is_none()
            && self.hosts.is_none()
            && self.ips.is_none()
            && self.countries.is_none()
            && self.asns.is_none()
            && self.headers.is_empty()
            && self.cookies.is_empty()
            && self.queries.is_empty()
            && !self.verified_bot
            && self.not.is_none()
    }

    fn matches_path(&self, path: &str) -> bool {
        any(&self.paths, |pattern| pattern.matches(path).is_some())
    }

    /// The first pattern that the path fits, with its `:name`s: what the key parts `route` and
    /// `path:name` are read from. None where the matcher has no patterns.
    #[must_use]
    pub fn captures<'a>(&'a self, path: &'a str) -> Option<Captures<'a>> {
        let mut paths = self.paths.iter().flatten();
        paths.find_map(|pattern| pattern.matches(path))
    }
}

/// No list is no condition.
fn any<T>(list: &Option<Vec<T>>, fits: impl FnMut(&T) -> bool) -> bool {
    list.as_ref().is_none_or(|list| list.iter().any(fits))
}

fn host_fits(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        None => host == pattern,
    }
}
