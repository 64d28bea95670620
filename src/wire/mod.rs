//! What a Worker and a counter object say to each other, and what objects and counters are called:
//! one definition for both ends.
//!
//! During a deploy old and new code talk to each other, so every message starts with a version.
//! A message travels as the path of a URL and an answer as one header value, so both are text in
//! the alphabet `A-Z a-z 0-9 - _ . ~`; see `codec` for the form. Instants never cross, only
//! spans: the two ends have different clocks.

mod answer;
mod call;
mod codec;
mod mac;
pub mod names;
mod text;

/// What an object answers to an `Acquire` whose true answer follows: the call waits for its turn.
pub const WAITING: &str = "w";

pub use answer::MAX_STATS_SLOTS;
pub use codec::{MAX_BLOCK_STEPS, MAX_ITEMS};

use crate::limit::Quota;
use crate::time::Span;

/// The name of a counter inside its object: 128 bits of a keyed hash of rule, limit and key values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterKey(pub [u8; 16]);

impl std::fmt::Display for CounterKey {
    /// As 22 characters of base64url: what logs and the console show of a key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text::name_text(self.0))
    }
}

/// The name of one charge or one slot: random, chosen by the Worker. A repeated call with the same
/// id is answered again, not carried out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// What a Worker asks of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Count a request: all of `items` or none.
    Charge(Charge),
    /// Take back everything that the charge `id` took and still holds (another object refused, or
    /// the request came to nothing). Unknown ids are no fault: it may never have arrived.
    Refund {
        /// The charge.
        id: CallId,
    },
    /// End holds of a charge: reservations that turned out to cost more or less, permits that a
    /// lease did not use, charges that are provisional no more. Items not named stay as they are.
    Settle {
        /// The charge.
        id: CallId,
        /// (index of the item in the charge, units really spent).
        spent: Vec<(u32, u64)>,
    },
    /// The charge stands unless it is refunded within `after`, counted from the call's arrival, and
    /// may be used until then. Zero ends the waiting for others at once: what waited so counts from
    /// now on, what did not from when it was charged. Reservations go on waiting for their settling.
    Confirm {
        /// The charge.
        id: CallId,
        /// How long a refund may still come.
        after: Span,
    },
    /// What would a charge find? Nothing is counted. Answered like a charge.
    Peek(Charge),
    /// Forget blocks and counts of these counters (the operator's unblock).
    Forget {
        /// The counters.
        keys: Vec<CounterKey>,
    },
    /// Take a slot of every item, or wait for one, or be refused.
    Acquire(Acquire),
    /// The slot's request still runs: its lease starts anew.
    Renew {
        /// The acquisition.
        id: CallId,
    },
    /// The slot's request is over, or its waiter has gone.
    Release {
        /// The acquisition.
        id: CallId,
    },
    /// Counts for `status` and metrics.
    Stats,
}

/// Several counters of one object, charged all or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Names it for refund, settling and repetition.
    pub id: CallId,
    /// Provisional for this long, because another object is asked too; then confirmed by silence,
    /// as of when it was charged. Where that is much longer than objects are waited for, the request
    /// waits for something else, and silence confirms it as of its end. None: final at once, unless
    /// a refund comes all the same.
    pub provisional: Option<Span>,
    /// What to charge.
    pub items: Vec<Item>,
}

/// One limit applied to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which counter.
    pub key: CounterKey,
    /// The counter of the caller's network for the same limit: used instead where the object is
    /// full and `key` is not in it.
    pub spill: CounterKey,
    /// What is promised.
    pub quota: Quota,
    /// Units that this request takes. Zero asks without taking.
    pub cost: u64,
    /// For `Distinct`: the keyed hash of the value.
    pub value: Option<u64>,
    /// False for a limit in shadow: measured, charged if it fits, never a reason to refuse.
    pub enforce: bool,
    /// True for `precision = "exact"`: stored before it is answered.
    pub durable: bool,
    /// Refusal periods once the quota is exceeded, in order of escalation; empty: none.
    pub block: Vec<Span>,
    /// Further permits wanted as a lease, beyond `cost`; 0: none. Fewer may be granted.
    pub permits: u64,
    /// The cost is a reservation, to be settled within this time, else it counts as spent.
    pub reserve: Option<Span>,
    /// The units have been let through already, this long ago on average: they are counted whether
    /// or not they fit, and the outcome says what one more would find. Not enforced: an object that
    /// does not know of this counts them where they fit.
    pub taken: Option<Span>,
}

