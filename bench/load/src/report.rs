//! A measured window: what is read at its edges, and the JSON line that comes of it.

use crate::client::Seen;
use crate::proc::{self, Watched};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

/// The beginning of a window.
pub struct Window<'a> {
    watched: &'a [Watched],
    at: Instant,
    machine_us: u64,
    own_us: u64,
    cpu_us: Vec<u64>,
    rss_kib: Vec<u64>,
}

impl<'a> Window<'a> {
    pub fn open(watched: &'a [Watched]) -> Self {
        watched
            .iter()
            .for_each(|process| proc::forget_peak(process.pid));
        Window {
            watched,
            rss_kib: watched
                .iter()
                .map(|process| proc::memory_kib(process.pid, "VmRSS"))
                .collect(),
            machine_us: proc::machine_us(),
            own_us: proc::cpu_us(std::process::id()),
            cpu_us: watched
                .iter()
                .map(|process| proc::cpu_us(process.pid))
                .collect(),
            at: Instant::now(),
        }
    }

    /// Ends the window, while all threads that had a part in it are still there.
    pub fn close(&self) -> Costs {
        let seconds = self.at.elapsed().as_secs_f64();
        let mut text = String::new();
        let mut ours = proc::cpu_us(std::process::id()).saturating_sub(self.own_us);
        // A String takes whatever is written to it.
        let _ = write!(text, "\"own_us\":{ours},\"processes\":{{");
        for (at, process) in self.watched.iter().enumerate() {
            let cpu_us = proc::cpu_us(process.pid).saturating_sub(self.cpu_us[at]);
            ours += cpu_us;
            let _ = write!(
                text,
                "{}\"{}\":{{\"cpu_us\":{cpu_us},\"rss_before_kib\":{},\"rss_after_kib\":{},\"peak_kib\":{}}}",
                if at == 0 { "" } else { "," },
                process.name,
                self.rss_kib[at],
                proc::memory_kib(process.pid, "VmRSS"),
                proc::memory_kib(process.pid, "VmHWM"),
            );
        }
        let foreign_us = proc::machine_us()
            .saturating_sub(self.machine_us)
            .saturating_sub(ours);
        let _ = write!(text, "}},\"foreign_us\":{foreign_us}");
        Costs { seconds, text }
    }
}

/// What a window cost.
pub struct Costs {
    seconds: f64,
    text: String,
}

/// Prints everything as one line of JSON; `warm` was seen before the window.
pub fn print(costs: &Costs, warm: &[Seen], seen: &[Seen]) {
    let errors: u32 = seen.iter().map(|seen| seen.errors).sum();
    let answers: Vec<(u16, u32)> = seen
        .iter()
        .flat_map(|seen| &seen.answers)
        .copied()
        .collect();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    answers
        .iter()
        .for_each(|(status, _)| *statuses.entry(*status).or_default() += 1);
    let statuses: Vec<String> = statuses
        .iter()
        .map(|(status, count)| format!("\"{status}\":{count}"))
        .collect();
    let mut latencies: Vec<u32> = answers.iter().map(|(_, took)| *took).collect();
    latencies.sort_unstable();
    let share = |of: usize| {
        latencies
            .get((latencies.len() * of / 1000).min(latencies.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0)
    };
    println!(
        "{{\"warm_answered\":{},\"answered\":{},\"errors\":{errors},\"seconds\":{:.6},\"statuses\":{{{}}},\"latency_us\":{{\"p50\":{},\"p90\":{},\"p99\":{},\"max\":{}}},{}}}",
        warm.iter().map(|seen| seen.answers.len()).sum::<usize>(),
        answers.len(),
        costs.seconds,
        statuses.join(","),
        share(500),
        share(900),
        share(990),
        share(1000),
        costs.text
    );
}
