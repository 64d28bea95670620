//! One rule, checked.

use super::Mode;
use super::key::KeyPart;
use super::limit::Limit;
use super::matcher::Matcher;
use crate::time::Span;

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
