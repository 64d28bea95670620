//! A request's facts, read from the platform when they are first asked for.
//!
//! Each reading crosses into JavaScript; what has been read is kept for the request's length.

mod body_facts;
mod head;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

pub use self::body_facts::BodyFacts;
pub use self::head::Head;
use super::js::{self, Request};
use crate::admission::Facts;
use crate::body::field;
use crate::http::address::Caller;
use crate::http::path::normalise;
use crate::http::url::UrlParts;
use crate::http::{cookie, query};
use crate::policy::RequestView;
use crate::telemetry::Network;

/// One request as [`Facts`].
pub struct RequestFacts {
    /// The platform's request.
    pub request: Request,
    /// What it was asked first.
    pub head: Rc<Head>,
    path: OnceCell<String>,
    host: OnceCell<String>,
    worker: OnceCell<Option<String>>,
    cookies: OnceCell<Option<String>>,
    cf: OnceCell<JsValue>,
    country: OnceCell<Option<String>>,
    body: RefCell<BodyFacts>,
    looked_further: Cell<bool>,
}

impl RequestFacts {
    /// Of a request with this head.
    #[must_use]
    pub fn new(request: Request, head: Rc<Head>) -> RequestFacts {
        RequestFacts {
            head,
            path: OnceCell::new(),
            host: OnceCell::new(),
            worker: OnceCell::new(),
            cookies: OnceCell::new(),
            cf: OnceCell::new(),
            country: OnceCell::new(),
            body: RefCell::new(BodyFacts::default()),
            looked_further: Cell::new(false),
            request,
        }
    }

    /// The URL's parts.
    #[must_use]
    pub fn parts(&self) -> UrlParts<'_> {
        UrlParts::split(self.head.url())
    }

    /// Method, URL and the client's address: requests with the same head differ in
    /// nothing that has been asked for so far, where it is all that was. None where it was not.
    #[must_use]
    pub fn head_alone(&self) -> Option<&Rc<Head>> {
        (!self.looked_further.get()).then_some(&self.head)
    }

    /// Says that more than the head has been looked at, or that other requests have come since.
    pub fn look_further(&self) {
        self.looked_further.set(true);
    }

    /// A header's value, owned.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.look_further();
        js::header(&self.request, name)
    }

    /// The client's address as the edge wrote it.
    #[must_use]
    pub fn client_ip(&self) -> Option<&str> {
        self.head.client_ip()
    }

    /// The client has gone away.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        js::has_left(&self.request)
    }

    /// There is a body, even an empty one.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.head.has_body()
    }

    /// What is known of the body.
    #[must_use]
    pub fn body_facts(&self) -> BodyFacts {
        self.body.borrow().clone()
    }

    /// Says what has been found out about the body.
    pub fn set_body(&self, facts: BodyFacts) {
        *self.body.borrow_mut() = facts;
    }

    /// Lets go of the body's bytes.
    pub fn forget_content(&self) {
        self.body.borrow_mut().content = None;
    }

    /// Number and country of the client's network, read without what else the platform says of it.
    #[must_use]
    pub fn network(&self) -> Network {
        let network = js::network(&self.request);
        let (asn, country) = network.split_once('\n').unwrap_or_default();
        let letters = <[u8; 2]>::try_from(country.as_bytes()).unwrap_or_default();
        let is_code = letters.iter().all(u8::is_ascii_alphanumeric);
        (
            asn.parse().unwrap_or(0),
            if is_code { letters } else { [0; 2] },
        )
    }

    fn cf(&self, name: &str) -> Option<JsValue> {
        self.look_further();
        let cf = self.cf.get_or_init(|| self.request.cf());
        if !cf.is_object() {
            return None;
        }
        let value = Reflect::get(cf, &JsValue::from_str(name)).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    }

    fn cf_text(&self, name: &str) -> Option<String> {
        self.cf(name)?.as_string()
    }

    fn cookies(&self) -> Option<&str> {
        self.cookies.get_or_init(|| self.text("cookie")).as_deref()
    }
}

impl RequestView for RequestFacts {
    fn method(&self) -> &str {
        self.head.method()
    }

    fn host(&self) -> &str {
        self.host.get_or_init(|| self.parts().host.into_owned())
    }

    fn path(&self) -> &str {
        self.path
            .get_or_init(|| normalise(self.parts().path).into_owned())
    }

    fn ip(&self) -> Option<IpAddr> {
        match self.caller() {
            Caller::Address(address) => Some(address.ip()),
            Caller::Worker(_) | Caller::Unknown => None,
        }
    }

    fn country(&self) -> Option<&str> {
        self.country
            .get_or_init(|| self.cf_text("country"))
            .as_deref()
    }

    fn asn(&self) -> Option<u32> {
        let asn = self.cf("asn")?.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates"
        )]
        let asn = asn as u32;
        Some(asn)
    }

    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.text(name).map(Cow::Owned)
    }

    fn has_cookie(&self, name: &str) -> bool {
        self.cookies()
            .is_some_and(|cookies| cookie::contains(cookies, name))
    }

    fn has_query(&self, name: &str) -> bool {
        query::contains(self.parts().query, name)
    }

    fn is_verified_bot(&self) -> bool {
        let verified = self
            .cf("botManagement")
            .and_then(|bots| Reflect::get(&bots, &JsValue::from_str("verifiedBot")).ok());
        verified.is_some_and(|verified| verified.is_truthy())
            || self
                .cf("verifiedBotCategory")
                .is_some_and(|category| category.is_truthy())
    }
}

impl Facts for RequestFacts {
    fn caller(&self) -> Caller<'_> {
        let worker = || {
            self.worker
                .get_or_init(|| self.text("cf-worker"))
                .as_deref()
        };
        // Only the address that all Workers share needs the other header.
        match Caller::read(self.client_ip(), None) {
            Caller::Address(address) if address.is_cross_zone_worker() => {
                Caller::read(self.client_ip(), worker())
            }
            caller => caller,
        }
    }

    fn url_bytes(&self) -> u64 {
        u64::try_from(self.parts().target.len()).unwrap_or(u64::MAX)
    }

    fn header_bytes(&self) -> u64 {
        self.look_further();
        u64::from(js::header_bytes(&self.request))
    }

    fn cookie(&self, name: &str) -> Option<Cow<'_, str>> {
        cookie::lookup(self.cookies()?, name).map(Cow::Borrowed)
    }

    fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        query::lookup(self.parts().query, name)
    }

    fn body_field(&self, name: &str) -> Option<Cow<'_, str>> {
        let content = self.body.borrow().content.clone()?;
        let media_type = self.text("content-type");
        field(media_type.as_deref(), &content, name).map(Cow::Owned)
    }

    fn body_cost(&self) -> Option<u64> {
        self.body.borrow().cost
    }

    fn body_bytes(&self) -> Option<u64> {
        self.body.borrow().bytes
    }

    fn body_known(&self) -> bool {
        self.body.borrow().known
    }

    fn continent(&self) -> Option<Cow<'_, str>> {
        self.cf_text("continent").map(Cow::Owned)
    }

    fn colo(&self) -> Option<Cow<'_, str>> {
        self.cf_text("colo").map(Cow::Owned)
    }

    fn ja4(&self) -> Option<Cow<'_, str>> {
        let bots = self.cf("botManagement")?;
        let ja4 = Reflect::get(&bots, &JsValue::from_str("ja4")).ok()?;
        ja4.as_string().map(Cow::Owned)
    }

    fn is_preflight(&self) -> bool {
        self.method() == "OPTIONS"
            && self.text("origin").is_some()
            && self.text("access-control-request-method").is_some()
    }
}
