//! What comes twice happens once; and what may still come back is not counted on.

use std::collections::BTreeMap;

use weir::ledger::Reply;
use weir::time::Span;
use weir::wire::{Answer, Call, CallId, Charged, Item, Outcome};

use super::audit::peek;
use super::{Fate, Oracle, Place, REMEMBERED};
use crate::object::Object;
use crate::scenario::SECOND;

fn id_of(call: &Call) -> Option<CallId> {
    match call {
        Call::Refund { id } | Call::Settle { id, .. } => Some(*id),
        Call::Charge(charge) => Some(charge.id),
        _ => None,
    }
}

impl Oracle {
    /// A request is charged once by each object, however often the object was asked.
    pub fn check_once(&mut self, sent: &[(String, CallId)]) {
        let mut charged = BTreeMap::new();
        for (object, id) in sent {
            if self.charged.contains_key(id) && *charged.entry(object).or_insert(id) != id {
                return self.violate(format!("charged twice: {id:?}, under another id before"));
            }
        }
    }

    /// What the counters of a call show, where the object has carried it out before.
    pub fn before_repeat(&mut self, object: &Object, call: &Call, now: u64) -> Option<Vec<u64>> {
        let id = id_of(call)?;
        if matches!(call, Call::Settle { .. }) && !self.charged.contains_key(&id) {
            // It has overtaken what it settles, and came to nothing.
            return None;
        }
        let name = (object.name.clone(), call.encode());
        let seen = self.handled.insert(name, (object.epoch, object.shadow));
        let known = seen
            .is_some_and(|(epoch, at)| epoch == object.epoch && object.shadow < at + REMEMBERED);
        known.then(|| self.shown(object, id, now))
    }

    pub fn after_repeat(
        &mut self,
        object: &Object,
        call: &Call,
        before: Option<Vec<u64>>,
        now: u64,
    ) {
        let (Some(before), Some(id)) = (before, id_of(call)) else {
            return;
        };
        let after = self.shown(object, id, now);
        if before != after {
            self.violate(format!(
                "repeated, and carried out again: {before:?} to {after:?}"
            ));
        }
    }

    /// Whoever repeats a call counts the answer's spans from the repetition.
    pub fn check_told_again(&mut self, call: &(String, CallId), shadow: u64, again: &Charged) {
        let (Some((_, at)), Some(first)) = (self.answered.get(call), self.outcomes.get(call))
        else {
            return;
        };
        let gone = shadow - at;
        let too_long =
            |first: Span, again: Span| again.as_micros() > first.as_micros().saturating_sub(gone);
        let long = first.iter().zip(&again.outcomes).any(|(first, again)| {
            let more = again.permits > first.permits;
            more || too_long(first.lapse, again.lapse) || too_long(first.remember, again.remember)
        });
        if long && again.outcomes.len() == first.len() {
            self.violate(format!(
                "told again {gone} us later, and as if it were new: {again:?}"
            ));
        }
    }

    /// What is left of each counter that a call has charged.
    fn shown(&self, object: &Object, id: CallId, now: u64) -> Vec<u64> {
        let mut ledger = object.look_ahead(now);
        let (name, keys) = self.charged.get(&id).cloned().unwrap_or_default();
        let logs = keys
            .iter()
            .filter_map(|key| self.logs.get(&(name.clone(), *key)));
        let left = logs.filter_map(|log| peek(&mut ledger, &log.item, object.clock(now)));
        left.map(|outcome| outcome.remaining).collect()
    }

    /// A refusal may be remembered for longer than a second only if it would be one even after
    /// everything had come back that still may.
    pub fn check_to_remember(&mut self, object: &Object, item: &Item, outcome: &Outcome, now: u64) {
        if outcome.conforms || outcome.blocked || outcome.remember.as_micros() <= SECOND {
            return;
        }
        let place: Place = (object.name.clone(), item.key);
        let Some(log) = self.logs.get(&place) else {
            return;
        };
        let may_return: Vec<CallId> = log
            .entries
            .iter()
            .filter(|entry| {
                let open = entry.fate == Fate::Pending && entry.ended.is_none();
                let known = object.shadow < entry.from + REMEMBERED && entry.epoch == object.epoch;
                entry.lent && entry.span > 0 && open && known
            })
            .map(|entry| entry.id)
            .collect();
        if may_return.is_empty() {
            return;
        }
        let (mut ledger, clock) = (object.look_ahead(now), object.clock(now));
        for id in may_return {
            let Reply::Now(Answer::Done(_)) = ledger.handle(&Call::Refund { id }, clock) else {
                return;
            };
        }
        self.audits += 1;
        if peek(&mut ledger, item, clock).is_some_and(|outcome| outcome.conforms) {
            let text = format!(
                "{} refuses for {:?} to remember, and what may come back would do",
                self.name(item.key),
                outcome.remember
            );
            self.violate(text);
        }
    }
}
