//! What a counter says is left, against what was charged.

use weir::ledger::Reply;
use weir::limit::Algorithm;
use weir::time::{Span, Timestamp};
use weir::wire::{Answer, Call, CallId, Charge, Item, Outcome};

use super::{Entry, Fate, Oracle, Place};
use crate::disk::SimStore;
use crate::object::Object;
use crate::scenario::SECOND;

pub type Ledger = weir::ledger::Ledger<SimStore>;

/// What a request for this item would find.
pub fn peek(ledger: &mut Ledger, item: &Item, at: Timestamp) -> Option<Outcome> {
    let call = Call::Peek(Charge {
        id: CallId(0),
        provisional: None,
        items: vec![item.clone()],
    });
    match ledger.handle(&call, at) {
        Reply::Now(Answer::Charged(charged)) => charged.outcomes.first().copied(),
        _ => None,
    }
}

impl Oracle {
    /// Nothing that was let through is forgotten, and nothing is charged that was not asked for.
    pub fn audit(&mut self, place: &Place, object: &Object, now: u64) {
        let Some(log) = self.logs.get(place) else {
            return;
        };
        let quota = log.item.quota;
        let told_apart = matches!(
            quota.algorithm,
            Algorithm::SlidingWindow | Algorithm::FixedWindow
        );
        if !told_apart || object.shaken || object.broken_since.is_some() || log.most != quota.limit
        {
            return;
        }
        let mut ledger = object.look_ahead(now);
        let clock = object.clock(now);
        let shadow = object.shadow.max(clock.as_micros());
        let item = Item {
            value: None,
            block: vec![],
            ..log.item.clone()
        };
        let Some(outcome) = peek(&mut ledger, &item, clock) else {
            return;
        };
        let window = quota.window.as_micros();
        let inside = |at: u64| match quota.algorithm {
            Algorithm::FixedWindow => at / window >= shadow / window,
            _ => at + window > shadow,
        };
        let (mut least, mut most) = (0_u64, 0_u64);
        for entry in log
            .entries
            .iter()
            .filter(|entry| entry.fate != Fate::Refunded && !entry.paid)
        {
            if entry.fate == Fate::Admitted
                && !entry.forgiven
                && inside(entry.to)
                && inside(entry.from)
            {
                least += entry.units;
            }
            let last = if entry.lent {
                entry.from
            } else {
                entry.from + entry.span
            };
            if inside(last) {
                most += entry.units;
            }
        }
        self.audits += 1;
        let charged = quota.limit.saturating_sub(outcome.remaining);
        if charged > most {
            let text = format!(
                "{} has {charged} units, but only {most} can have been charged",
                self.name(place.1)
            );
            self.violate(text);
        }
        if charged < least.min(quota.limit) {
            let text = format!(
                "{} has forgotten: {charged} units, but {least} were let through",
                self.name(place.1)
            );
            self.violate(text);
        }
    }

    /// A refused request that waits as long as it is told is let through, if nothing else happens,
    /// and not much sooner.
    pub fn check_wait(&mut self, object: &Object, item: &Item, outcome: &Outcome, now: u64) {
        if outcome.conforms || outcome.retry_after == Span::MAX {
            return;
        }
        let mut ledger = object.look_ahead(now);
        let at = object.clock(now) + outcome.retry_after;
        let fits = peek(&mut ledger, item, at).is_some_and(|outcome| outcome.conforms);
        self.audits += 1;
        if !fits {
            let text = format!(
                "{} would refuse again after the {:?} it asked for",
                self.name(item.key),
                outcome.retry_after
            );
            self.violate(text);
        }
    }

    /// A refusal from an isolate's memory is ten seconds old at most, and what the object would have
    /// said.
    pub fn check_remembered(&mut self, isolate: usize, object: &Object, item: &Item, now: u64) {
        let place = (object.name.clone(), item.key);
        let told = self.told.get(&(isolate, place)).copied();
        if told.is_none_or(|at| now > at + 10 * SECOND) {
            let text = format!("{} is refused from too old a memory", self.name(item.key));
            return self.violate(text);
        }
        if object.broken_since.is_some() || object.upset_at.is_some_and(|at| now < at + 11_000_000)
        {
            return;
        }
        // Where units were out that may come back at any moment, it is remembered for a second; what
        // was final at once comes back where an answer was lost, and nobody waits for that.
        let back_lately = |entry: &Entry| {
            let lately = if entry.span == 0 {
                11_000_000
            } else {
                1_100_000
            };
            let returns = entry.settles || entry.lent || entry.span == 0;
            returns && entry.ended.is_some_and(|at| at + lately > object.shadow)
        };
        let place = (object.name.clone(), item.key);
        if self
            .logs
            .get(&place)
            .is_some_and(|log| log.entries.iter().any(back_lately))
        {
            return;
        }
        let mut ledger = object.look_ahead(now);
        let Some(outcome) = peek(&mut ledger, item, object.clock(now)) else {
            return;
        };
        self.audits += 1;
        if outcome.conforms {
            let text = format!(
                "{} was refused from memory, but its counter would let it through",
                self.name(item.key)
            );
            self.violate(text);
        }
    }
}
