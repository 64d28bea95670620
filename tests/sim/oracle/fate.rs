//! What becomes of a charge once it is made.

use std::collections::BTreeMap;

use weir::admission::{Verdict, verdict};
use weir::time::Span;
use weir::wire::{Answer, Call, CallId};

use super::{Fate, Oracle, REMEMBERED};
use crate::object::Object;

impl Oracle {
    /// An object has carried out a refund.
    pub fn refunded(&mut self, object: &Object, id: CallId) {
        let (epoch, shadow) = (object.epoch, object.shadow);
        self.refunds
            .entry((object.name.clone(), id))
            .or_insert((epoch, shadow));
        self.entries_of(id, |entry| {
            // What was final at once, or lent, is given back for as long as the call is known.
            let span = if entry.span == 0 || entry.lent {
                entry.span.max(REMEMBERED)
            } else {
                entry.span
            };
            let known = shadow < entry.from + span && entry.ended.is_none();
            if known && entry.epoch == epoch {
                entry.fate = Fate::Refunded;
                entry.ended = Some(shadow);
            }
        });
    }

    /// An object has settled a reservation.
    pub fn settled(&mut self, object: &Object, id: CallId, spent: &[(u32, u64)]) {
        let (epoch, shadow) = (object.epoch, object.shadow);
        let spent = spent.to_vec();
        let mut back = Vec::new();
        self.entries_of(id, |entry| {
            let units = spent
                .iter()
                .find(|(item, _)| *item == entry.item)
                .map(|(_, units)| *units);
            let held = shadow < entry.from + entry.span && entry.ended.is_none();
            if entry.span > 0 && !entry.settles && units.is_some() && held && entry.epoch == epoch {
                entry.ended = Some(shadow);
            }
            if let Some(units) = units
                && entry.settles
                && held
                && entry.epoch == epoch
            {
                entry.ended = Some(shadow);
                entry.to = shadow;
                if units == 0 {
                    entry.fate = Fate::Refunded;
                } else {
                    // What came back of it may be in a row for a while.
                    back.push(super::Entry {
                        units: entry.units.saturating_sub(units),
                        fate: Fate::Refunded,
                        ..entry.clone()
                    });
                    entry.units = units;
                }
            }
        });
        let (name, keys) = self.charged.get(&id).cloned().unwrap_or_default();
        for rest in back.into_iter().filter(|rest| rest.units > 0) {
            let of_it = |entry: &super::Entry| entry.id == id && entry.item == rest.item;
            let logs = keys.iter().map(|key| (name.clone(), *key));
            for place in logs {
                if let Some(log) = self.logs.get_mut(&place)
                    && log.entries.iter().any(of_it)
                {
                    log.entries.push(rest.clone());
                }
            }
        }
    }

    /// A request that had to wait for something goes to the origin: what was held for it is used now.
    pub fn went(&mut self, verdict: &Verdict, objects: &BTreeMap<String, Object>, now: u64) {
        for charge in &verdict.charges {
            let Some(object) = objects.get(&charge.object) else {
                continue;
            };
            self.go_on(charge.id, Some(object), now);
            let (name, keys) = self.charged.get(&charge.id).cloned().unwrap_or_default();
            for key in keys {
                self.check_quota(&(name.clone(), key), object.shadow);
            }
        }
    }

    pub(super) fn go_on(&mut self, id: CallId, object: Option<&Object>, now: u64) {
        // What a crash has taken is stored as spent when it was charged, however long it waits yet.
        let Some(object) = object.filter(|object| object.ledger.is_some()) else {
            return;
        };
        let at = object.shadow.max(object.clock(now).as_micros());
        let epoch = object.epoch;
        self.entries_of(id, |entry| {
            if !entry.settles && !entry.lent && entry.epoch == epoch && entry.ended.is_none() {
                entry.to = at;
            }
        });
    }

    /// An object was told that a charge stands, or may be taken back for longer.
    pub fn confirmed(&mut self, object: &Object, id: CallId, after: Span) {
        let (epoch, shadow) = (object.epoch, object.shadow);
        self.entries_of(id, |entry| {
            let open = shadow < entry.from + entry.span && entry.ended.is_none();
            if entry.settles || !open || entry.epoch != epoch {
                return;
            }
            if after.is_zero() {
                entry.ended = Some(shadow);
                if !entry.lent {
                    entry.to = entry.to.min(shadow);
                }
            } else {
                entry.lent = false;
                entry.span = shadow - entry.from + after.as_micros();
                entry.to = shadow + after.as_micros();
            }
        });
    }

    /// A request was refused by a limit: what may have been taken for it is given back.
    pub fn refused(
        &mut self,
        verdict: &Verdict,
        asked: &[(String, CallId)],
        answers: &[(CallId, Answer)],
    ) {
        let told = verdict
            .refunds
            .iter()
            .filter_map(|question| match question.call {
                Call::Refund { id } => Some(id),
                _ => None,
            });
        self.check_given_back(&told.collect::<Vec<_>>(), asked, answers);
    }

    /// A request was refused for want of a slot: the same.
    pub fn turned_away(
        &mut self,
        given_back: &[verdict::Charge],
        asked: &[(String, CallId)],
        answers: &[(CallId, Answer)],
    ) {
        let told: Vec<_> = given_back.iter().map(|charge| charge.id).collect();
        self.check_given_back(&told, asked, answers);
    }

    /// All that was asked is, but for what an object is known to have refused.
    fn check_given_back(
        &mut self,
        told: &[CallId],
        asked: &[(String, CallId)],
        answers: &[(CallId, Answer)],
    ) {
        for (_, id) in asked {
            let nothing = answers.iter().any(|(answered, answer)| {
                answered == id && matches!(answer, Answer::Charged(charged) if !charged.admitted)
            });
            if !nothing && !told.contains(id) {
                self.violate(format!("refused, and the charge {id:?} is not given back"));
            }
        }
    }
}
