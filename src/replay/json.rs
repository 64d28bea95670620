//! JSON lines: one object a line, with the field names that servers, load balancers and Cloudflare's
//! Logpush use.
//!
//! Names compare without case and punctuation (`ClientIP`, `client_ip` and `client.ip` are one).
//! Objects inside are looked into, outer fields first; where a record has several names for the
//! same thing, the one listed first below counts.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::entry::{Entry, Unreadable};
use super::when;
use crate::admission::described::Described;
use crate::http::address::ClientAddress;

const TIME: &[&str] = &[
    "edgestarttimestamp",
    "timestamp",
    "time",
    "ts",
    "timeiso8601",
    "starttime",
    "datetime",
    "date",
    "timelocal",
    "msec",
    "eventtime",
    "edgeendtimestamp",
];
const IP: &[&str] = &[
    "clientip",
    "cfconnectingip",
    "remoteaddr",
    "remoteip",
    "clientaddr",
    "clientaddress",
    "remoteaddress",
    "remotehost",
    "sourceip",
    "cip",
    "ip",
];
const METHOD: &[&str] = &[
    "clientrequestmethod",
    "requestmethod",
    "httpmethod",
    "method",
    "verb",
];
const URL: &[&str] = &[
    "clientrequesturi",
    "requesturi",
    "requesturl",
    "uri",
    "url",
    "clientrequestpath",
    "requestpath",
    "path",
    "target",
];
const HOST: &[&str] = &[
    "clientrequesthost",
    "httphost",
    "requesthost",
    "host",
    "vhost",
    "servername",
];
const LINE: &[&str] = &["request", "requestline"];
const STATUS: &[&str] = &[
    "edgeresponsestatus",
    "statuscode",
    "responsestatus",
    "responsecode",
    "status",
];
const SENT: &[&str] = &[
    "edgeresponsebodybytes",
    "bodybytessent",
    "responsebytes",
    "edgeresponsebytes",
    "responsesize",
    "bytessent",
    "bytes",
    "size",
];
const RECEIVED: &[&str] = &[
    "requestbodybytes",
    "requestcontentlength",
    "bytesin",
    "contentlength",
];
const COUNTRY: &[&str] = &["clientcountry", "country", "countrycode"];
const CONTINENT: &[&str] = &["clientcontinent", "continent"];
const ASN: &[&str] = &["clientasn", "asn"];
const COLO: &[&str] = &["edgecolocode", "colo"];
const JA4: &[&str] = &["ja4"];
const VERIFIED: &[&str] = &["verifiedbotcategory", "verifiedbot"];
const HEADERS: &[&str] = &["requestheaders", "headers"];
const COOKIES: &[&str] = &["cookies"];

/// Fields that are headers of the request.
const AS_HEADERS: &[(&str, &[&str])] = &[
    (
        "user-agent",
        &[
            "clientrequestuseragent",
            "httpuseragent",
            "useragent",
            "agent",
        ],
    ),
    (
        "referer",
        &["clientrequestreferer", "httpreferer", "referer", "referrer"],
    ),
    ("cookie", &["httpcookie", "cookie"]),
    ("content-type", &["requestcontenttype", "contenttype"]),
    ("x-api-key", &["httpxapikey", "xapikey", "apikey"]),
    ("authorization", &["httpauthorization", "authorization"]),
    ("x-tenant", &["httpxtenant", "xtenant"]),
];

/// How deep objects are looked into.
const DEPTH: usize = 3;

