//! What really happened, as somebody who sees everything would write it down.
//!
//! It knows no algorithm's state, only when each unit was charged and what became of the request
//! that it was charged for: everything that is promised can be judged from that.

pub mod audit;
mod fate;
mod here;
mod lease;
mod loss;
pub mod quota;
mod repeat;
pub mod slots;

use std::collections::BTreeMap;

use weir::admission::Verdict;
use weir::wire::{Answer, CallId, Charge, Charged, CounterKey, Item, Outcome};

use super::object::Object;
use super::scenario::{MS, SECOND};

/// Answers to repeated calls are remembered for so long.
const REMEMBERED: u64 = 5 * SECOND;

/// A crash may lose what was written behind so lately: the flush interval, and what the disk takes.
pub const UNFLUSHED: u64 = 2 * SECOND + 600 * MS;

/// The same where less than half of the quota is lacking and more than a quarter left: another
/// interval, after which it still has no row where it is void soon.
const RELAXED: u64 = 30 * SECOND + NO_ROW + 600 * MS;

/// A charge that is provisional for longer waits for more than other objects.
const LONGEST_LOAN: u64 = 20 * SECOND;

/// What is void within so long after a flush has no row.
const NO_ROW: u64 = 8 * SECOND;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Charged; what becomes of the request is not known.
    Pending,
    /// The request was let through.
    Admitted,
    /// Given back.
    Refunded,
}

/// One charge of one counter. Times are the object's, in microseconds, but for `real`.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: CallId,
    pub item: u32,
    pub units: u64,
    pub value: Option<u64>,
    pub from: u64,
    /// When the request was really let through; of what is lent, when it was charged.
    pub to: u64,
    /// How long the charge was a promise; nothing where it was final at once.
    pub span: u64,
    pub settles: bool,
    /// Counts from when it was charged, though it may be given back for a while.
    pub lent: bool,
    /// Permits for requests to come, rather than the units of one.
    pub lease: bool,
    /// Let through with a permit, which is charged already.
    pub paid: bool,
    pub fate: Fate,
    pub real: u64,
    pub epoch: u32,
    pub durable: bool,
    /// The object may have forgotten it.
    pub forgiven: bool,
    /// When it was given back or settled, by the object's time.
    pub ended: Option<u64>,
}

/// Everything about one counter.
#[derive(Clone, Debug)]
pub struct Log {
    pub item: Item,
    /// The largest quota that it was asked under.
    pub most: u64,
    pub entries: Vec<Entry>,
    pub block_until: u64,
    /// Isolates let through what they know of, so the quota holds for each of them.
    pub optimistic: bool,
    /// When it last refused because of a block.
    pub blocked_at: u64,
}

pub type Place = (String, CounterKey);

#[derive(Debug, Default)]
pub struct Oracle {
    pub logs: BTreeMap<Place, Log>,
    charged: BTreeMap<CallId, (String, Vec<CounterKey>)>,
    /// Charges that an object has answered: by which memory and when.
    answered: BTreeMap<(String, CallId), (u32, u64)>,
    outcomes: BTreeMap<(String, CallId), Vec<Outcome>>,
    refunds: BTreeMap<(String, CallId), (u32, u64)>,
    /// Calls that an object has carried out, as they are written: by which memory and when.
    handled: BTreeMap<(String, String), (u32, u64)>,
    pub slots: slots::Slots,
    /// When an isolate last heard that a counter refuses, by true time.
    pub told: BTreeMap<(usize, Place), u64>,
    /// Which isolate made a call.
    pub askers: BTreeMap<CallId, usize>,
    /// Permits that an isolate was given of a counter and has not used.
    purses: BTreeMap<(usize, Place), lease::Purse>,
    pub names: BTreeMap<CounterKey, String>,
    pub violation: Option<String>,
    pub admissions: u64,
    pub audits: u64,
    /// Units let through with permits.
    pub permits: u64,
    pub here: here::Here,
}

impl Oracle {
    pub fn violate(&mut self, text: String) {
        self.violation.get_or_insert(text);
    }

    pub fn name(&self, key: CounterKey) -> &str {
        self.names.get(&key).map_or("?", String::as_str)
    }

