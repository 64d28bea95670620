//! Every field that an operator may write. The words here are what editors show and what the
//! reference in the docs says.

mod body;
mod budget;
mod matching;

pub use body::{BODY, GRAPHQL, JSON, JSON_COST, MAX_HELD};
pub use budget::{CONCURRENCY, COUNT, DEADLINE, LIMIT, PREFLIGHT, RESERVE, RESPOND, TIER_NUMBERS};
pub use matching::MATCH;

use super::kind::{Count, Field, Kind, Table};
use super::{key, syntax};
use crate::time::Span;

/// Any number of entries up to `most`.
const fn up_to(most: usize) -> Count {
    Count { least: 0, most }
}

/// At least one entry, at most `most`.
const fn one_to(most: usize) -> Count {
    Count { least: 1, most }
}

/// Most rules of a policy.
pub const MAX_RULES: usize = 1_000;
/// Most limits, and most concurrency limits, of one rule.
pub const MAX_LIMITS: usize = 20;
/// Most key parts of one limit.
pub const MAX_PARTS: usize = 8;
/// Longest window: a leap year.
pub const MAX_WINDOW: Span = Span::from_secs(366 * 86_400);
/// Largest quota: a terabyte.
pub const MAX_QUOTA: u64 = 1_000_000_000_000;

const MODES: Kind = Kind::Word(&["enforce", "shadow", "off"]);

/// The whole document.
pub static POLICY: Table = Table {
    name: "policy",
    doc: "What Weir admits and what it turns away.",
    fields: &[
        Field::new(
            "headers",
            Kind::Many(
                &Kind::Word(&["draft-8", "draft-6", "x-ratelimit"]),
                up_to(3),
            ),
            "Which quota fields answers carry. Default: [\"draft-8\"].",
        ),
        Field::new(
            "ipv6_prefix",
            Kind::Whole(32, 128),
            "Bits of an IPv6 address that make a client. Default: 64. IPv4-mapped addresses count as IPv4.",
        ),
        Field::new(
            "client_ip_header",
            Kind::Text(&syntax::HEADER),
            "The header that holds the client's address. Default: \"cf-connecting-ip\". Name another only where something in front of Weir always sets it.",
        ),
        Field::new(
            "mode",
            MODES,
            "For the whole policy, whatever its rules say: \"enforce\" (the default: each rule's own mode), \"shadow\" (nothing is refused), \"off\" (nothing is counted). The variable WEIR_MODE overrides it.",
        ),
        Field::new(
            "counter_timeout",
            Kind::Duration(Span::from_millis(10), Span::from_secs(10)),
            "How long a counter is waited for before \"on_error\" holds. Default: \"300ms\".",
        ),
        Field::new(
            "policy_cache",
            Kind::Duration(Span::from_secs(30), Span::from_secs(86_400)),
            "How long a policy from KV is used before KV is asked again. Default and least: \"30s\".",
        ),
        Field::new(
            "objects",
            Kind::Table(&OBJECTS),
            "How counters are spread over Durable Objects.",
        ),
        Field::new(
            "admin_path",
            Kind::Text(&syntax::PREFIX),
            "Where Weir's own pages live. Default: \"/_weir\".",
        ),
        Field::new(
            "preflight",
            Kind::Table(&PREFLIGHT),
            "The limit on CORS preflights, which no rule counts. Default: 10 a second for each address, 100 at once.",
        ),
        Field::new(
            "log_key",
            Kind::Flag,
            "Log addresses, cookies and keys in the clear. Default: false, only keyed hashes.",
        ),
        Field::new(
            "tiers",
            Kind::Map(&syntax::NAME, &Kind::Table(&TIER), 32),
            "Where the plan of a caller is looked up, by name; a limit's \"tier\" refers to it.",
        ),
        Field::new(
            "session",
            Kind::Later,
            "Sessions signed by Weir. Not supported yet.",
        ),
        Field::needed(
            "rules",
            Kind::Many(&Kind::Table(&RULE), up_to(MAX_RULES)),
            "The rules. Every rule that matches a request applies to it; their order decides only which refusal's shape is shown.",
        ),
    ],
};

/// `objects`.
pub static OBJECTS: Table = Table {
    name: "objects",
    doc: "How counters are spread over Durable Objects.",
    fields: &[Field::new(
        "shards",
        Kind::Whole(1, 4_096),
        "Objects for keys that a client can choose freely (headers, cookies, queries). Default: 64. Changing it starts those counters afresh.",
    )],
};

