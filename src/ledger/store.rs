//! What the ledger needs of storage: a map from short text to bytes, synchronous.

use std::collections::BTreeMap;

/// Storage did not do what it was asked. The ledger counts these, tries again later, and decides
/// from memory meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("storage failed")]
pub struct StoreFault;

/// Whether an answer has to wait until a row is really stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// No answer may leave the object before the row is stored (the platform's output gate).
    BeforeAnswer,
    /// Answers do not wait (`allowUnconfirmed`).
    Behind,
}

/// The rows of one object. Keys are at most 32 characters of the alphabet `A-Za-z0-9-_.`.
pub trait Store {
    /// Every row. Called once, before anything else.
    ///
    /// # Errors
    /// When storage cannot be read: the ledger then starts empty.
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault>;

    /// One row; None where there is none.
    ///
    /// # Errors
    /// When storage cannot be read.
    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreFault>;

    /// Writes one row, in place of an earlier one with this key.
    ///
    /// # Errors
    /// When it is not written.
    fn put(&mut self, key: &str, bytes: &[u8], urgency: Urgency) -> Result<(), StoreFault>;

    /// Removes one row; no fault where there is none.
    ///
    /// # Errors
    /// When it is not removed.
    fn delete(&mut self, key: &str) -> Result<(), StoreFault>;

    /// Removes every row, so that the object costs nothing any more. Repeatable.
    ///
    /// # Errors
    /// When something may be left.
    fn delete_all(&mut self) -> Result<(), StoreFault>;
}

/// Rows in memory, for tests and simulations; clone it to see what a restart would find.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    /// The rows.
    pub rows: BTreeMap<String, Vec<u8>>,
    /// While true, everything fails.
    pub broken: bool,
    /// Rows written with [`Urgency::BeforeAnswer`] so far.
    pub urgent_writes: u64,
    /// Calls of `delete_all` so far.
    pub wipes: u64,
}

impl MemoryStore {
    fn work(&self) -> Result<(), StoreFault> {
        if self.broken { Err(StoreFault) } else { Ok(()) }
    }
}

impl Store for MemoryStore {
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        self.work()?;
        Ok(self
            .rows
            .iter()
            .map(|(key, bytes)| (key.clone(), bytes.clone()))
            .collect())
    }

    fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        self.work()?;
        Ok(self.rows.get(key).cloned())
    }

    fn put(&mut self, key: &str, bytes: &[u8], urgency: Urgency) -> Result<(), StoreFault> {
        self.work()?;
        if urgency == Urgency::BeforeAnswer {
            self.urgent_writes = self.urgent_writes.saturating_add(1);
        }
        self.rows.insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn delete(&mut self, key: &str) -> Result<(), StoreFault> {
        self.work()?;
        self.rows.remove(key);
        Ok(())
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        self.work()?;
        self.rows.clear();
        self.wipes = self.wipes.saturating_add(1);
        Ok(())
    }
}
