//! Counters that are written together, in one row.
//!
//! What storage costs is rows, not bytes, so the counters of an object that are due together share a
//! row: a page. A page is never added to in storage. What is due is written into the page that has
//! the least left in it, together with what is left; a new page is made only where every page is
//! half full. So there are at most twice as many as what is stored fills.
//!
//! A counter may be in several pages: the one that was written last is right. Another one counts
//! again should the last one be overwritten, so that does not happen before both are void.
//! Counters that must be stored before their answer (`exact`, and the start of a block) have a row
//! of their own from then on, and so have those that are too long. Such a row is newer than any page.

use super::counter::Counter;
use super::page;
use super::row;
use super::shelf::Shelf;
use super::store::{Store, Urgency};
use crate::time::Timestamp;
use crate::wire::CounterKey;

/// Bytes of the longest page.
const PAGE_BYTES: usize = 32_768;

/// What is written together, at most: with as much that is left over it fills a page.
const BATCH_BYTES: usize = PAGE_BYTES / 2;

/// A longer row is on its own.
const LONGEST_ENTRY: usize = 4_096;

/// The page of a counter that has a row of its own.
const OWN: u32 = u32::MAX;

/// A counter as it is in storage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// When its latest row is void.
    pub void_at: Timestamp,
    /// When the rows before it in other pages are void.
    before_void_at: Timestamp,
    page: u32,
    bytes: usize,
}

impl Kept {
    /// In a row of its own.
    pub fn alone(void_at: Timestamp) -> Kept {
        Kept {
            void_at,
            before_void_at: Timestamp::ZERO,
            page: OWN,
            bytes: 0,
        }
    }

    /// In a page, with a row of this length: nothing where the counter has been forgotten.
    pub fn within(page: u32, void_at: Timestamp, length: usize) -> Kept {
        Kept {
            page,
            bytes: length.saturating_add(page::OVERHEAD),
            ..Kept::alone(void_at)
        }
    }

    /// There is another row of it, older than this one, in a page.
    pub fn follows(&mut self, void_at: Timestamp) {
        self.before_void_at = self.before_void_at.max(void_at);
    }

    /// It takes the place of another one.
    pub fn replaces(&mut self, before: &Kept) {
        self.follows(before.before_void_at);
        if before.page != self.page {
            self.follows(before.void_at);
        }
    }

    pub fn is_alone(&self) -> bool {
        self.page == OWN
    }

    pub fn may_go(&self, now: Timestamp) -> bool {
        self.void_at.max(self.before_void_at) <= now
    }
}

/// A row that is to be written.
#[derive(Debug)]
struct Pending {
    key: CounterKey,
    void_at: Timestamp,
    row: Vec<u8>,
    before: Option<Kept>,
}

/// Rows that are written together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    rows: Vec<Pending>,
    bytes: usize,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.bytes.saturating_add(LONGEST_ENTRY) > BATCH_BYTES
    }

    pub fn keys(&self) -> impl Iterator<Item = CounterKey> {
        self.rows.iter().map(|row| row.key)
    }

    fn push(&mut self, key: CounterKey, void_at: Timestamp, row: Vec<u8>) {
        let length = row.len().saturating_add(page::OVERHEAD);
        self.bytes = self.bytes.saturating_add(length);
        self.rows.push(Pending {
            key,
            void_at,
            row,
            before: None,
        });
    }
}

impl<S: Store> Shelf<S> {
    /// Writes a counter's row if that matters, or has it written with the batch.
    pub fn collect(
        &mut self,
        key: CounterKey,
        counter: &mut Counter,
        now: Timestamp,
        batch: &mut Batch,
    ) {
        let Some((void_at, bytes)) = self.row_of(key, counter, now, Urgency::Behind) else {
            return;
        };
        let alone = self.kept(key).is_some_and(|kept| kept.is_alone());
        if alone || bytes.len() > LONGEST_ENTRY.saturating_sub(page::OVERHEAD) {
            self.put_alone(key, counter, now, Urgency::Behind, (void_at, &bytes));
            return;
        }
        batch.push(key, void_at, bytes);
        counter.unsaved = 0;
        counter.saved_at = now;
        counter.restate = false;
    }

