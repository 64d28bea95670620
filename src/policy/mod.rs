//! What the operator wrote, checked: raw document in, [`Policy`] out, or every fault with its place.
//!
//! Nothing here knows a store or a clock. The checked types hold no strings that still have to be
//! parsed: evaluation at request time never re-parses.

use crate::limit::Algorithm;
use crate::time::Span;

/// A checked policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Which quota fields answers carry, in this order.
    pub headers: Vec<Dialect>,
    /// Bits of an IPv6 address that make a client (default 64).
    pub ipv6_prefix: u8,
    /// The header that holds the client's address, lower case (default `cf-connecting-ip`).
    pub client_ip_header: String,
    /// Policy-wide mode.
    pub mode: Mode,
    /// How long a counter is waited for (default 300 ms).
    pub counter_timeout: Span,
    /// How long a policy from KV is used before KV is asked again (default and least 30 s).
    pub policy_cache: Span,
    /// Number of shard objects for keys that a client can mint (default 64).
    pub shards: u32,
    /// Path prefix of Weir's own pages, without trailing slash (default `/_weir`).
    pub admin_path: String,
    /// The limit on CORS preflights, per address.
    pub preflight: Limit,
    /// Log keys in the clear (default false).
    pub log_key: bool,
    /// Where tiers come from, by index; limits refer to them.
    pub tiers: Vec<TierSource>,
    /// In the operator's order.
    pub rules: Vec<Rule>,
    /// 64 bits of a hash of the whole document, in hex: shown in status and metrics.
    pub fingerprint: String,
}

/// A dialect of the quota fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `RateLimit` and `RateLimit-Policy`, draft revisions 8 to 10.
    Draft8,
    /// `RateLimit-Limit`, `-Remaining`, `-Reset`.
    Draft6,
    /// `X-RateLimit-Limit`, `-Remaining`, `-Reset`.
    XRateLimit,
}

/// What a rule does with its verdicts. Ordered: the more careful one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The rule does not exist.
    Off,
    /// Counted, measured and logged, never refused.
    Shadow,
    /// Refused.
    Enforce,
}

/// One rule: requests that it is about, and the budget they share.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Unique; letters, digits, `-`, `_`.
    pub name: String,
    /// Which requests.
    pub matches: Matcher,
    /// Which of those are exempt.
    pub skip: Option<Matcher>,
    /// `limit` or `deny`.
    pub action: Action,
    /// What becomes of a refusal.
    pub mode: Mode,
    /// Show a shadow rule's limits in the quota fields.
    pub announce: bool,
    /// Share of keys for which an enforcing rule enforces.
    pub enforce_percent: u8,
    /// When a counter cannot be reached in time.
    pub on_error: OnError,
    /// Quotas.
    pub limits: Vec<Limit>,
    /// Slots.
    pub concurrency: Vec<Concurrency>,
    /// Bounds on the body.
    pub body: Option<Body>,
    /// Bounds on URL and headers.
    pub request: RequestBounds,
    /// Bounds on the origin's answer.
    pub deadline: Option<Deadline>,
    /// What a WebSocket under `concurrency` does.
    pub websocket: WebSocketSlot,
    /// Overrides for refusals.
    pub respond: Option<Respond>,
    /// Origins that may read a refusal.
    pub cors: Option<Cors>,
}

/// `action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Count and bound.
    Limit,
    /// Refuse with 403.
    Deny,
}

/// `on_error`. Ordered by strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnError {
    /// Let it pass.
    Allow,
    /// The same quota, kept per isolate until the counter answers.
    Local,
    /// 503.
    Deny,
}

/// `websocket`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSocketSlot {
    /// Relayed; its slot is held until it closes.
    Held,
    /// Passed natively; the slot is held for the handshake only.
    Handshake,
}

/// Conditions, all of which must hold. `None` and empty lists are no condition.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Any of these patterns, on the normalised path.
    pub paths: Option<Vec<crate::http::path::Pattern>>,
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

/// A pattern with `*` for any run of characters and `?` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(pub String);

/// One quota.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Unique within the rule.
    pub name: String,
    /// `rule.limit`: the policy name that headers, metrics and logs show.
    pub policy_name: String,
    /// What partitions the quota; empty: one counter for everybody.
    pub key: Vec<KeyPart>,
    /// How it is counted.
    pub algorithm: Algorithm,
    /// Numbers when no tier says otherwise; None where every tier must be named in `quotas`.
    pub quota: Numbers,
    /// What one request takes.
    pub cost: Cost,
    /// Keep the unit only when the response matches.
    pub count: Option<CountWhen>,
    /// The quota is on distinct values of this part.
    pub distinct: Option<KeyPart>,
    /// Refusal periods once exceeded, in order of escalation; empty: none.
    pub block: Vec<Span>,
    /// Most that is added to Retry-After.
    pub jitter: Span,
    /// Quota by plan.
    pub tier: Option<TierUse>,
    /// How often the counter is asked.
    pub precision: Precision,
    /// Where the counter lives.
    pub scope: Scope,
}

