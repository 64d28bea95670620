//! Random histories of one counter: what a ledger and the isolates behind it could do to it.

use proptest::prelude::*;
use weir::limit::{Algorithm, Decision, Loan, Quota, State};
use weir::time::{Span, Timestamp};

/// What happens next. Numbers are choices, made concrete by [`Counter::step`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Time passes.
    Wait(Gap),
    /// A request, admitted if it fits.
    Spend(u64, u64),
    /// Permits are handed out, if they fit.
    Hold(u64, u64),
    /// A permit of some holder admits a request.
    Use(usize),
    /// A holder reports what it used and gives back the rest.
    Settle(usize),
    /// A holder is not heard of again: all counts as spent.
    Lapse(usize),
    /// A request whose units may be taken back, admitted if it fits.
    Lend(u64, u64),
    /// They are not taken back.
    Keep(usize),
    /// They are: the request came to nothing.
    TakeBack(usize),
    /// Of some request it turns out late that it came to nothing.
    Unspend(usize),
    /// The counter is stored, lost and read back; its holders are gone.
    Restart,
}

/// How much time passes.
#[derive(Clone, Copy, Debug)]
pub enum Gap {
    /// So many microseconds.
    Micros(u64),
    /// So many quarters of what one unit takes to come back.
    Units(u64),
    /// To within so many microseconds, less two, of one window.
    Window(u64),
}

pub fn any_quota(algorithm: Algorithm) -> impl Strategy<Value = Quota> {
    let window_us = prop_oneof![1..50u64, 50..5_000u64, Just(10_000_000)];
    (1..12u64, window_us, 1..12u64).prop_map(move |(limit, window_us, burst)| Quota {
        algorithm,
        limit,
        window: Span::from_micros(window_us),
        burst: if algorithm == Algorithm::TokenBucket {
            burst
        } else {
            limit
        },
    })
}

pub fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let gap = prop_oneof![
        (0..40u64).prop_map(Gap::Micros),
        (1..9u64).prop_map(Gap::Units),
        (0..5u64).prop_map(Gap::Window),
    ];
    let step = prop_oneof![
        4 => gap.prop_map(Step::Wait),
        5 => (0..6u64, 0..8u64).prop_map(|(cost, value)| Step::Spend(cost, value)),
        3 => (1..6u64, 0..8u64).prop_map(|(units, value)| Step::Hold(units, value)),
        4 => (0..4usize).prop_map(Step::Use),
        2 => (0..4usize).prop_map(Step::Settle),
        1 => (0..4usize).prop_map(Step::Lapse),
        3 => (0..6u64, 0..8u64).prop_map(|(cost, value)| Step::Lend(cost, value)),
        2 => (0..4usize).prop_map(Step::Keep),
        2 => (0..4usize).prop_map(Step::TakeBack),
        1 => (0..4usize).prop_map(Step::Unspend),
    ];
    let restart = prop_oneof![40 => step, 1 => Just(Step::Restart)];
    prop::collection::vec(restart, 1..120)
}

pub const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::TokenBucket,
    Algorithm::SlidingWindow,
    Algorithm::SlidingCounter,
    Algorithm::FixedWindow,
    Algorithm::Distinct,
];

/// A promise that has not ended.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub units: u64,
    pub value: u64,
    pub used: u64,
}

/// What the counter was told, for a model to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Nothing,
    Spend { cost: u64, value: u64 },
    Hold { units: u64, value: u64 },
    Settle { units: u64, spent: u64, value: u64 },
    SettleAll,
    Undone(Loan),
}

/// A counter, and what really happened.
#[derive(Clone, Debug)]
pub struct Counter {
    pub quota: Quota,
    pub state: State,
    pub now: Timestamp,
    pub holds: Vec<Hold>,
    pub loans: Vec<Loan>,
    /// Spent for good.
    pub final_: Vec<Loan>,
    /// When requests were really admitted: instant, units, value.
    pub admitted: Vec<(Timestamp, u64, u64)>,
}

impl Counter {
    pub fn new(quota: Quota) -> Self {
        let now = Timestamp::from_millis(1_767_225_600_000);
        Counter {
            quota,
            state: State::new(&quota),
            now,
            holds: vec![],
            loans: vec![],
            final_: vec![],
            admitted: vec![],
        }
    }

