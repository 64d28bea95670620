//! From the text of logs to blocks of requests, which a [`Replay`](super::Replay) takes.

use std::borrow::Cow;

use super::entry::{Entry, Unreadable};
use super::lines::Lines;
use super::pack::Packer;
use super::report::{BadLine, LineCounts};
use super::when::Moments;

/// Unreadable lines that are told one by one.
const BAD_LINES_TOLD: usize = 10;

/// Reads logs.
#[derive(Debug, Default)]
pub struct Reader {
    lines: Lines,
    rest: Rest,
}

#[derive(Debug, Default)]
struct Rest {
    file: String,
    line: u64,
    counts: LineCounts,
    moments: Moments,
    packer: Packer,
    full: Vec<Vec<u8>>,
}

impl Reader {
    /// Begins a file: the last one's last line is over, and lines are numbered anew.
    pub fn begin(&mut self, file: &str) {
        self.end();
        file.clone_into(&mut self.rest.file);
        self.rest.line = 0;
    }

    /// Takes a piece of the log, cut wherever; `each` gets the blocks that are full.
    pub fn feed(&mut self, piece: &[u8], each: impl FnMut(Vec<u8>)) {
        let rest = &mut self.rest;
        self.lines.feed(piece, |line| rest.line(line));
        rest.full.drain(..).for_each(each);
    }

    /// Takes what was fed last as a whole line, even without an end.
    pub fn end(&mut self) {
        let rest = &mut self.rest;
        self.lines.finish(|line| rest.line(line));
    }

    /// The last block, full or not.
    pub fn last(&mut self) -> Vec<u8> {
        self.rest
            .full
            .pop()
            .unwrap_or_else(|| self.rest.packer.take())
    }

    /// What became of the lines so far.
    #[must_use]
    pub fn counts(&self) -> &LineCounts {
        &self.rest.counts
    }
}

impl Rest {
    fn line(&mut self, line: Option<&[u8]>) {
        self.line = self.line.saturating_add(1);
        let text = line.map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        });
        let text = text.as_deref().map(bare);
        if text.is_some_and(|text| text.is_empty() || text.starts_with('#')) {
            return;
        }
        self.counts.read = self.counts.read.saturating_add(1);
        let read = text.ok_or(Unreadable::TooLong);
        match read.and_then(|text| Entry::read(text, &mut self.moments)) {
            Ok(entry) => {
                if self.packer.push(&entry) {
                    self.full.push(self.packer.take());
                }
            }
            Err(why) => self.unreadable(why),
        }
    }

    fn unreadable(&mut self, why: Unreadable) {
        self.counts.unreadable = self.counts.unreadable.saturating_add(1);
        if self.counts.first_unreadable.len() < BAD_LINES_TOLD {
            self.counts.first_unreadable.push(BadLine {
                file: self.file.clone(),
                line: self.line,
                why: why.to_string(),
            });
        }
    }
}

/// Without a byte order mark and space at the ends.
fn bare(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}