/// The numbers of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Units per window.
    pub quota: u64,
    /// The window.
    pub window: Span,
    /// Units at once (a bucket's capacity; else equal to `quota`).
    pub burst: u64,
}

/// `tier` and `quotas` of a limit.
#[derive(Clone, Debug)]
pub struct TierUse {
    /// Index into [`Policy::tiers`].
    pub source: usize,
    /// By tier name, sorted.
    pub quotas: Vec<(String, Numbers)>,
}

/// `[tiers.NAME]`.
#[derive(Clone, Debug)]
pub struct TierSource {
    /// The name.
    pub name: String,
    /// Whose value is looked up.
    pub key: KeyPart,
    /// Name of the KV binding; its keys are the lowercase hex SHA-256 of the value.
    pub kv: String,
    /// How long a look-up is used.
    pub cache: Span,
    /// The tier of unknown keys.
    pub default: String,
}

/// `cost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cost {
    /// So many units.
    Fixed(u64),
    /// The computed cost of the body.
    Body,
    /// Bytes of the request's body.
    Bytes,
    /// Bytes of the response's body; known afterwards.
    ResponseBytes,
    /// The whole number in a response header; known afterwards.
    ResponseHeader(String),
    /// Reserved before, settled to the true figure afterwards.
    Reserve {
        /// Units taken before.
        reserve: u64,
        /// Where the true figure is: `Fixed` and `Body` do not occur.
        settle: Box<Cost>,
    },
}

/// `count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountWhen {
    /// Any of these statuses.
    pub status: Vec<u16>,
}

/// `precision`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Every request asks the counter.
    Exact,
    /// Permits are taken in batches.
    Leased,
    /// Decided from what the isolate knows, counted behind.
    Optimistic,
}

/// `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One counter in the world.
    Global,
    /// One counter a continent.
    Region,
}

/// One part of a key: the first alternative with a value counts; with none, the client's address
/// in a namespace of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// In the order written: `a|b`.
    pub alternatives: Vec<KeySource>,
}

/// Where a key part's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The client's address, cut to its prefix.
    Ip,
    /// A cookie.
    Cookie(String),
    /// A header, lower case.
    Header(String),
    /// A query parameter.
    Query(String),
    /// A `:name` of the pattern that matched.
    Path(String),
    /// A field of the body: a top-level name in a form or JSON object, or a JSON Pointer.
    Body(String),
    /// The request's method.
    Method,
    /// The host, normalised.
    Host,
    /// The pattern that matched.
    Route,
    /// Autonomous system number.
    Asn,
    /// ISO 3166-1 alpha-2.
    Country,
    /// The data centre's IATA code.
    Colo,
    /// TLS fingerprint.
    Ja4,
}

/// One concurrency limit.
#[derive(Clone, Debug)]
pub struct Concurrency {
    /// Unique within the rule, limits included.
    pub name: String,
    /// `rule.name`.
    pub policy_name: String,
    /// Whose slots.
    pub key: Vec<KeyPart>,
    /// Slots.
    pub running: u32,
    /// Places to wait.
    pub waiting: u32,
    /// How long each may wait.
    pub max_wait: Span,
    /// 429 or 503.
    pub status: u16,
    /// What a refusal says.
    pub retry_after: Span,
    /// Whose turn it is among the waiting; empty: arrival order.
    pub fair_by: Vec<KeyPart>,
}

/// Bounds on the request's body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Most bytes.
    pub max_bytes: Option<u64>,
    /// Most bytes held back of an undeclared body before it streams.
    pub buffer: u64,
    /// Allowed media types, lower case essences.
    pub content_types: Option<Vec<String>>,
    /// How long a held body may take to arrive.
    pub timeout: Option<Span>,
    /// JSON bounds.
    pub json: Option<crate::body::JsonBounds>,
    /// GraphQL bounds.
    pub graphql: Option<crate::body::GraphqlBounds>,
}

/// Bounds on URL and headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestBounds {
    /// Most bytes of path and query: 414.
    pub max_url_bytes: Option<u64>,
    /// Most bytes of all header names and values: 431.
    pub max_header_bytes: Option<u64>,
}

/// `deadline`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// To the origin's response headers.
    pub headers: Option<Span>,
    /// To the end of the response body.
    pub total: Option<Span>,
}

/// `respond`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Respond {
    /// Status instead of the usual one.
    pub status: Option<u16>,
    /// Content-Type of `body`.
    pub content_type: Option<String>,
    /// Body instead of the problem document.
    pub body: Option<String>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
}

/// `cors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cors {
    /// `"*"`.
    Any,
    /// These origins.
    List(Vec<String>),
}
