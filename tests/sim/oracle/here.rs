//! What isolates let through without asking (`precision = "optimistic"`).

use std::collections::{BTreeMap, BTreeSet};

use weir::admission::plan::Plan;
use weir::admission::{Verdict, tally};
use weir::limit::Algorithm;
use weir::policy::Policy;
use weir::time::Span;
use weir::wire::{CallId, Charge, CounterKey, Item};

use super::quota::exceeds;
use super::{Entry, Fate, Oracle, Place};
use crate::object::Object;

/// One isolate's units of one counter: when, how many.
type Passed = Vec<(u64, u64, Option<u64>)>;

#[derive(Debug, Default)]
pub struct Here {
    passed: BTreeMap<Place, u64>,
    told: BTreeMap<Place, u64>,
    reports: BTreeSet<CallId>,
    by_isolate: BTreeMap<(usize, CounterKey), Passed>,
    /// Since when an isolate knows what it knows.
    began: BTreeMap<usize, u64>,
}

impl Here {
    /// An isolate was thrown away, and another one is in its place.
    pub fn isolate_gone(&mut self, isolate: usize, now: u64) {
        self.by_isolate.retain(|(one, _), _| *one != isolate);
        self.began.insert(isolate, now);
    }
}

impl Oracle {
    /// A request was let through by an isolate, which it had reached at `came`: each by itself keeps
    /// the whole quota.
    pub fn passed_here(
        &mut self,
        policy: &Policy,
        (plan, verdict): (&Plan, &Verdict),
        objects: &BTreeMap<String, Object>,
        (isolate, came): (usize, u64),
    ) {
        for (index, applied) in plan.applied.iter().enumerate() {
            let asked = verdict.charges.iter().any(|it| it.covers.contains(&index))
                || verdict.unreached.iter().any(|(at, _)| *at == index);
            let conforms = verdict.outcomes.get(index).copied().flatten();
            let conforms = conforms.is_some_and(|outcome| outcome.conforms);
            if asked || !conforms || !tally::decides(policy, applied) {
                continue;
            }
            let (item, place) = (&applied.item, (applied.object.clone(), applied.item.key));
            *self.here.passed.entry(place.clone()).or_default() += item.cost;
            // What an object has been made to forget, isolates do too; windows that are aligned begin
            // by the isolate's clock, which is not looked at here.
            let aligned = matches!(
                item.quota.algorithm,
                Algorithm::FixedWindow | Algorithm::SlidingCounter
            );
            let object = objects.get(&applied.object);
            let upset = object.is_some_and(|one| one.upset_at.is_some() || one.shaken);
            let log = self.logs.get(&place);
            let forgotten = log.is_some_and(|log| {
                log.most != item.quota.limit || log.entries.iter().any(|entry| entry.forgiven)
            });
            let before = self.here.began.get(&isolate).is_some_and(|at| came <= *at);
            let passed = self.here.by_isolate.entry((isolate, item.key)).or_default();
            passed.push((came, item.cost, None));
            passed.sort_unstable();
            if before {
                continue;
            }
            if aligned || upset || forgotten || !item.enforce {
                passed.clear();
                continue;
            }
            if let Some(fault) = exceeds(&item.quota, passed) {
                let text = format!("{} by one isolate: {fault}", self.name(item.key));
                self.violate(text);
            }
        }
    }

    /// An object has counted what an isolate had let through: never more than that.
    pub fn reported(&mut self, object: &Object, charge: &Charge) {
        if !self.here.reports.insert(charge.id) {
            return;
        }
        for item in charge.items.iter().filter(|item| item.taken.is_some()) {
            let place = (object.name.clone(), item.key);
            let passed = self.here.passed.get(&place).copied().unwrap_or(0);
            let told = self.here.told.entry(place).or_default();
            *told += item.cost;
            let told = *told;
            if told > passed {
                let text = format!(
                    "{} was told of {told} units, but {passed} were let through",
                    self.name(item.key)
                );
                return self.violate(text);
            }
        }
    }
}

/// Units that were let through `ago`, on average, and are charged now.
pub fn told(
    (id, place): (CallId, u32),
    item: &Item,
    ago: Span,
    object: &Object,
    now: u64,
) -> Entry {
    let span = ago.as_micros();
    Entry {
        id,
        item: place,
        units: item.cost,
        value: None,
        from: object.shadow.saturating_sub(span),
        to: object.shadow,
        span,
        settles: false,
        lent: false,
        lease: false,
        paid: false,
        fate: Fate::Admitted,
        real: now,
        epoch: object.epoch,
        durable: false,
        forgiven: false,
        ended: None,
    }
}