/// One entry of `tiers`.
pub static TIER: Table = Table {
    name: "tier",
    doc: "Where the plan of a caller is looked up.",
    fields: &[
        Field::needed(
            "key",
            Kind::Text(&key::KEY_PART),
            "Whose plan: one key part, such as \"header:x-api-key\".",
        ),
        Field::needed(
            "kv",
            Kind::Text(&syntax::BINDING),
            "Name of the KV binding. Its keys are the lowercase hex SHA-256 of the value, so that no API key is stored; its values are tier names, or JSON objects with \"tier\" or \"quota\", \"window\", \"burst\".",
        ),
        Field::new(
            "cache",
            Kind::Duration(Span::from_secs(1), Span::from_secs(86_400)),
            "How long a look-up is used before it is refreshed. Default: \"300s\".",
        ),
        Field::needed(
            "default",
            Kind::Text(&syntax::NAME),
            "The tier of callers that KV does not know.",
        ),
    ],
};

/// One entry of `rules`.
pub static RULE: Table = Table {
    name: "rule",
    doc: "Requests that it is about, and the budget that they share.",
    fields: &[
        Field::needed(
            "name",
            Kind::Text(&syntax::NAME),
            "Unique. \"rule.limit\" is what quota fields, metrics and logs show.",
        ),
        Field::new(
            "match",
            Kind::Table(&MATCH),
            "Which requests: all given conditions must hold. Default: every request.",
        ),
        Field::new(
            "skip",
            Kind::Table(&MATCH),
            "Which of them are exempt: health checks, the office, verified bots.",
        ),
        Field::new(
            "action",
            Kind::Word(&["limit", "deny"]),
            "\"limit\" (the default), or \"deny\": 403 at once. \"challenge\" is not supported yet.",
        ),
        Field::new(
            "mode",
            MODES,
            "\"enforce\" (the default), \"shadow\" (counted, measured and logged, never refused) or \"off\".",
        ),
        Field::new(
            "announce",
            Kind::Flag,
            "Show a shadow rule in the quota fields. Default: false.",
        ),
        Field::new(
            "enforce_percent",
            Kind::Whole(1, 100),
            "Share of keys for which the rule enforces; the others are in shadow. A key's fate is stable. Default: 100.",
        ),
        Field::new(
            "on_error",
            Kind::Word(&["local", "allow", "deny"]),
            "When a counter cannot be reached in time: \"local\" (the default: the same quota, kept by each isolate until it can), \"allow\", or \"deny\" (503).",
        ),
        Field::new(
            "limits",
            Kind::Many(&Kind::Table(&LIMIT), up_to(MAX_LIMITS)),
            "Quotas.",
        ),
        Field::new(
            "concurrency",
            Kind::Many(&Kind::Table(&CONCURRENCY), up_to(MAX_LIMITS)),
            "Bounds on requests that run at the same time.",
        ),
        Field::new("body", Kind::Table(&BODY), "Bounds on the request's body."),
        Field::new(
            "max_url_bytes",
            Kind::Size(1, 1 << 20),
            "Most bytes of path and query; more is answered 414. Default: no bound.",
        ),
        Field::new(
            "max_header_bytes",
            Kind::Size(1, 1 << 20),
            "Most bytes of all header names and values; more is answered 431. Default: no bound.",
        ),
        Field::new(
            "deadline",
            Kind::Either(&[
                Kind::Duration(Span::from_millis(1), Span::from_secs(86_400)),
                Kind::Table(&DEADLINE),
            ]),
            "How long the origin may take, from admission to its response headers; 504 after that, and the origin's request is aborted.",
        ),
        Field::new(
            "websocket",
            Kind::Word(&["held", "handshake"]),
            "A WebSocket under \"concurrency\": relayed, its slot \"held\" until it closes (the default), or passed natively with the slot held for the \"handshake\" only.",
        ),
        Field::new(
            "respond",
            Kind::Table(&RESPOND),
            "Another shape for refusals by limits and slots.",
        ),
        Field::new(
            "cors",
            Kind::Many(&Kind::Text(&syntax::ORIGIN), one_to(100)),
            "Origins whose pages may read a refusal: a list, or \"*\". Default: none.",
        ),
    ],
};