    pub fn check(&self, cost: u64, value: u64) -> Decision {
        self.state.check(&self.quota, self.now, cost, Some(value))
    }

    fn admit(&mut self, units: u64, value: u64) {
        self.admitted.push((self.now, units, value));
    }

    fn undo(&mut self, loan: Loan) -> Told {
        let entry = (loan.at, loan.units, loan.value.unwrap_or(0));
        let index = self.admitted.iter().position(|other| *other == entry);
        self.admitted.remove(index.unwrap());
        Told::Undone(loan)
    }

    fn loan(&self, units: u64, value: u64) -> Loan {
        Loan {
            at: self.now,
            units,
            value: Some(value),
        }
    }

    fn gap(&self, gap: Gap) -> Span {
        let window_us = self.quota.window.as_micros();
        Span::from_micros(match gap {
            Gap::Micros(us) => us,
            Gap::Units(quarters) => (quarters * window_us).div_ceil(4 * self.quota.limit),
            Gap::Window(us) => (window_us + us).saturating_sub(2),
        })
    }

    fn settle(&mut self, hold: Hold, spent: u64) -> Told {
        let Hold { units, value, .. } = hold;
        self.state
            .settle(&self.quota, self.now, units, spent, Some(value));
        Told::Settle {
            units,
            spent,
            value,
        }
    }

    /// Does what `step` says, as far as the counter allows it.
    pub fn step(&mut self, step: Step) -> Told {
        match step {
            Step::Wait(gap) => self.now = self.now + self.gap(gap),
            Step::Spend(cost, value) => {
                if self.check(cost, value) == Decision::Conforms {
                    self.state.spend(&self.quota, self.now, cost, Some(value));
                    self.admit(cost, value);
                    self.final_.push(self.loan(cost, value));
                    return Told::Spend { cost, value };
                }
            }
            Step::Hold(units, value) => {
                if self.check(units, value) == Decision::Conforms {
                    self.state.hold(&self.quota, self.now, units, Some(value));
                    self.holds.push(Hold {
                        units,
                        value,
                        used: 0,
                    });
                    return Told::Hold { units, value };
                }
            }
            Step::Use(index) => {
                if let Some(hold) = self.holds.get_mut(index)
                    && hold.used < hold.units
                {
                    hold.used += 1;
                    let value = hold.value;
                    self.admit(1, value);
                }
            }
            Step::Settle(index) if index < self.holds.len() => {
                let hold = self.holds.remove(index);
                return self.settle(hold, hold.used);
            }
            Step::Lapse(index) if index < self.holds.len() => {
                let hold = self.holds.remove(index);
                return self.settle(hold, hold.units);
            }
            Step::Restart => {
                let mut bytes = Vec::new();
                self.state.encode(&self.quota, self.now, &mut bytes);
                let (state, rest) = State::decode(&bytes).unwrap();
                assert!(rest.is_empty());
                self.state = state;
                self.holds.clear();
                self.loans.clear();
                return Told::SettleAll;
            }
            Step::Lend(cost, value) => {
                if self.check(cost, value) == Decision::Conforms {
                    self.state.lend(&self.quota, self.now, cost, Some(value));
                    self.admit(cost, value);
                    self.loans.push(self.loan(cost, value));
                    return Told::Spend { cost, value };
                }
            }
            Step::Keep(index) if index < self.loans.len() => {
                let loan = self.loans.remove(index);
                self.state.keep(&self.quota, self.now, &loan);
            }
            Step::TakeBack(index) if index < self.loans.len() => {
                let loan = self.loans.remove(index);
                self.state.take_back(&self.quota, self.now, &loan);
                return self.undo(loan);
            }
            Step::Unspend(index) if index < self.final_.len() => {
                let loan = self.final_.swap_remove(index);
                self.state.unspend(&self.quota, self.now, &loan);
                if self.quota.algorithm != Algorithm::Distinct {
                    return self.undo(loan);
                }
            }
            Step::Settle(_)
            | Step::Lapse(_)
            | Step::Keep(_)
            | Step::TakeBack(_)
            | Step::Unspend(_) => {}
        }
        Told::Nothing
    }
}
