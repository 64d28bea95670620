//! The fields of limits, slots, deadlines and the shape of refusals.

use super::{MAX_PARTS, MAX_QUOTA, MAX_WINDOW, one_to, up_to};
use crate::policy::kind::{Field, Kind, Table};
use crate::policy::{cost, key, syntax};
use crate::time::Span;

const QUOTA: Kind = Kind::Whole(1, MAX_QUOTA);
const WINDOW: Kind = Kind::Duration(Span::from_millis(1), MAX_WINDOW);
const KEY: Kind = Kind::Many(&Kind::Text(&key::KEY_PART), up_to(MAX_PARTS));
const PRECISION: Kind = Kind::Word(&["leased", "exact", "optimistic"]);
const SCOPE: Kind = Kind::Word(&["global", "region"]);
const ALGORITHM: Kind = Kind::Word(&[
    "token-bucket",
    "sliding-window",
    "sliding-counter",
    "fixed-window",
]);

const QUOTA_DOC: &str = "Units in each window.";
const WINDOW_DOC: &str = "The window, such as \"60s\".";
const BURST_DOC: &str = "Units that a token bucket holds when full. Default: the quota.";

/// One entry of `limits`.
pub static LIMIT: Table = Table {
    name: "limit",
    doc: "A quota.",
    fields: &[
        Field::needed("name", Kind::Text(&syntax::NAME), "Unique within the rule."),
        Field::needed(
            "key",
            KEY,
            "Parts that partition the quota; [] is one counter for everybody. \"a|b\" uses b where a is absent.",
        ),
        Field::new(
            "algorithm",
            ALGORITHM,
            "\"token-bucket\" (GCRA: steady rate, bursts), \"sliding-window\" (exact), \"sliding-counter\" (approximate, for very large quotas) or \"fixed-window\" (aligned to UTC, for daily quotas). Needed unless \"distinct\" is given.",
        ),
        Field::new("quota", QUOTA, QUOTA_DOC),
        Field::needed("window", WINDOW, WINDOW_DOC),
        Field::new("burst", QUOTA, BURST_DOC),
        Field::new(
            "cost",
            Kind::Either(&[
                Kind::Whole(1, MAX_QUOTA),
                Kind::Text(&cost::COST),
                Kind::Table(&RESERVE),
            ]),
            "Units that one request takes: a number, \"body\" (its computed cost), \"bytes\", \"response-bytes\", \"response:HEADER\", or a table of \"reserve\" and \"settle\". Default: 1.",
        ),
        Field::new(
            "count",
            Kind::Table(&COUNT),
            "Keep the unit only where the response matches.",
        ),
        Field::new(
            "distinct",
            Kind::Text(&key::KEY_PART),
            "The quota is on distinct values of this key part, not on requests.",
        ),
        Field::new(
            "block",
            Kind::Many(&Kind::Duration(Span::from_secs(1), MAX_WINDOW), one_to(10)),
            "Once exceeded, stay refused this long; a list escalates.",
        ),
        Field::new(
            "jitter",
            Kind::Duration(Span::ZERO, Span::from_secs(3_600)),
            "Most that is added to Retry-After, so that refused clients do not return together. Default: \"0s\".",
        ),
        Field::new(
            "tier",
            Kind::Text(&syntax::NAME),
            "Name of an entry of \"tiers\": quota by plan.",
        ),
        Field::new(
            "quotas",
            Kind::Map(&syntax::NAME, &Kind::Table(&TIER_NUMBERS), 32),
            "Numbers by tier name.",
        ),
        Field::new(
            "precision",
            PRECISION,
            "\"leased\" (the default: permits in batches, never more than the quota), \"exact\" (every request asks the counter) or \"optimistic\" (never made to wait; several isolates may be over by what they have not told each other yet).",
        ),
        Field::new(
            "scope",
            SCOPE,
            "\"global\" (the default), or \"region\": a counter for each continent, and as many quotas.",
        ),
    ],
};

