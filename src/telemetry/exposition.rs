//! Prometheus' text format (version 0.0.4).

use crate::map::Sorted;
use std::fmt::Write as _;

/// Upper bounds of `weir_remaining`.
pub const REMAINING: [u64; 7] = [0, 1, 5, 10, 25, 50, 100];
/// Upper bounds of `weir_decision_seconds`, in milliseconds: the platform's clock has no finer.
pub const DECISION_MS: [u64; 9] = [0, 1, 2, 5, 10, 25, 50, 100, 300];

/// A family of series: name, help, and for a histogram its bounds as text.
struct Family {
    name: &'static str,
    help: &'static str,
    bounds: &'static [&'static str],
    /// Decimal places of a histogram's sum.
    places: usize,
}

const FAMILIES: [Family; 10] = [
    counter(
        "weir_near_limit_total",
        "Requests with which a key crossed 80 % of its quota.",
    ),
    counter("weir_object_calls_total", "Calls to counter objects."),
    counter(
        "weir_object_retries_total",
        "Questions asked once more: the object had failed, or its refusal was not final.",
    ),
    counter(
        "weir_refusals_by_network_total",
        "Refused requests by network.",
    ),
    counter("weir_requests_total", "Requests by what became of them."),
    counter(
        "weir_rows_written_total",
        "Rows that counter objects wrote to storage.",
    ),
    counter(
        "weir_storage_faults_total",
        "Times that the storage of a counter object failed.",
    ),
    counter(
        "weir_telemetry_lost_total",
        "Series or reports that found no room.",
    ),
    Family {
        name: "weir_decision_seconds",
        help: "Time that deciding took, by what decided.",
        bounds: &[
            "0", "0.001", "0.002", "0.005", "0.01", "0.025", "0.05", "0.1", "0.3",
        ],
        places: 3,
    },
    Family {
        name: "weir_remaining",
        help: "What was left to the caller after each request.",
        bounds: &["0", "1", "5", "10", "25", "50", "100"],
        places: 0,
    },
];

const fn counter(name: &'static str, help: &'static str) -> Family {
    Family {
        name,
        help,
        bounds: &[],
        places: 0,
    }
}

/// Writes all series, family by family. A key is `family{labels}`; a counter has one value, a
/// histogram one per bound, one beyond them, and the sum.
pub fn render(series: &Sorted<String, Vec<u64>>) -> String {
    let mut out = String::new();
    for family in &FAMILIES {
        let start = format!("{}{{", family.name);
        let members = series.iter().filter(|(key, _)| key.starts_with(&start));
        let kind = if family.bounds.is_empty() {
            "counter"
        } else {
            "histogram"
        };
        let mut first = true;
        for (key, values) in members {
            if std::mem::take(&mut first) {
                head(&mut out, family.name, kind, family.help);
            }
            let labels = key
                .strip_prefix(&start)
                .unwrap_or_default()
                .trim_end_matches('}');
            match family.bounds {
                [] => sample(
                    &mut out,
                    family.name,
                    labels,
                    values.first().copied().unwrap_or(0),
                ),
                _ => histogram(&mut out, family, labels, values),
            }
        }
    }
    out
}

fn histogram(out: &mut String, family: &Family, labels: &str, values: &[u64]) {
    let name = family.name;
    let comma = if labels.is_empty() { "" } else { "," };
    let mut count = 0_u64;
    let bounds = family.bounds.iter().copied().chain(["+Inf"]);
    for (bound, value) in bounds.zip(values) {
        count = count.saturating_add(*value);
        let labels = format!("{labels}{comma}le=\"{bound}\"");
        sample(out, &format!("{name}_bucket"), &labels, count);
    }
    let sum = values.last().copied().unwrap_or(0).to_string();
    let sum = match family.places {
        0 => sum,
        places => {
            let padded = format!("{sum:0>width$}", width = places.saturating_add(1));
            let (whole, rest) = padded.split_at(padded.len().saturating_sub(places));
            format!("{whole}.{rest}")
        }
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{name}_sum{{{labels}}} {sum}");
    sample(out, &format!("{name}_count"), labels, count);
}

/// Writes one sample.
pub fn sample(out: &mut String, name: &str, labels: &str, value: u64) {
    let _ = match labels {
        "" => writeln!(out, "{name} {value}"),
        _ => writeln!(out, "{name}{{{labels}}} {value}"),
    };
}

/// Writes the head of a gauge.
pub fn gauge(out: &mut String, name: &str, help: &str) {
    head(out, name, "gauge", help);
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}
