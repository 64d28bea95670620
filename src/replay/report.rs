//! What a replay found, in the form that is printed, serialised and drawn.

use serde::{Deserialize, Serialize};

/// Nano-dollars of one object call: 0.15 USD a million.
pub const CALL_NANO_USD: u64 = 150;
/// Nano-dollars of one row written: 1 USD a million.
pub const ROW_NANO_USD: u64 = 1_000;

/// Everything that a replay found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Fingerprint of the policy.
    pub policy: String,
    /// What was read.
    pub lines: LineCounts,
    /// When it happened.
    pub time: Option<TimeRange>,
    /// Requests.
    pub requests: u64,
    /// Of those, let through.
    pub passed: u64,
    /// Of those, turned away.
    pub refused: u64,
    /// Of those let through, how many a rule in shadow would have turned away.
    pub shadow: u64,
    /// Per limit and per rule that refuses without counting.
    pub rows: Vec<RowCounts>,
    /// Over time.
    pub timeline: TimelineReport,
    /// Who was hit.
    pub callers: CallerCounts,
    /// The networks (IPv4 /24, IPv6 /48) hit hardest.
    pub networks: Vec<Hit>,
    /// The clients (addresses, IPv6 by their prefix) hit hardest.
    pub clients: Vec<Hit>,
    /// The keys hit hardest, in the clear.
    pub keys: Vec<KeyHit>,
    /// What it would cost.
    pub cost: CostEstimate,
    /// What the figures do not include, in sentences.
    pub notes: Vec<String>,
}

/// Lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    /// All, empty ones and comments left out.
    pub read: u64,
    /// Those that are no request.
    pub unreadable: u64,
    /// The first of those.
    pub first_unreadable: Vec<BadLine>,
    /// Those whose time was earlier than one before; they counted at the later one.
    pub late: u64,
    /// The most that one was late, in seconds.
    pub most_late_s: u64,
}

/// A line that is no request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLine {
    /// The file.
    pub file: String,
    /// Its number there, from 1.
    pub line: u64,
    /// What it lacks.
    pub why: String,
}

/// From the first request to the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeRange {
    /// The first, `2000-10-10 20:55:36` UTC.
    pub from: String,
    /// The last.
    pub to: String,
    /// Between them.
    pub seconds: u64,
}

/// What one row refused. A request that several refuse counts in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// `rule.limit`, or the rule's name.
    pub name: String,
    /// `limit`, `deny`, or `bounds` (of URL, headers or body).
    pub kind: &'static str,
    /// Requests it was asked about.
    pub asked: u64,
    /// Of those, refused.
    pub refused: u64,
    /// Of those, would have been refused but for shadow.
    pub shadow: u64,
}

/// Counts in equal stretches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimelineReport {
    /// Seconds since the epoch at which the first begins.
    pub start_s: u64,
    /// Seconds of each.
    pub width_s: u64,
    /// Requests in each.
    pub requests: Vec<u64>,
    /// Refused in each.
    pub refused: Vec<u64>,
    /// Would have been refused in each.
    pub shadow: Vec<u64>,
    /// Per row that refused anything, refused or would have in each.
    pub rows: Vec<RowLine>,
}

/// One row over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowLine {
    /// Its name.
    pub name: String,
    /// Refused in each stretch, or would have been.
    pub counts: Vec<u64>,
}

/// How many callers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallerCounts {
    /// Distinct clients.
    pub seen: u64,
    /// Of those, refused at least once.
    pub refused: u64,
    /// Of those, let through more often than refused: whom a limit brushes.
    pub refused_seldom: u64,
    /// Clients that a rule in shadow would have refused at least once.
    pub shadow: u64,
    /// There were too many to count one by one: the figures are too low.
    pub at_least: bool,
}

/// One network or client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// Its address.
    pub name: String,
    /// Its requests refused.
    pub refused: u64,
    /// Those that would have been.
    pub shadow: u64,
    /// Its requests let through.
    pub passed: u64,
}

/// One key of one limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyHit {
    /// `rule.limit`.
    pub limit: String,
    /// The key's values.
    pub key: String,
    /// Requests refused under it, or that would have been.
    pub refused: u64,
}

/// What the platform would charge for counting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CostEstimate {
    /// Calls of counter objects: with one isolate's memory of refusals, without leases.
    pub object_calls: u64,
    /// Rows written to their storage, alarms among them.
    pub rows_written: u64,
    /// Both together, in US dollars.
    pub usd: String,
}

impl CostEstimate {
    /// At 0.15 USD a million calls and 1 USD a million rows.
    #[must_use]
    pub fn new(object_calls: u64, rows_written: u64) -> CostEstimate {
        let nano = object_calls
            .saturating_mul(CALL_NANO_USD)
            .saturating_add(rows_written.saturating_mul(ROW_NANO_USD));
        CostEstimate {
            object_calls,
            rows_written,
            usd: format!("{}.{:06}", nano / 1_000_000_000, nano / 1_000 % 1_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_of_each() {
        assert_eq!(CostEstimate::new(1_000_000, 1_000_000).usd, "1.150000");
        assert_eq!(CostEstimate::new(7, 0).usd, "0.000001");
        assert_eq!(
            CostEstimate::new(u64::MAX, u64::MAX).usd,
            "18446744073.709551"
        );
    }
}