/// Reads one line.
///
/// # Errors
/// What the line lacks.
pub fn read(line: &str) -> Result<Entry, Unreadable> {
    let Ok(Value::Object(object)) = serde_json::from_str(line) else {
        return Err(Unreadable::Json);
    };
    let mut fields = Fields::default();
    fields.add(&object, DEPTH);
    let at = fields.text(TIME).and_then(|text| when::parse(&text));
    let ip = fields.text(IP).and_then(|text| address(&text));
    let (method, url) = fields.target().ok_or(Unreadable::Request)?;
    let host = fields
        .text(HOST)
        .filter(|host| !host.is_empty() && host != "-");
    let mut request = match host {
        Some(host) if !url.contains("://") => {
            Described::new(&method, &format!("https://{host}{url}"))
        }
        _ => Described::new(&method, &url),
    };
    request.ip = Some(ip.ok_or(Unreadable::Address)?);
    request.country = fields.text(COUNTRY).map(|code| code.to_ascii_uppercase());
    request.continent = fields.text(CONTINENT).map(Cow::into_owned);
    request.asn = fields.number(ASN).and_then(|asn| asn.try_into().ok());
    request.colo = fields.text(COLO).map(Cow::into_owned);
    request.ja4 = fields.text(JA4).map(Cow::into_owned);
    request.verified_bot = fields
        .text(VERIFIED)
        .is_some_and(|text| !matches!(&*text, "" | "false" | "0"));
    request.body_length = fields.number(RECEIVED);
    for (name, names) in AS_HEADERS {
        if let Some(value) = fields
            .text(names)
            .filter(|value| !matches!(&**value, "" | "-"))
        {
            request = request.header(name, &value);
        }
    }
    for (name, value) in fields.pairs(HEADERS) {
        request = request.header(name, &value);
    }
    let cookies: Vec<String> = fields
        .pairs(COOKIES)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if !cookies.is_empty() {
        request = request.header("cookie", &cookies.join("; "));
    }
    Ok(Entry {
        at: at.ok_or(Unreadable::Time)?,
        request,
        status: fields
            .number(STATUS)
            .and_then(|status| status.try_into().ok()),
        response_bytes: fields.number(SENT),
    })
}

/// An address, perhaps with a port.
fn address(text: &str) -> Option<String> {
    ClientAddress::parse(text).map(|address| address.to_string())
}

/// Every field under its plain name, in the order of finding.
#[derive(Default)]
struct Fields<'a>(Vec<(String, &'a Value)>);

impl<'a> Fields<'a> {
    fn add(&mut self, object: &'a Map<String, Value>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for (name, value) in object {
            let plain = name
                .bytes()
                .filter(u8::is_ascii_alphanumeric)
                .map(|byte| char::from(byte.to_ascii_lowercase()))
                .collect();
            self.0.push((plain, value));
        }
        for (name, value) in object {
            // What the answer carried is nothing that the request said.
            let answer = name.to_ascii_lowercase().starts_with("resp");
            let opaque = |names: &[&str]| {
                names
                    .iter()
                    .any(|known| name.replace(['_', '-'], "").eq_ignore_ascii_case(known))
            };
            if let Value::Object(inner) = value
                && !answer
                && !opaque(HEADERS)
                && !opaque(COOKIES)
            {
                self.add(inner, depth);
            }
        }
    }

    fn find(&self, names: &[&str]) -> Option<&'a Value> {
        names.iter().find_map(|name| {
            let mut known = self.0.iter().filter(|(known, _)| known == name);
            let known = known.find(|(_, value)| !value.is_null() && !value.is_object());
            known.map(|(_, value)| *value)
        })
    }

    fn text(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        text(self.find(names)?)
    }

    fn number(&self, names: &[&str]) -> Option<u64> {
        self.text(names)?.parse().ok()
    }

    /// Method and URL: as fields of their own, or as a request line.
    fn target(&self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        if let (Some(method), Some(url)) = (self.text(METHOD), self.text(URL))
            && !method.is_empty()
        {
            let query = self.text(&["querystring", "args", "query"]);
            let url = match query.filter(|query| !query.is_empty() && *query != "-") {
                Some(query) if !url.contains('?') => {
                    Cow::Owned(format!("{url}?{}", query.trim_start_matches('?')))
                }
                _ => url,
            };
            return Some((method, url));
        }
        let line = self.text(LINE)?;
        let mut words = line.split_ascii_whitespace();
        let (method, url) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some((method.into(), url.into()))
    }

    /// The members of an object, a list's first entry standing for it.
    fn pairs(&self, names: &'static [&str]) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> {
        let objects = self
            .0
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        objects
            .filter_map(|(_, value)| value.as_object())
            .flatten()
            .filter_map(|(name, value)| {
                let value = value.as_array().map_or(Some(value), |list| list.first())?;
                Some((name.as_str(), text(value)?))
            })
    }
}

fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