impl Item {
    /// Looks at the counter: would one more unit fit?
    #[must_use]
    pub fn peek(self) -> Call {
        Call::Peek(Charge {
            id: CallId(0),
            provisional: None,
            items: vec![Item {
                cost: 1,
                value: None,
                permits: 0,
                reserve: None,
                taken: None,
                ..self
            }],
        })
    }

    /// The text by which an operator finds the counter again: the same for all requests to it.
    #[must_use]
    pub fn to_be_found(self) -> String {
        self.peek().encode()
    }
}

/// A place to run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquire {
    /// Names it for renewal and release; each admission has its own.
    pub id: CallId,
    /// Which slots: all are needed.
    pub items: Vec<Slot>,
    /// A slot whose lease is not renewed for this long is free again.
    pub lease: Span,
}

/// One concurrency limit applied to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which slots.
    pub key: CounterKey,
    /// How many may run at once.
    pub running: u32,
    /// How many may wait.
    pub waiting: u32,
    /// How long each may wait.
    pub max_wait: Span,
    /// The keyed hash of the `fair_by` value.
    pub fair: Option<u64>,
    /// False in shadow: counted, never a reason to wait or refuse.
    pub enforce: bool,
}

/// What an object answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To `Charge` and `Peek`.
    Charged(Charged),
    /// To `Refund`, `Confirm`, `Settle`, `Renew`, `Release`: carried out; false where the id is not known.
    Done(bool),
    /// To `Forget`: how many counters held something.
    Forgotten(u32),
    /// To `Acquire`, perhaps after a wait.
    Acquired(Acquired),
    /// To `Stats`.
    Stats(Stats),
    /// The object does not understand the message (another version, or damaged).
    Unintelligible,
}

/// The verdict on a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// True where every enforced item conformed and so all were charged.
    pub admitted: bool,
    /// Per item, in the order of the call.
    pub outcomes: Vec<Outcome>,
    /// Rows written to storage since the last answer, for the metrics.
    pub rows: u32,
    /// Times that storage failed since the last answer.
    pub faults: u32,
}

/// What one limit says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// This limit by itself would admit the request.
    pub conforms: bool,
    /// Units left to this caller after this call, besides the permits that it holds.
    pub remaining: u64,
    /// From now until `remaining` next grows (the draft's `t`); zero where it is full.
    pub reset: Span,
    /// Where it does not conform: from now until it would. `Span::MAX` is never.
    pub retry_after: Span,
    /// Where it does not conform: how long the Worker may refuse the same cost unasked.
    pub remember: Span,
    /// Where it does not conform: only provisional charges of others stand in the way.
    pub provisional: bool,
    /// The refusal is a `block`, not the quota itself.
    pub blocked: bool,
    /// Permits leased to the Worker, beyond the cost.
    pub permits: u64,
    /// How long the permits may be used, counted from when the Worker sent the call.
    pub lapse: Span,
}

/// The verdict on an acquisition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// Run. The span is how long it waited.
    Granted {
        /// Time spent waiting.
        waited: Span,
    },
    /// No slot and no place to wait; `item` is the first in the way.
    Full {
        /// Index into the call's items.
        item: u32,
    },
    /// Waited as long as allowed.
    TimedOut {
        /// Index into the call's items.
        item: u32,
    },
    /// Released while it waited.
    Gone,
}

/// Counts of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Counters in memory.
    pub counters: u32,
    /// Slots taken.
    pub running: u32,
    /// Waiters.
    pub waiting: u32,
    /// Rows written since the object was loaded.
    pub rows: u64,
    /// Times that storage failed since the object was loaded.
    pub faults: u64,
    /// Per slot key that holds anything: running and waiting.
    pub slots: Vec<(CounterKey, u32, u32)>,
}

#[cfg(test)]
mod tests;
