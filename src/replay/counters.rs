//! The counters of all objects.
//!
//! They live in a fixed number of ledgers, each standing for many objects: a counter's name is the
//! same hash whichever ledger it is in, so only their number is bounded, not what they count. Where
//! objects of one request share a ledger they are still asked one by one.
//!
//! Many small ledgers are quicker than a few large ones, as small trees are. They share one bound on
//! memory: beyond it, whole ledgers are forgotten in turn, and the report says so.

use crate::ledger::{Ledger, MAX_COUNTERS, Spent, Store, StoreFault, Urgency};
use crate::time::Timestamp;
use crate::wire::{Call, CallId, Charge, Charged, MAX_ITEMS};

const LEDGERS: usize = 4_096;

/// Counters in memory at most, some 400 bytes each.
const MOST_COUNTERS: usize = 1_000_000;

/// All of them.
#[derive(Debug)]
pub struct Counters {
    ledgers: Vec<Ledger<Nothing>>,
    alarms: Vec<Option<Timestamp>>,
    alarms_set: u64,
    /// In all ledgers together, and how many there may be.
    live: usize,
    most: usize,
    /// Rows that forgotten ledgers had written.
    forgotten_rows: u64,
    next_to_forget: usize,
    /// Some were forgotten before their time.
    pub forgot: bool,
}

impl Counters {
    /// None yet.
    #[must_use]
    pub fn new() -> Counters {
        Counters::with_room_for(MOST_COUNTERS)
    }

    fn with_room_for(most: usize) -> Counters {
        let ledger = || Ledger::open(Nothing, Timestamp::ZERO);
        Counters {
            ledgers: std::iter::repeat_with(ledger).take(LEDGERS).collect(),
            alarms: vec![None; LEDGERS],
            alarms_set: 0,
            live: 0,
            most,
            forgotten_rows: 0,
            next_to_forget: 0,
            forgot: false,
        }
    }

    /// Rows written so far, the setting of alarms among them.
    #[must_use]
    pub fn rows_written(&self) -> u64 {
        let rows = self.ledgers.iter().map(Ledger::rows_written);
        let others = self.alarms_set.saturating_add(self.forgotten_rows);
        rows.fold(others, u64::saturating_add)
    }

    /// Which ledger an object is in: its name is a hash already.
    #[must_use]
    pub fn place(object: &str) -> usize {
        let sum = object.bytes().fold(0_usize, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(byte))
        });
        sum.checked_rem(LEDGERS).unwrap_or(0)
    }

    /// Its counters are so many that another request may have to be counted under its spill key.
    #[must_use]
    pub fn crowded(&self, ledger: usize) -> bool {
        let held = self.ledgers.get(ledger).map_or(0, Ledger::counters);
        held.saturating_add(MAX_ITEMS) > MAX_COUNTERS
    }

    /// Charges counters of a ledger. None of more than one call may have.
    pub fn charge(
        &mut self,
        ledger: usize,
        charge: &Charge,
        now: Timestamp,
    ) -> Option<(Charged, Spent)> {
        self.at(ledger, now, |ledger| ledger.charge_once(charge, now))?
    }

    /// Gives back what a charge took.
    pub fn refund(&mut self, ledger: usize, id: CallId, spent: Spent, now: Timestamp) {
        self.at(ledger, now, |ledger| ledger.refund_once(id, spent, now));
    }

    /// Asks a ledger anything else.
    pub fn ask(&mut self, ledger: usize, call: &Call, now: Timestamp) {
        self.at(ledger, now, |ledger| ledger.handle(call, now));
    }

    /// With a ledger, after what its timers would have done meanwhile.
    fn at<T>(
        &mut self,
        ledger: usize,
        now: Timestamp,
        with: impl FnOnce(&mut Ledger<Nothing>) -> T,
    ) -> Option<T> {
        let alarm = self.alarms.get_mut(ledger)?;
        let ledger = self.ledgers.get_mut(ledger)?;
        let before = ledger.counters();
        while let Some(due) = ledger.next_wake().filter(|due| *due <= now) {
            ledger.wake(due);
        }
        if let Some(due) = alarm.take_if(|due| *due <= now) {
            ledger.alarm(due);
        }
        let done = with(ledger);
        if let Some(at) = ledger.take_alarm() {
            *alarm = Some(at);
            self.alarms_set = self.alarms_set.saturating_add(1);
        }
        self.live = self.live.saturating_sub(before);
        self.live = self.live.saturating_add(ledger.counters());
        if self.live > self.most {
            self.forget_one(now);
        }
        Some(done)
    }

    /// Forgets the next ledger that has any counters; those of one are few.
    fn forget_one(&mut self, now: Timestamp) {
        let in_turn = (0..LEDGERS).map(|step| {
            let place = self.next_to_forget.wrapping_add(step);
            place.checked_rem(LEDGERS).unwrap_or(0)
        });
        let held = |place: usize| self.ledgers.get(place).map_or(0, Ledger::counters);
        let Some(place) = in_turn.into_iter().find(|place| held(*place) > 0) else {
            return;
        };
        self.forgot = true;
        self.next_to_forget = place.wrapping_add(1);
        if let Some(ledger) = self.ledgers.get_mut(place) {
            self.live = self.live.saturating_sub(ledger.counters());
            let rows = ledger.rows_written();
            self.forgotten_rows = self.forgotten_rows.saturating_add(rows);
            *ledger = Ledger::open(Nothing, now);
        }
        if let Some(alarm) = self.alarms.get_mut(place) {
            *alarm = None;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Algorithm, Quota};
    use crate::time::Span;
    use crate::wire::{CounterKey, Item};

    fn charge(counters: &mut Counters, key: u64) -> bool {
        let window = Span::from_secs(60);
        let quota = Quota {
            algorithm: Algorithm::SlidingWindow,
            limit: 1,
            window,
            burst: 1,
        };
        let named = CounterKey((u128::from(key) + 1).to_be_bytes());
        let charge = Charge {
            id: CallId(key),
            provisional: None,
            items: vec![Item {
                key: named,
                spill: named,
                quota,
                cost: 1,
                value: None,
                enforce: true,
                durable: false,
                block: Vec::new(),
                permits: 0,
                reserve: None,
                taken: None,
            }],
        };
        let place = Counters::place(&named.to_text());
        let answer = counters.charge(place, &charge, Timestamp::from_millis(1_000));
        answer.is_some_and(|(charged, _)| charged.admitted)
    }

    #[test]
    fn memory_is_bounded_and_forgetting_is_told() {
        let mut counters = Counters::with_room_for(100);
        assert!((0..100).all(|key| charge(&mut counters, key)));
        assert!(!counters.forgot);
        assert!((100..1_000).all(|key| charge(&mut counters, key)));
        assert!(counters.forgot);
        let held: usize = counters.ledgers.iter().map(Ledger::counters).sum();
        assert_eq!(counters.live, held);
        assert!(held <= 100, "{held}");
    }
}
