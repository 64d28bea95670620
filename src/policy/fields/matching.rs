//! The fields of `match`, `skip` and `not`.

use super::one_to;
use crate::policy::kind::{Field, Kind, Table};
use crate::policy::matcher::PATH;
use crate::policy::syntax;

/// `match`, `skip` and `not`.
pub static MATCH: Table = Table {
    name: "match",
    doc: "Conditions on a request, all of which must hold. Where a list is given, any entry of it will do.",
    fields: &[
        Field::new(
            "path",
            Kind::Many(&Kind::Text(&PATH), one_to(1_000)),
            "Path patterns: literal segments, \":name\" for one segment, a trailing \"*\" for the rest. Compared with the normalised path.",
        ),
        Field::new(
            "case_insensitive",
            Kind::Flag,
            "Compare paths without regard to case, for origins that do. Default: false.",
        ),
        Field::new(
            "method",
            Kind::Many(&Kind::Text(&syntax::METHOD), one_to(100)),
            "Methods, compared exactly; \"GET\" covers HEAD.",
        ),
        Field::new(
            "host",
            Kind::Many(&Kind::Text(&syntax::HOST), one_to(1_000)),
            "Hosts, without port; \"*.example.com\" covers subdomains.",
        ),
        Field::new(
            "ip",
            Kind::Many(&Kind::Text(&syntax::NETWORK), one_to(10_000)),
            "Networks that the client's address is in.",
        ),
        Field::new(
            "country",
            Kind::Many(&Kind::Text(&syntax::COUNTRY), one_to(300)),
            "Country codes (ISO 3166-1 alpha-2).",
        ),
        Field::new(
            "asn",
            Kind::Many(&Kind::Whole(1, u32::MAX as u64), one_to(10_000)),
            "Autonomous system numbers.",
        ),
        Field::new(
            "header",
            Kind::Map(&syntax::HEADER, &Kind::Text(&syntax::TEXT), 32),
            "Headers that must be present and fit: name to pattern, with \"*\" for any characters and \"?\" for one. Compared without regard to ASCII case.",
        ),
        Field::new(
            "cookie",
            Kind::Many(&Kind::Text(&syntax::COOKIE), one_to(32)),
            "Cookies that must all be present.",
        ),
        Field::new(
            "query",
            Kind::Many(&Kind::Text(&syntax::TEXT), one_to(32)),
            "Query parameters that must all be present.",
        ),
        Field::new(
            "bot",
            Kind::Word(&["verified"]),
            "\"verified\": a crawler that Cloudflare has verified.",
        ),
        Field::new(
            "not",
            Kind::Table(&MATCH),
            "Conditions that must not all hold.",
        ),
    ],
};