    /// An object has answered a charge. False where that is an answer given before.
    pub fn charged(
        &mut self,
        object: &Object,
        charge: &Charge,
        answer: &Charged,
        now: u64,
    ) -> bool {
        let call = (object.name.clone(), charge.id);
        let lately = |at: Option<&(u32, u64)>| {
            at.is_some_and(|(epoch, at)| *epoch == object.epoch && object.shadow < at + REMEMBERED)
        };
        let again = lately(self.answered.get(&call));
        if again || lately(self.refunds.get(&call)) {
            // What is stored may be ahead of a clock that was set back: then time stands still.
            if again && !object.shaken {
                self.check_told_again(&call, object.shadow, answer);
            }
            return false;
        }
        self.answered
            .insert(call.clone(), (object.epoch, object.shadow));
        self.outcomes.insert(call, answer.outcomes.clone());
        let (mut keys, mut blocked) = (Vec::new(), None);
        for (place, (item, outcome)) in (0_u32..).zip(charge.items.iter().zip(&answer.outcomes)) {
            let taken = item.taken.is_some() || answer.admitted && outcome.conforms;
            let at = (object.name.clone(), item.key);
            let log = self.logs.entry(at).or_insert_with(|| Log {
                item: item.clone(),
                most: 0,
                entries: Vec::new(),
                block_until: 0,
                optimistic: false,
                blocked_at: 0,
            });
            log.item = Item {
                taken: None,
                ..item.clone()
            };
            log.most = log.most.max(item.quota.limit);
            let inside = object.shadow < log.block_until;
            // What is left of a longer step, where the quota refuses for longer still, is no new block.
            let longest = item.block.iter().max().copied().unwrap_or_default();
            let begun = object.shadow < log.blocked_at + longest.as_micros();
            if let (true, false, Some(step)) =
                (outcome.blocked, inside || begun, item.block.first())
            {
                let ahead = object.shadow.saturating_sub(object.clock(now).as_micros());
                let told = outcome.retry_after.as_micros().saturating_sub(ahead);
                log.block_until = object.shadow + told.min(step.as_micros());
            }
            if outcome.blocked {
                log.blocked_at = object.shadow;
            }
            if !taken {
                continue;
            }
            if item.enforce && inside && !item.block.is_empty() {
                blocked = Some(item.key);
            }
            keys.push(item.key);
            if let Some(ago) = item.taken {
                log.optimistic = true;
                log.entries
                    .push(here::told((charge.id, place), item, ago, object, now));
                continue;
            }
            let span = item
                .reserve
                .or(charge.provisional)
                .unwrap_or_default()
                .as_micros();
            let lent = item.reserve.is_none() && span <= LONGEST_LOAN;
            let entry = Entry {
                id: charge.id,
                item: place,
                units: item.cost,
                value: item.value,
                from: object.shadow,
                to: object.shadow + if lent { 0 } else { span },
                span,
                settles: item.reserve.is_some(),
                lent,
                lease: false,
                paid: false,
                fate: Fate::Pending,
                real: now,
                epoch: object.epoch,
                durable: item.durable,
                forgiven: false,
                ended: None,
            };
            if outcome.permits > 0 {
                let span = outcome.lapse.as_micros();
                if let Some(isolate) = self.askers.get(&charge.id) {
                    let place = (object.name.clone(), item.key);
                    let purse = self.purses.entry((*isolate, place)).or_default();
                    purse.put(outcome.permits, now + span);
                }
                log.entries.push(Entry {
                    units: outcome.permits,
                    to: object.shadow + span,
                    span,
                    settles: true,
                    lent: false,
                    lease: true,
                    ..entry.clone()
                });
            }
            log.entries.push(entry);
        }
        if let Some(key) = blocked {
            self.violate(format!("charged inside a block: {}", self.name(key)));
        }
        if !keys.is_empty() {
            self.charged.insert(charge.id, (object.name.clone(), keys));
        }
        true
    }

    fn entries_of(&mut self, id: CallId, mut each: impl FnMut(&mut Entry)) {
        let (object, keys) = self.charged.get(&id).cloned().unwrap_or_default();
        for key in keys {
            if let Some(log) = self.logs.get_mut(&(object.clone(), key)) {
                log.entries
                    .iter_mut()
                    .filter(|entry| entry.id == id)
                    .for_each(&mut each);
            }
        }
    }

    /// A request was let through: by the counters that have answered.
    pub fn admitted(
        &mut self,
        verdict: &Verdict,
        answers: &[(CallId, Answer)],
        objects: &BTreeMap<String, Object>,
        now: u64,
    ) {
        self.admissions += 1;
        let answered = |id: CallId| answers.iter().any(|(answered, _)| *answered == id);
        for charge in verdict.charges.iter().filter(|charge| answered(charge.id)) {
            let Some(shadow) = objects.get(&charge.object).map(|object| object.shadow) else {
                continue;
            };
            let mut late = false;
            self.entries_of(charge.id, |entry| {
                if entry.fate == Fate::Pending && !entry.lease {
                    entry.fate = Fate::Admitted;
                }
                late |= !entry.settles && entry.span > 0 && now > entry.real + entry.span;
            });
            self.go_on(charge.id, objects.get(&charge.object), now);
            if late {
                self.violate("let through after its own provisional charge had lapsed".into());
            }
            let Some((object, keys)) = self.charged.get(&charge.id).cloned() else {
                continue;
            };
            for key in keys {
                self.check_quota(&(object.clone(), key), shadow);
            }
        }
    }
}
