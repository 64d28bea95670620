//! Scenarios of one object. Times are in milliseconds from an arbitrary start.

use super::*;
use crate::limit::{Algorithm, Quota};
use crate::time::Span;
use crate::wire::{Charge, Charged, CounterKey, Item, Outcome};

mod bounds;
mod charges;
mod holds;
mod loans;
mod model;
mod pages;
mod permits;
mod slots;
mod stored;

/// Not a multiple of any window that a test uses.
const START_MS: u64 = 1_700_000_000_123;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(START_MS + ms)
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn key(number: u64) -> CounterKey {
    let mut bytes = [7; 16];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    CounterKey(bytes)
}

fn quota(algorithm: Algorithm, limit: u64, window_ms: u64) -> Quota {
    Quota {
        algorithm,
        limit,
        window: ms(window_ms),
        burst: limit,
    }
}

fn window(number: u64, limit: u64, window_ms: u64) -> Item {
    item(number, quota(Algorithm::SlidingWindow, limit, window_ms))
}

fn bucket(number: u64, limit: u64, window_ms: u64) -> Item {
    item(number, quota(Algorithm::TokenBucket, limit, window_ms))
}

fn item(number: u64, quota: Quota) -> Item {
    Item {
        key: key(number),
        spill: key(u64::MAX),
        quota,
        cost: 1,
        value: None,
        enforce: true,
        durable: false,
        block: vec![],
        permits: 0,
        reserve: None,
        taken: None,
    }
}

/// A ledger and the ids of the charges made on it.
#[derive(Clone)]
struct Bench {
    ledger: Ledger<MemoryStore>,
    ids: u64,
}

/// What a charge of one item would find.
fn peek_at(item: &Item) -> Call {
    Call::Peek(Charge {
        id: CallId(0),
        provisional: None,
        items: vec![item.clone()],
    })
}

impl Bench {
    fn new() -> Bench {
        Bench::with(MemoryStore::default(), 0)
    }

    fn with(store: MemoryStore, now_ms: u64) -> Bench {
        Bench {
            ledger: Ledger::open(store, at(now_ms)),
            ids: 0,
        }
    }

    fn call(&mut self, now_ms: u64, call: &Call) -> Answer {
        match self.ledger.handle(call, at(now_ms)) {
            Reply::Now(answer) => answer,
            Reply::Later(id) => panic!("{id:?} waits"),
        }
    }

    fn charged(&mut self, now_ms: u64, call: &Call) -> Charged {
        match self.call(now_ms, call) {
            Answer::Charged(charged) => charged,
            other => panic!("{other:?}"),
        }
    }

    fn charge_with(&mut self, now_ms: u64, provisional: Option<Span>, items: &[Item]) -> Charged {
        self.ids += 1;
        let id = CallId(self.ids);
        self.charged(
            now_ms,
            &Call::Charge(Charge {
                id,
                provisional,
                items: items.to_vec(),
            }),
        )
    }

    fn charge(&mut self, now_ms: u64, items: &[Item]) -> Charged {
        self.charge_with(now_ms, None, items)
    }

    /// The id of the latest charge.
    fn last(&self) -> CallId {
        CallId(self.ids)
    }

    fn peek(&mut self, now_ms: u64, item: &Item) -> Outcome {
        let items = vec![item.clone()];
        let call = Call::Peek(Charge {
            id: CallId(0),
            provisional: None,
            items,
        });
        self.charged(now_ms, &call).outcomes[0]
    }

    fn remaining(&mut self, now_ms: u64, item: &Item) -> u64 {
        self.peek(now_ms, item).remaining
    }

    fn refund(&mut self, now_ms: u64, id: CallId) -> bool {
        self.call(now_ms, &Call::Refund { id }) == Answer::Done(true)
    }

    fn settle(&mut self, now_ms: u64, id: CallId, spent: &[(u32, u64)]) -> bool {
        self.call(
            now_ms,
            &Call::Settle {
                id,
                spent: spent.to_vec(),
            },
        ) == Answer::Done(true)
    }

    /// Calls `wake` as often as asked for, up to a time.
    fn wake_until(&mut self, now_ms: u64) {
        while let Some(wake) = self.ledger.next_wake()
            && wake <= at(now_ms)
        {
            self.ledger.wake(wake);
        }
    }

    /// The object leaves memory and comes back.
    fn restart(&self, now_ms: u64) -> Bench {
        Bench {
            ids: self.ids,
            ..Bench::with(self.ledger.store().clone(), now_ms)
        }
    }

    fn rows(&self) -> usize {
        self.ledger.store().rows.len()
    }
}
