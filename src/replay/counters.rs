//! The counters of all objects.
//!
//! They live in a fixed number of ledgers, each standing for many objects: a counter's name is the
//! same hash whichever ledger it is in, so only their number is bounded, not what they count. Where
//! objects of one request share a ledger they are still asked one by one.

use crate::ledger::{Ledger, Reply, Store, StoreFault, Urgency};
use crate::time::Timestamp;
use crate::wire::{Answer, Call};

/// With 16,384 counters each, a million callers are counted one by one.
const LEDGERS: usize = 64;

/// All of them.
#[derive(Debug)]
pub struct Counters {
    ledgers: Vec<Ledger<Nothing>>,
    alarms: Vec<Option<Timestamp>>,
    alarms_set: u64,
}

impl Counters {
    /// None yet.
    #[must_use]
    pub fn new() -> Counters {
        let ledger = || Ledger::open(Nothing, Timestamp::ZERO);
        Counters {
            ledgers: std::iter::repeat_with(ledger).take(LEDGERS).collect(),
            alarms: vec![None; LEDGERS],
            alarms_set: 0,
        }
    }

    /// Rows written so far, the setting of alarms among them.
    pub fn rows_written(&mut self, now: Timestamp) -> u64 {
        let mut rows = self.alarms_set;
        for ledger in &mut self.ledgers {
            if let Reply::Now(Answer::Stats(stats)) = ledger.handle(&Call::Stats, now) {
                rows = rows.saturating_add(stats.rows);
            }
        }
        rows
    }

    /// Which ledger an object is in: its name is a hash already.
    #[must_use]
    pub fn place(object: &str) -> usize {
        let sum = object.bytes().fold(0_usize, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        sum.checked_rem(LEDGERS).unwrap_or(0)
    }

    /// Asks a ledger, after what its timers would have done meanwhile.
    pub fn ask(&mut self, ledger: usize, call: &Call, now: Timestamp) -> Option<Answer> {
        let alarm = self.alarms.get_mut(ledger)?;
        let ledger = self.ledgers.get_mut(ledger)?;
        while let Some(due) = ledger.next_wake().filter(|due| *due <= now) {
            ledger.wake(due);
        }
        if let Some(due) = alarm.take_if(|due| *due <= now) {
            ledger.alarm(due);
        }
        let reply = ledger.handle(call, now);
        if let Some(at) = ledger.take_alarm() {
            *alarm = Some(at);
            self.alarms_set = self.alarms_set.saturating_add(1);
        }
        match reply {
            Reply::Now(answer) => Some(answer),
            Reply::Later(_) => None,
        }
    }
}

/// Storage that keeps nothing: the ledgers stay in memory, and only what would be written counts.
#[derive(Clone, Copy, Debug)]
struct Nothing;

impl Store for Nothing {
    fn load(&mut self) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        Ok(Vec::new())
    }

    fn get(&mut self, _: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(None)
    }

    fn put(&mut self, _: &str, _: &[u8], _: Urgency) -> Result<(), StoreFault> {
        Ok(())
    }

    fn delete(&mut self, _: &str) -> Result<(), StoreFault> {
        Ok(())
    }

    fn delete_all(&mut self) -> Result<(), StoreFault> {
        Ok(())
    }
}
