//! What processes cost, as Linux tells it under /proc.

use std::fs;

/// A process that is watched.
pub struct Watched {
    pub name: String,
    pub pid: u32,
}

impl Watched {
    /// Reads `NAME:PID`.
    pub fn read(text: &str) -> Result<Watched, String> {
        let parts = text
            .split_once(':')
            .and_then(|(name, pid)| Some((name.to_owned(), pid.parse().ok()?)));
        let (name, pid) = parts.ok_or_else(|| format!("--watch wants NAME:PID, not \"{text}\""))?;
        Ok(Watched { name, pid })
    }
}

/// CPU time that all threads of a process have had so far, in microseconds.
pub fn cpu_us(pid: u32) -> u64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return 0;
    };
    threads
        .flatten()
        .map(|thread| thread_ns(&thread.path()) / 1000)
        .sum()
}

/// The scheduler counts in nanoseconds; where it does not, ticks have to do.
fn thread_ns(thread: &std::path::Path) -> u64 {
    let scheduled = fs::read_to_string(thread.join("schedstat")).ok();
    if let Some(ns) = scheduled.and_then(|text| text.split(' ').next()?.parse().ok()) {
        return ns;
    }
    let stat = fs::read_to_string(thread.join("stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    ticks * 10_000_000
}

/// A line of /proc/PID/status that counts in KiB.
pub fn memory_kib(pid: u32, line: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let value = status.lines().find_map(|text| text.strip_prefix(line));
    value
        .and_then(|text| {
            text.trim_start_matches(':')
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        })
        .unwrap_or(0)
}

/// From now on the peak of the memory is counted anew, where the kernel lets us.
pub fn forget_peak(pid: u32) {
    let _ = fs::write(format!("/proc/{pid}/clear_refs"), "5");
}

/// CPU time that the machine has spent on anything so far, in microseconds over all cores.
pub fn machine_us() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .filter_map(|field| field.parse().ok())
        .collect();
    let busy: u64 = ticks
        .iter()
        .take(8)
        .enumerate()
        .filter(|(at, _)| !matches!(at, 3 | 4))
        .map(|(_, ticks)| ticks)
        .sum();
    busy * 10_000
}
