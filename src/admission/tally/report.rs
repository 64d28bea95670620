//! Telling objects what has been let through: when, how much, and what follows from the answer.

use super::{BUSY, BUSY_INTERVAL, Tallies, Tally, UNTOLD_SHARE, UNTOLD_SHARED, WORD_HOLDS, Word};
use crate::admission::Memory;
use crate::admission::decide::Here;
use crate::admission::decide::{Question, Reply};
use crate::admission::plan::Plan;
use crate::limit::{Decision, State};
use crate::policy::Policy;
use crate::time::{Span, Timestamp};
use crate::wire::{Answer, Call, CallId, Charge, CounterKey, Item, Outcome};

/// An object knows a call again for five seconds: within this a report that was not answered is
/// repeated under its id, and counted once. After it, it counts as told.
const REPEATED_FOR: Span = Span::from_secs(4);
/// A report that failed is repeated after this.
const PAUSE: Span = Span::from_millis(200);

/// What an object is told at the moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    id: CallId,
    units: u64,
    /// When it was first sent.
    first: Timestamp,
    /// It may be sent again then.
    again_at: Timestamp,
}

impl Memory {
    /// What has to be told now about limits that were decided here.
    pub(in crate::admission) fn reports(
        &mut self,
        policy: &Policy,
        plan: &Plan,
        here: &[Here],
        now: Timestamp,
    ) -> Vec<Question> {
        let decided = here.iter().filter_map(|one| plan.applied.get(one.index));
        let told = decided.filter_map(|applied| {
            let place = (applied.object.as_str(), applied.hint.as_str());
            self.report(policy, place, &applied.item, now)
        });
        told.collect()
    }

    fn report(
        &mut self,
        policy: &Policy,
        (object, hint): (&str, &str),
        item: &Item,
        now: Timestamp,
    ) -> Option<Question> {
        let is_due = self.tallies.is_due(&item.key, now);
        if !is_due || !self.breakers.may_call(object, now) {
            return None;
        }
        let id = self.next_id();
        let again_at = now + policy.counter_timeout + PAUSE;
        let (id, item) = self.tallies.report(item, id, now, again_at)?;
        Some(Question {
            object: object.to_owned(),
            hint: hint.to_owned(),
            call: Call::Charge(Charge {
                id,
                provisional: None,
                items: vec![item],
            }),
            covers: Vec::new(),
        })
    }

    /// Takes in the replies to what was asked behind requests, in their order. Gives what has to be told next.
    pub fn reported(
        &mut self,
        policy: &Policy,
        questions: Vec<Question>,
        replies: &[Reply],
        (sent, now): (Timestamp, Timestamp),
    ) -> Vec<Question> {
        let mut next = Vec::new();
        for (question, reply) in questions.into_iter().zip(replies) {
            let Call::Charge(Charge { id, items, .. }) = question.call else {
                continue;
            };
            let Reply::Answer(Answer::Charged(charged)) = reply else {
                self.breakers.failed(&question.object, now);
                for item in &items {
                    self.tallies.failed(item, id, now);
                }
                continue;
            };
            self.breakers.succeeded(&question.object);
            for (mut item, outcome) in items.into_iter().zip(&charged.outcomes) {
                let is_report = item.taken.is_some();
                if is_report {
                    // The answer says what one more unit would find.
                    item.cost = 1;
                }
                if outcome.conforms {
                    self.denials.forget(&item.key);
                } else {
                    self.denials.remember(&item, outcome, sent, now);
                }
                if is_report {
                    self.tallies.told(&item, id, outcome, (sent, now));
                    let place = (question.object.as_str(), question.hint.as_str());
                    next.extend(self.report(policy, place, &item, now));
                }
            }
        }
        next
    }
}

impl Tallies {
    /// Has the key's object to be told something now?
    fn is_due(&mut self, key: &CounterKey, now: Timestamp) -> bool {
        self.known
            .get_mut(key)
            .is_some_and(|tally| tally.is_due(now))
    }

