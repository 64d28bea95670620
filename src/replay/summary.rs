//! From a replay under way to its report.

use super::Replay;
use super::hits::{Hits, Table};
use super::report::{
    CallerCounts, CostEstimate, Hit, KeyHit, Report, RowCounts, RowLine, TimeRange, TimelineReport,
};
use super::rows::{Kind, Row};
use super::when;
use crate::http::address::Network;

/// Networks, clients and keys that are named.
const NAMED: usize = 20;

/// An empty row.
pub fn row(row: &Row) -> RowCounts {
    RowCounts {
        name: row.name.clone(),
        kind: match row.kind {
            Kind::Limit(_) => "limit",
            Kind::Deny => "deny",
            Kind::Bounds => "bounds",
        },
        ..RowCounts::default()
    }
}

impl Replay {
    /// What has been found so far. The last line counts once it is over ([`Replay::end`]).
    #[must_use]
    pub fn report(&self) -> Report {
        let seconds = |at: crate::time::Timestamp| at.as_micros() / 1_000_000;
        let rows_written = self.judge.rows_written();
        // A rule that refuses nothing without counting has no row, and neither have preflights
        // where there were none.
        let rows = self.rows.iter().filter(|row| {
            row.asked > 0 || row.kind == "deny" || (row.kind == "limit" && row.name != "preflight")
        });
        Report {
            policy: self.judge.policy().fingerprint.clone(),
            lines: self.counts.clone(),
            time: self.first.map(|first| TimeRange {
                from: when::show(seconds(first)),
                to: when::show(seconds(self.now)),
                seconds: seconds(self.now).saturating_sub(seconds(first)),
            }),
            requests: self.requests,
            passed: self.requests.saturating_sub(self.refused),
            refused: self.refused,
            shadow: self.shadow,
            rows: rows.cloned().collect(),
            timeline: self.over_time(),
            callers: self.callers(),
            networks: named(&self.networks),
            clients: named(&self.clients),
            keys: self.keys_hit(),
            cost: CostEstimate::new(self.judge.calls(), rows_written),
            notes: self.told(),
        }
    }

    fn told(&self) -> Vec<String> {
        let mut told = self.notes.told();
        if self.judge.forgot() {
            told.push(
                "more counters were live at once than fit here: some were forgotten early, and what they would have refused passed"
                    .to_owned(),
            );
        }
        told
    }

    fn over_time(&self) -> TimelineReport {
        let line = &self.timeline;
        let stretches = || line.stretches.iter();
        let hit = |(refused, shadow): (u64, u64)| refused.saturating_add(shadow);
        let mut rows = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if row.refused > 0 || row.shadow > 0 {
                rows.push(RowLine {
                    name: row.name.clone(),
                    counts: stretches()
                        .map(|stretch| stretch.rows.get(index).copied().map_or(0, hit))
                        .collect(),
                });
            }
        }
        TimelineReport {
            start_s: line.start_s(),
            width_s: line.width_s,
            requests: stretches().map(|stretch| stretch.requests).collect(),
            refused: stretches().map(|stretch| stretch.refused).collect(),
            shadow: stretches().map(|stretch| stretch.shadow).collect(),
            rows,
        }
    }

    fn callers(&self) -> CallerCounts {
        let count = |which: fn(&Hits) -> bool| {
            let all = self.clients.all().filter(|(_, hits)| which(hits)).count();
            u64::try_from(all).unwrap_or(u64::MAX)
        };
        CallerCounts {
            seen: count(|_| true),
            refused: count(|hits| hits.refused > 0),
            refused_seldom: count(|hits| hits.refused > 0 && hits.passed > hits.refused),
            shadow: count(|hits| hits.shadow > 0),
            at_least: self.clients.forgot,
        }
    }

    fn keys_hit(&self) -> Vec<KeyHit> {
        let top = self.keys.top(NAMED);
        top.into_iter()
            .map(|((row, key), hits)| KeyHit {
                limit: self
                    .rows
                    .get(*row)
                    .map_or_else(String::new, |row| row.name.clone()),
                key: key.clone(),
                refused: hits.refused.saturating_add(hits.shadow),
            })
            .collect()
    }
}

fn named(table: &Table<Network>) -> Vec<Hit> {
    let top = table.top(NAMED);
    top.into_iter()
        .map(|(network, hits)| Hit {
            name: network.to_string(),
            refused: hits.refused,
            shadow: hits.shadow,
            passed: hits.passed,
        })
        .collect()
}
