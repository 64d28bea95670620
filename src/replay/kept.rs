//! The requests of a log, kept so that another policy can be tried without reading it again.

use super::entry::Entry;

/// What one takes besides its text: the structure, and what the allocator adds to each string.
const EACH_BYTES: usize = 440;

/// Requests that were read, while they fit.
#[derive(Debug, Default)]
pub struct Kept {
    entries: Vec<Entry>,
    room: usize,
    whole: bool,
}

impl Kept {
    /// Nothing yet, with room for so many bytes.
    #[must_use]
    pub fn with_room_for(bytes: usize) -> Kept {
        Kept {
            entries: Vec::new(),
            room: bytes,
            whole: true,
        }
    }

    /// Keeps a request that was read from a line of so many bytes. Where there is no room, none is
    /// kept at all any more.
    pub fn push(&mut self, entry: Entry, line: usize) {
        if !self.whole {
            return;
        }
        let takes = line.saturating_add(EACH_BYTES);
        match self.room.checked_sub(takes) {
            Some(room) => {
                self.room = room;
                self.entries.push(entry);
            }
            None => {
                self.entries = Vec::new();
                self.whole = false;
            }
        }
    }

    /// True where nothing is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// At most `most` of them, from one on.
    #[must_use]
    pub fn part(&self, from: usize, most: usize) -> &[Entry] {
        let rest = self.entries.get(from..).unwrap_or_default();
        rest.get(..most).unwrap_or(rest)
    }
}
