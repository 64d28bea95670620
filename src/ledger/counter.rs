//! One counter: its state, what of it is promised to whom, and what storage knows of it.

use std::borrow::Cow;

use crate::limit::{Algorithm, Block, Loan, Quota, State};
use crate::map::{Key, Map, Words};
use crate::time::{Span, Timestamp};
use crate::wire::CallId;

/// An idle object stays in memory for about ten seconds; what is void within this needs no row.
pub(super) const IDLE: Span = Span::from_secs(8);

/// One promise, named by when it ends and by who made it. The order of the names is the order in
/// which promises end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HoldName {
    pub until: Timestamp,
    pub id: CallId,
    /// The item's index in the call.
    pub item: u32,
    /// Permits of a lease, rather than the item's cost.
    pub lease: bool,
}

impl Key for HoldName {
    fn words(self) -> Words {
        let kind = u64::from(self.item) << 1 | u64::from(self.lease);
        Words(self.until.as_micros(), self.id.0, kind)
    }
    fn from_words(Words(until, id, kind): Words) -> Self {
        HoldName {
            until: Timestamp::from_micros(until),
            id: CallId(id),
            item: u32::try_from(kind >> 1).unwrap_or(u32::MAX),
            lease: kind & 1 == 1,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    pub units: u64,
    pub value: Option<u64>,
    /// When it was promised first: a row that is younger has it as spent.
    pub made_at: Timestamp,
    /// They were spent then, and may be taken back. None: whoever holds them may spend them later.
    pub lent_at: Option<Timestamp>,
    /// Until then it waits for what other objects say.
    pub provisional_until: Timestamp,
}

impl Hold {
    pub fn loan(&self) -> Option<Loan> {
        self.lent_at.map(|at| Loan {
            at,
            units: self.units,
            value: self.value,
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub quota: Quota,
    pub state: State,
    pub block: Block,
    /// The longest step of the `block` that was last asked for: decides when escalation ends.
    pub longest_step: Span,
    pub holds: Map<HoldName, Hold>,
    /// Until then a refund may give back what silence has confirmed.
    pub returnable_until: Timestamp,
    /// It was last asked for a limit of which nothing may be forgiven.
    pub durable: bool,
    /// Its place in the order of use.
    pub tick: u64,
    /// Units counted since the row was written: what losing memory would forgive.
    pub unsaved: u64,
    /// When the row was written.
    pub saved_at: Timestamp,
    /// The row says more than is true, or lacks the start of a block.
    pub restate: bool,
    /// When the row is to be looked at.
    pub due: Option<Timestamp>,
}

impl Counter {
    pub fn new(quota: Quota) -> Counter {
        Counter {
            quota,
            state: State::new(&quota),
            block: Block::default(),
            longest_step: Span::ZERO,
            holds: Map::new(),
            returnable_until: Timestamp::ZERO,
            durable: false,
            tick: 0,
            unsaved: 0,
            saved_at: Timestamp::ZERO,
            restate: false,
            due: None,
        }
    }

    /// From now on under another quota.
    pub fn requote(&mut self, quota: &Quota, now: Timestamp) {
        if self.quota == *quota {
            return;
        }
        let fresh = State::new(quota);
        let state = std::mem::replace(&mut self.state, fresh);
        self.state = state.requote(&self.quota, quota, now);
        self.quota = *quota;
    }

    /// The state under `quota`, without changing anything.
    pub fn under(&self, quota: &Quota, now: Timestamp) -> Cow<'_, State> {
        if self.quota == *quota {
            Cow::Borrowed(&self.state)
        } else {
            Cow::Owned(self.state.clone().requote(&self.quota, quota, now))
        }
    }

    pub fn spend(&mut self, now: Timestamp, cost: u64, value: Option<u64>) {
        self.state.spend(&self.quota, now, cost, value);
        self.unsaved = self.unsaved.saturating_add(cost);
    }

    pub fn hold(&mut self, now: Timestamp, name: HoldName, hold: Hold) {
        if hold.lent_at.is_some() {
            self.state.lend(&self.quota, now, hold.units, hold.value);
        } else {
            self.state.hold(&self.quota, now, hold.units, hold.value);
        }
        self.unsaved = self.unsaved.saturating_add(hold.units);
        self.holds.insert(name, hold);
    }

    /// Ends a promise at `at`, with `spent` units of it used; None: all of them. What was lent is
    /// spent as of when it was lent. Gives the loan that the promise was, if it was one.
    pub fn settle(&mut self, at: Timestamp, name: &HoldName, spent: Option<u64>) -> Option<Loan> {
        let hold = self.holds.remove(name)?;
        let spent = spent.unwrap_or(hold.units);
        let loan = hold.loan();
        match loan {
            Some(loan) if spent == hold.units => self.state.keep(&self.quota, at, &loan),
            Some(loan) => {
                self.state.take_back(&self.quota, at, &loan);
                self.state.spend(&self.quota, at, spent, hold.value);
            }
            None => {
                self.state
                    .settle(&self.quota, at, hold.units, spent, hold.value);
                // A row that knows of it has it as spent when that was written, which is too early.
                self.unsaved = self.unsaved.saturating_add(spent);
            }
        }
        if spent < hold.units {
            self.note_returned(hold.units.saturating_sub(spent), hold.made_at);
        } else {
            self.unsaved = self
                .unsaved
                .saturating_add(spent.saturating_sub(hold.units));
        }
        loan
    }

    fn note_returned(&mut self, units: u64, made_at: Timestamp) {
        if made_at <= self.saved_at {
            self.restate = true;
        } else {
            self.unsaved = self.unsaved.saturating_sub(units);
        }
    }

    /// Gives back what a request had spent for good.
    pub fn unspend(&mut self, now: Timestamp, loan: &Loan) {
        self.state.unspend(&self.quota, now, loan);
        self.note_returned(loan.units, loan.at);
    }

    /// A promise ends later than was said, and what it is for may happen until then: from now on
    /// its units are held.
    pub fn put_off(&mut self, now: Timestamp, from: &HoldName, to: HoldName) {
        let Some(mut hold) = self.holds.remove(from) else {
            return;
        };
        if let Some(loan) = hold.loan() {
            self.state.take_back(&self.quota, now, &loan);
            self.state.hold(&self.quota, now, hold.units, hold.value);
            hold.lent_at = None;
        }
        hold.provisional_until = to.until;
        self.holds.insert(to, hold);
    }

    /// Units that may be forgotten when the object leaves memory.
    ///
    /// At most 5 % of the quota, and at most half of what a caller at the average rate is given in
    /// the ten seconds that leaving takes: so whoever pauses again and again in order to be
    /// forgotten gains at most half a quota per window by it.
    pub fn forgivable(&self) -> u64 {
        let twentieth = self.quota.limit / 20;
        let at_rest = u128::from(self.quota.limit)
            .saturating_mul(5_000_000)
            .checked_div(u128::from(self.quota.window.as_micros()))
            .unwrap_or(0);
        twentieth.min(u64::try_from(at_rest).unwrap_or(u64::MAX))
    }

    /// A quick guess, never wrongly false, whether the row needs a look soon.
    pub fn wants_saving(&self, now: Timestamp) -> bool {
        if self.restate {
            return true;
        }
        if self.unsaved <= self.forgivable() {
            return false;
        }
        match self.quota.algorithm {
            // Their states tell cheaply when they are void.
            Algorithm::TokenBucket | Algorithm::SlidingCounter | Algorithm::FixedWindow => {
                self.state.held() > 0 || self.state.void_at(&self.quota) > now + IDLE
            }
            Algorithm::SlidingWindow | Algorithm::Distinct => self.quota.window > IDLE,
        }
    }

    /// Its row should not wait: storage has something wrong, lacks half of the quota, or a quarter
    /// is left.
    pub fn presses(&self, now: Timestamp) -> bool {
        // Of a bucket what it holds, however slowly it fills.
        let full = self.quota.burst;
        let left = self.state.remaining(&self.quota, now);
        let lacks_half = self.unsaved >= full.div_ceil(2) && left <= full / 2;
        self.restate || lacks_half || left <= full / 4
    }

    /// From when on the counter decides like a new one, if every promise is kept now.
    pub fn void_at(&self, now: Timestamp) -> Timestamp {
        let nothing_held = self.holds.values().all(|hold| hold.lent_at.is_some());
        let state_void_at = if nothing_held {
            self.state.void_at(&self.quota)
        } else {
            let mut state = self.state.clone();
            state.settle_all(&self.quota, now);
            state.void_at(&self.quota)
        };
        state_void_at.max(self.block.void_at(&[self.longest_step]))
    }

    /// Nothing of it is needed any more.
    pub fn is_void(&self, now: Timestamp) -> bool {
        let full = self.quota.limit.min(self.quota.burst);
        // What is left is cheap to tell of every state; when it is void, not.
        self.holds.is_empty()
            && self.state.remaining(&self.quota, now) >= full
            && self.void_at(now) <= now
    }

    /// Nothing of it is needed any more, and its row is not about to be looked at.
    pub fn may_go(&self, now: Timestamp) -> bool {
        self.due.is_none() && !self.restate && self.is_void(now)
    }

    /// Memory may forget it, because storage knows all of it.
    pub fn is_saved(&self) -> bool {
        self.holds.is_empty() && self.unsaved == 0 && !self.restate
    }
}
