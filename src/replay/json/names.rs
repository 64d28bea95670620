//! The names that servers, load balancers and Cloudflare's Logpush give to fields.

use std::sync::OnceLock;

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
const QUERY: &[&str] = &["querystring", "args", "query"];
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
pub const HEADERS: &[&str] = &["requestheaders", "headers"];
pub const COOKIES: &[&str] = &["cookies"];

/// Fields that are headers of the request.
pub const AS_HEADERS: &[(&str, &[&str])] = &[
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

/// Where each kind of field stands in what is found.
#[derive(Clone, Copy)]
pub enum Kind {
    Time,
    Ip,
    Method,
    Url,
    Host,
    Line,
    Status,
    Sent,
    Received,
    Country,
    Continent,
    Asn,
    Colo,
    Ja4,
    Verified,
    Query,
    /// The first of [`AS_HEADERS`].
    Header,
}

pub const KINDS: usize = Kind::Header as usize + AS_HEADERS.len();

/// The longest name that is known, and some.
pub const LONGEST: usize = 32;

/// Every known name with its kind and how early it counts, sorted by name.
pub fn known() -> &'static [(&'static str, usize, usize)] {
    static KNOWN: OnceLock<Vec<(&str, usize, usize)>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let plain = [
            TIME, IP, METHOD, URL, HOST, LINE, STATUS, SENT, RECEIVED, COUNTRY, CONTINENT, ASN,
            COLO, JA4, VERIFIED, QUERY,
        ];
        let headers = AS_HEADERS.iter().map(|(_, names)| *names);
        let mut all: Vec<_> = plain
            .into_iter()
            .chain(headers)
            .enumerate()
            .flat_map(|(kind, names)| {
                (0..)
                    .zip(names)
                    .map(move |(rank, name)| (*name, kind, rank))
            })
            .collect();
        all.sort_unstable();
        all
    })
}

/// A name without case and punctuation; None of one that is longer than any that is known.
pub fn plain_name<'a>(name: &str, into: &'a mut [u8; LONGEST]) -> Option<&'a str> {
    let mut length = 0_usize;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        *into.get_mut(length)? = byte.to_ascii_lowercase();
        length = length.saturating_add(1);
    }
    std::str::from_utf8(into.get(..length)?).ok()
}
