//! What happened, for people: kept only while a failing seed is played again.

use std::collections::VecDeque;

/// The latest lines.
#[derive(Debug)]
pub struct Trace {
    lines: VecDeque<String>,
    most: usize,
}

impl Trace {
    /// Keeps so many lines.
    pub fn new(most: u64) -> Trace {
        Trace {
            lines: VecDeque::new(),
            most: usize::try_from(most).unwrap_or(usize::MAX),
        }
    }

    pub fn note(&mut self, now_us: u64, text: impl FnOnce() -> String) {
        if self.most == 0 {
            return;
        }
        if self.lines.len() >= self.most {
            self.lines.pop_front();
        }
        let at_ms = now_us as f64 / 1_000.0;
        self.lines
            .push_back(format!("{at_ms:>11.3} ms  {}", text()));
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}
