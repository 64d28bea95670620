//! The requests of a log, kept so that another policy can be tried without reading it again.

/// Blocks of requests that were read, while they fit.
#[derive(Debug, Default)]
pub struct Kept {
    blocks: Vec<Vec<u8>>,
    room: usize,
    whole: bool,
}

impl Kept {
    /// Nothing yet, with room for so many bytes.
    #[must_use]
    pub fn with_room_for(bytes: usize) -> Kept {
        Kept {
            blocks: Vec::new(),
            room: bytes,
            whole: true,
        }
    }

    /// Keeps a block. Where there is no room, none is kept at all any more.
    pub fn push(&mut self, block: Vec<u8>) {
        if !self.whole {
            return;
        }
        match self.room.checked_sub(block.capacity()) {
            Some(room) => {
                self.room = room;
                self.blocks.push(block);
            }
            None => {
                self.blocks = Vec::new();
                self.whole = false;
            }
        }
    }

    /// True where nothing is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// How many blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// One of them.
    #[must_use]
    pub fn block(&self, number: usize) -> Option<&[u8]> {
        self.blocks.get(number).map(Vec::as_slice)
    }
}