    /// The report, under this id or that of the one that is repeated.
    fn report(
        &mut self,
        item: &Item,
        id: CallId,
        now: Timestamp,
        again_at: Timestamp,
    ) -> Option<(CallId, Item)> {
        let tally = self.known.get_mut(&item.key)?;
        let fresh = Report {
            id,
            units: tally.untold,
            first: now,
            again_at,
        };
        let report = tally.report.get_or_insert(fresh);
        report.again_at = again_at;
        tally.told_at = now;
        tally.asked_in_vain = false;
        // They came evenly, more or less, and none of them is older than the window.
        let since = now.saturating_since(tally.untold_since);
        let since = since.min(item.quota.window);
        let item = Item {
            cost: report.units,
            enforce: false,
            taken: Some(Span::from_micros(since.as_micros() / 2)),
            ..item.clone()
        };
        Some((report.id, item))
    }

    fn told(
        &mut self,
        item: &Item,
        id: CallId,
        outcome: &Outcome,
        (sent, now): (Timestamp, Timestamp),
    ) {
        let Some(tally) = self.known.get_mut(&item.key) else {
            return;
        };
        let Some(report) = tally.report.take_if(|report| report.id == id) else {
            return;
        };
        tally.untold = tally.untold.saturating_sub(report.units);
        tally.untold_since = sent;
        if report.units == 0 {
            tally.believe(outcome, now);
        }
        let full = item.quota.burst;
        let own = tally.state.weight(&item.quota, now);
        let own = own.saturating_sub(tally.untold);
        let spent = full.saturating_sub(outcome.remaining);
        tally.word = Some(Word {
            at: sent,
            left: outcome.remaining,
            grows_at: sent + outcome.reset,
            // When each unit was spent is told roughly, so it is seen roughly.
            shared: spent > own.saturating_add(full / 16),
        });
    }

    fn failed(&mut self, item: &Item, id: CallId, now: Timestamp) {
        let report = self
            .known
            .get_mut(&item.key)
            .and_then(|tally| tally.report.as_mut());
        if let Some(report) = report.filter(|report| report.id == id) {
            report.again_at = now + PAUSE;
        }
    }
}

impl Tally {
    fn is_due(&mut self, now: Timestamp) -> bool {
        if let Some(report) = self.report {
            if now < report.again_at {
                return false;
            }
            if now < report.first + REPEATED_FOR {
                return true;
            }
            // Whether it was counted nobody knows; it is not counted twice.
            self.untold = self.untold.saturating_sub(report.units);
            self.report = None;
        }
        // What has left the window, or flowed back into the bucket, need not be told.
        self.untold = self.untold.min(self.state.weight(&self.quota, now));
        let shared = self.word.is_some_and(|word| word.shared);
        let left = self.left(now);
        let most = if shared {
            left / UNTOLD_SHARED
        } else {
            left / UNTOLD_SHARE
        };
        let busy = self.untold >= BUSY && now >= self.told_at + BUSY_INTERVAL;
        let stale = now >= self.told_at + WORD_HOLDS;
        self.untold > 0 && self.untold >= most || busy || self.asked_in_vain && stale
    }

    /// It was asked because this isolate refuses. Where it would not, and not just because the two tell
    /// times differently, it has been made to forget.
    fn believe(&mut self, outcome: &Outcome, now: Timestamp) {
        let refused = match self.state.check(&self.quota, now, 1, None) {
            Decision::NotUntil { wait, .. } => wait > BUSY_INTERVAL + BUSY_INTERVAL,
            Decision::Conforms | Decision::Never => false,
        };
        let own = self.untold.saturating_add(self.pending);
        let left = outcome.remaining.saturating_sub(own);
        if outcome.conforms && refused && left > 0 {
            let full = self.quota.burst;
            self.state = State::new(&self.quota);
            let spent = full.saturating_sub(left);
            self.state.spend(&self.quota, now, spent, None);
        }
    }
}
