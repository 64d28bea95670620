//! Rules.

use super::key::{self, Around};
use super::{Names, limit, matching, mode};
use crate::policy::fault::{Faults, Wrong};
use crate::policy::limit::TierSource;
use crate::policy::reader::Reader;
use crate::policy::rule::{
    Action, Concurrency, Cors, Deadline, OnError, RequestBounds, Respond, Rule, WebSocketSlot,
};
use crate::policy::syntax;
use crate::time::Span;

/// One entry of `rules`.
pub fn rule(reader: &Reader<'_>, tiers: &[TierSource], faults: &mut Faults) -> Rule {
    let name = reader.field("name").text().unwrap_or_default();
    let around = Around::of(reader);
    let mut names = Names::default();
    for list in ["limits", "concurrency"] {
        for entry in reader.field(list).items() {
            if let Some(name) = entry.field("name").text() {
                names.claim(name, &entry.field("name").at, faults);
            }
        }
    }
    let limits = reader.field("limits").items();
    let limits = limits
        .iter()
        .map(|entry| limit::limit(entry, name, &around, tiers, faults));
    let limits = limits.collect();
    let slots = reader.field("concurrency").items();
    let slots = slots
        .iter()
        .map(|entry| concurrency(entry, name, &around, faults));
    let slots = slots.collect();
    Rule {
        name: name.to_owned(),
        matches: matching::matcher(&reader.field("match"), faults),
        skip: matching::exception(&reader.field("skip"), faults),
        action: action(reader, faults),
        mode: mode(&reader.field("mode")),
        announce: reader.field("announce").flag().unwrap_or(false),
        enforce_percent: reader.field("enforce_percent").whole(1).unwrap_or(100),
        on_error: match reader.field("on_error").text() {
            Some("allow") => OnError::Allow,
            Some("deny") => OnError::Deny,
            _ => OnError::Local,
        },
        limits,
        concurrency: slots,
        body: super::body::body(&reader.field("body"), faults),
        request: RequestBounds {
            max_url_bytes: reader.field("max_url_bytes").size(),
            max_header_bytes: reader.field("max_header_bytes").size(),
        },
        deadline: deadline(&reader.field("deadline"), faults),
        websocket: match reader.field("websocket").text() {
            Some("handshake") => WebSocketSlot::Handshake,
            _ => WebSocketSlot::Held,
        },
        respond: respond(&reader.field("respond"), faults),
        cors: cors(&reader.field("cors")),
    }
}

fn action(reader: &Reader<'_>, faults: &mut Faults) -> Action {
    let written = reader.field("action");
    match written.text() {
        Some("deny") => {
            for field in ["limits", "concurrency", "body", "deadline"] {
                let other = reader.field(field);
                if other.is_given() && !other.items().is_empty() {
                    let found = format!("\"{field}\" in a rule that denies every request");
                    let expected = "leave it out, or write action = \"limit\"";
                    faults.add(&other.at, Wrong::new(found, expected));
                }
            }
            Action::Deny
        }
        _ => Action::Limit,
    }
}

fn concurrency(
    reader: &Reader<'_>,
    rule: &str,
    around: &Around,
    faults: &mut Faults,
) -> Concurrency {
    let name = reader.field("name").text().unwrap_or_default();
    let status = reader.field("status");
    let waiting = reader.field("waiting").whole(0).unwrap_or(0);
    if let Some(written) = status.whole::<u16>(1)
        && !matches!(written, 429 | 503)
    {
        let found = format!("{written} is neither 429 nor 503");
        let expected = "write 429 (too many from this client) or 503 (too busy)";
        faults.add(&status.at, Wrong::new(found, expected));
    }
    Concurrency {
        name: name.to_owned(),
        policy_name: format!("{rule}.{name}"),
        key: key::key(&reader.field("key"), around, faults),
        running: reader.field("running").whole(1).unwrap_or(1),
        waiting,
        max_wait: reader
            .field("max_wait")
            .duration()
            .unwrap_or(Span::from_secs(10)),
        status: status.whole(1).unwrap_or(429),
        retry_after: reader
            .field("retry_after")
            .duration()
            .unwrap_or(Span::from_secs(1)),
        fair_by: key::key(&reader.field("fair_by"), around, faults),
    }
}

fn deadline(reader: &Reader<'_>, faults: &mut Faults) -> Option<Deadline> {
    reader.node?;
    if reader.text().is_some() {
        return Some(Deadline {
            headers: reader.duration(),
            total: None,
        });
    }
    let deadline = Deadline {
        headers: reader.field("headers").duration(),
        total: reader.field("total").duration(),
    };
    if reader.is_empty_table() {
        let expected = "write a duration, or \"headers\" and \"total\"";
        faults.add(&reader.at, Wrong::new("an empty table", expected));
    }
    if let (Some(headers), Some(total)) = (deadline.headers, deadline.total)
        && total < headers
    {
        let found = "a shorter time than for the headers alone";
        faults.add(
            &reader.field("total").at,
            Wrong::new(found, "write at least as much"),
        );
    }
    Some(deadline)
}

fn respond(reader: &Reader<'_>, faults: &mut Faults) -> Option<Respond> {
    reader.node?;
    let kind = reader.field("content_type");
    if kind.is_given() && !reader.field("body").is_given() {
        let found = "a content type without a body of its own";
        faults.add(
            &kind.at,
            Wrong::new(found, "write \"body\" too, or leave it out"),
        );
    }
    let header = |(name, value): (&str, Reader<'_>)| {
        Some((name.to_ascii_lowercase(), value.text()?.to_owned()))
    };
    Some(Respond {
        status: reader.field("status").whole(1),
        content_type: kind.text().map(str::to_owned),
        body: reader.field("body").text().map(str::to_owned),
        headers: reader
            .field("headers")
            .entries()
            .into_iter()
            .filter_map(header)
            .collect(),
    })
}

fn cors(reader: &Reader<'_>) -> Option<Cors> {
    let list = reader.texts(syntax::origin)?;
    Some(if list.iter().any(|origin| origin == "*") {
        Cors::Any
    } else {
        Cors::List(list)
    })
}