    /// Writes a batch into a page. False where that failed: nothing has changed.
    pub fn write(&mut self, batch: &mut Batch, now: Timestamp) -> bool {
        for row in &mut batch.rows {
            row.before = self.rows.remove(&row.key);
        }
        for key in self.keys(&|kept| !kept.is_alone() && kept.may_go(now)) {
            self.rows.remove(&key);
        }
        let (number, mut page) = self.page_for(batch.bytes);
        for row in &batch.rows {
            page::push(&mut page, row.key, &row.row);
        }
        let done = self.put(&page::page_key(number), &page);
        if done {
            self.sequence = self.sequence.saturating_add(1);
            self.pages = self.pages.max(number.saturating_add(1));
        }
        for row in &batch.rows {
            let mut kept = Kept::within(number, row.void_at, row.row.len());
            match row.before {
                Some(before) if done => kept.replaces(&before),
                Some(before) => kept = before,
                None if done => {}
                None => continue,
            }
            self.rows.insert(row.key, kept);
        }
        done
    }

    /// Removes a counter from storage. True where it was in there and still counted.
    pub fn forget(&mut self, key: CounterKey, now: Timestamp) -> bool {
        let Some(void_at) = self.kept(key).map(|kept| kept.void_at) else {
            return false;
        };
        let mut batch = Batch::default();
        self.strike(key, now, &mut batch);
        if !batch.is_empty() {
            self.write(&mut batch, now);
        }
        void_at > now
    }

    /// Has a counter removed from storage with the batch, so that nothing older of it counts again.
    pub fn strike(&mut self, key: CounterKey, now: Timestamp, batch: &mut Batch) {
        let Some(kept) = self.kept(key).copied() else {
            return;
        };
        if !kept.is_alone() {
            batch.push(key, Timestamp::ZERO, Vec::new());
        } else if self.delete(&row::row_key(key)) {
            if kept.before_void_at <= now {
                self.rows.remove(&key);
            } else {
                batch.push(key, Timestamp::ZERO, Vec::new());
            }
        }
    }

    /// The page to write so many bytes into, with what is left in it.
    fn page_for(&mut self, bytes: usize) -> (u32, Vec<u8>) {
        let mut page = page::start(self.sequence);
        let (number, left) = self.emptiest();
        if left == 0 {
            return (number, page);
        }
        if left.saturating_add(bytes) <= PAGE_BYTES {
            let old = self.store.get(&page::page_key(number));
            if let Some(Some(old)) = self.counted(old)
                && let Some((_, mut rest)) = page::read(&old)
            {
                while let Some((key, row)) = page::next(&mut rest) {
                    if self.kept(key).is_some_and(|kept| kept.page == number) {
                        page::push(&mut page, key, row);
                    }
                }
                return (number, page);
            }
        }
        (self.pages, page)
    }

    /// The page with the least left in it, and how many bytes that is.
    fn emptiest(&self) -> (u32, usize) {
        let mut left = vec![0_usize; usize::try_from(self.pages).unwrap_or(0)];
        for kept in self.rows.values() {
            let page = usize::try_from(kept.page).unwrap_or(usize::MAX);
            if let Some(bytes) = left.get_mut(page) {
                *bytes = bytes.saturating_add(kept.bytes);
            }
        }
        let (mut best, mut number) = ((self.pages, usize::MAX), 0);
        for bytes in left {
            if bytes < best.1 {
                best = (number, bytes);
            }
            number = number.saturating_add(1);
        }
        if best.0 == self.pages {
            (self.pages, 0)
        } else {
            best
        }
    }

    /// The counters that are in the row with this key.
    pub fn in_row(&self, row_key: &str) -> Vec<CounterKey> {
        match page::number(row_key) {
            Some(number) => self.keys(&|kept| kept.page == number),
            None => row::counter_key(row_key).into_iter().collect(),
        }
    }

    /// The stored counters of which this holds.
    pub fn keys(&self, which: &dyn Fn(&Kept) -> bool) -> Vec<CounterKey> {
        let mut keys = Vec::new();
        for (key, kept) in self.rows.iter() {
            if which(kept) {
                keys.push(key);
            }
        }
        keys
    }

    /// The bytes of a counter's latest row.
    pub fn stored(&mut self, key: CounterKey) -> Option<Vec<u8>> {
        let kept = *self.kept(key)?;
        if kept.is_alone() {
            let bytes = self.store.get(&row::row_key(key));
            return self.counted(bytes)?;
        }
        let page = self.store.get(&page::page_key(kept.page));
        let page = self.counted(page)??;
        let (_, mut rest) = page::read(&page)?;
        loop {
            let (other, row) = page::next(&mut rest)?;
            if other == key {
                return Some(row.to_vec());
            }
        }
    }
}
