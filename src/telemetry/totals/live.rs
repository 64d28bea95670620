//! What the console and `status` show of the recent past.

use crate::json::{Node, json};
use crate::map::sort_by;
use crate::text;

use super::{COARSE, FINE, MINUTE, Rings, Totals};
use crate::telemetry::ring::Counts;
use crate::time::Timestamp;

/// Rows that the console is given, each.
pub(super) const SHOWN: usize = 25;
/// What keys are shown for.
const NAMED: [&str; 3] = ["refused", "shadow", "near"];
/// Steps within which a limit that failed still fails.
const FAILING: u64 = 6;

impl Totals {
    /// The limits whose counters could not be reached in the last half minute.
    #[must_use]
    pub fn failing(&self, now: Timestamp) -> Node {
        let failing = self.keys.iter().filter_map(|(name, ring)| {
            let mut parts = name.split('\t');
            let (rule, limit) = (parts.next()?, parts.next()?);
            let how = match parts.next()? {
                "failed_open" => "open",
                "failed_closed" => "closed",
                _ => return None,
            };
            let [requests, ..] = ring.sum(now, FAILING);
            let limit = text::join(&[rule, limit], ".");
            (requests > 0).then(|| json!({ "limit": limit, "how": how, "requests": requests }))
        });
        Node::List(failing.collect())
    }

    /// What the console shows.
    #[must_use]
    pub fn live(&self, now: Timestamp) -> Node {
        let rules = self.fine.iter().map(|(name, fine)| {
            let coarse = self.coarse.iter().find(|(known, _)| known == name);
            json!({
                "rule": name,
                "minute": fine.sum(now, MINUTE as u64),
                "fine": fine.all(now),
                "coarse": coarse.map(|(_, coarse)| coarse.all(now)),
            })
        });
        json!({
            "now": now.as_millis_ceil(),
            "fine_s": FINE.0,
            "coarse_s": COARSE.0,
            "rules": rules.collect::<Vec<_>>(),
            "networks": top(&self.networks, "", now, |parts, [passed, refused, ..]| json!({
                "rule": parts.first(), "asn": parts.get(1), "country": parts.get(2),
                "passed": passed, "refused": refused,
            })),
            "keys": NAMED.iter().flat_map(|what| top(&self.keys, what, now, |parts, [times, ..]| {
                json!({
                    "rule": parts.first(), "limit": parts.get(1), "what": what,
                    "key": parts.get(3), "asn": parts.get(4), "country": parts.get(5),
                    "object": parts.get(6), "ask": parts.get(7), "times": times,
                })
            })).collect::<Vec<_>>(),
            "failing": self.failing(now),
        })
    }
}

/// Refusals first, and what passed after them.
pub(super) fn weight([first, second, ..]: Counts) -> (u64, u64) {
    (second, first)
}

/// Those with the most of the last minute; `what` is their third part, or anything.
fn top(
    list: &Rings,
    what: &str,
    now: Timestamp,
    shown: impl Fn(&[&str], Counts) -> Node,
) -> Vec<Node> {
    let mut found: Vec<_> = list
        .iter()
        .filter(|(name, _)| what.is_empty() || name.split('\t').nth(2) == Some(what))
        .map(|(name, ring)| (ring.sum(now, MINUTE as u64), name))
        .filter(|(counts, _)| weight(*counts) > (0, 0))
        .collect();
    sort_by(&mut found, |one, other| {
        (weight(other.0), one.1) < (weight(one.0), other.1)
    });
    found
        .iter()
        .take(SHOWN)
        .map(|(counts, name)| shown(&name.split('\t').collect::<Vec<_>>(), *counts))
        .collect()
}