/// `preflight`.
pub static PREFLIGHT: Table = Table {
    name: "preflight",
    doc: "The limit on CORS preflights.",
    fields: &[
        Field::new("key", KEY, "As in a limit. Default: [\"ip\"]."),
        Field::new(
            "algorithm",
            ALGORITHM,
            "As in a limit. Default: \"token-bucket\".",
        ),
        Field::new("quota", QUOTA, "Units in each window. Default: 10."),
        Field::new("window", WINDOW, "The window. Default: \"1s\"."),
        Field::new(
            "burst",
            QUOTA,
            "Units that the bucket holds. Default: 100, or the quota where one is given.",
        ),
        Field::new(
            "precision",
            PRECISION,
            "As in a limit. Default: \"leased\".",
        ),
        Field::new("scope", SCOPE, "As in a limit. Default: \"global\"."),
    ],
};

/// One entry of `quotas`.
pub static TIER_NUMBERS: Table = Table {
    name: "tier_numbers",
    doc: "The numbers of one tier.",
    fields: &[
        Field::needed("quota", QUOTA, QUOTA_DOC),
        Field::new("window", WINDOW, "The window. Default: the limit's."),
        Field::new("burst", QUOTA, BURST_DOC),
    ],
};

/// `cost` as a table.
pub static RESERVE: Table = Table {
    name: "reserve",
    doc: "Units reserved before the request and settled to the true figure after it.",
    fields: &[
        Field::needed("reserve", Kind::Whole(1, MAX_QUOTA), "Units taken before."),
        Field::needed(
            "settle",
            Kind::Text(&cost::SETTLE),
            "Where the true figure is: \"response:HEADER\", \"response-bytes\" or \"bytes\".",
        ),
    ],
};

/// `count`.
pub static COUNT: Table = Table {
    name: "count",
    doc: "Which responses count.",
    fields: &[Field::needed(
        "status",
        Kind::Many(&Kind::Whole(200, 599), one_to(100)),
        "Any of these statuses.",
    )],
};

/// One entry of `concurrency`.
pub static CONCURRENCY: Table = Table {
    name: "concurrency",
    doc: "A bound on requests that run at the same time.",
    fields: &[
        Field::needed(
            "name",
            Kind::Text(&syntax::NAME),
            "Unique within the rule, limits included.",
        ),
        Field::needed("key", KEY, "As in a limit."),
        Field::needed("running", Kind::Whole(1, 100_000), "Slots for each key."),
        Field::new(
            "waiting",
            Kind::Whole(0, 100_000),
            "Places to wait, in arrival order. Default: 0.",
        ),
        Field::new(
            "max_wait",
            Kind::Duration(Span::from_millis(1), Span::from_secs(600)),
            "How long each may wait. Default: \"10s\".",
        ),
        Field::new(
            "status",
            Kind::Whole(1, 999),
            "Of a refusal: 429 (the default: this client), or 503 (the server).",
        ),
        Field::new(
            "retry_after",
            Kind::Duration(Span::from_secs(1), Span::from_secs(86_400)),
            "What a refusal says. Default: \"1s\".",
        ),
        Field::new(
            "fair_by",
            Kind::Many(&Kind::Text(&key::KEY_PART), one_to(MAX_PARTS)),
            "A key: each value of it gets its own turn in the queue, and at most its share of the places.",
        ),
    ],
};

/// `deadline` as a table.
pub static DEADLINE: Table = Table {
    name: "deadline",
    doc: "How long the origin may take.",
    fields: &[
        Field::new(
            "headers",
            Kind::Duration(Span::from_millis(1), Span::from_secs(86_400)),
            "From admission to the response headers.",
        ),
        Field::new(
            "total",
            Kind::Duration(Span::from_millis(1), Span::from_secs(86_400)),
            "From admission to the end of the response body, which is cut there. Of a WebSocket only the handshake is bounded.",
        ),
    ],
};

/// `respond`.
pub static RESPOND: Table = Table {
    name: "respond",
    doc: "Another shape for refusals by limits and slots.",
    fields: &[
        Field::new(
            "status",
            Kind::Whole(400, 599),
            "Instead of the usual status.",
        ),
        Field::new(
            "content_type",
            Kind::Text(&syntax::HEADER_VALUE),
            "Of \"body\". Default: \"text/plain; charset=utf-8\".",
        ),
        Field::new(
            "body",
            Kind::Text(&syntax::BODY),
            "Instead of the problem document.",
        ),
        Field::new(
            "headers",
            Kind::Map(
                &syntax::RESPONSE_HEADER,
                &Kind::Text(&syntax::HEADER_VALUE),
                32,
            ),
            "Further headers.",
        ),
    ],
};
