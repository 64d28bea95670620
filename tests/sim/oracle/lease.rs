//! What isolates let through with the permits that they hold.

use std::collections::BTreeMap;

use weir::admission::Verdict;
use weir::admission::plan::Plan;
use weir::wire::CallId;

use super::{Entry, Fate, Oracle};
use crate::object::Object;
use crate::scenario::SECOND;

/// Longer than any permit lives.
const OUT: u64 = 11 * SECOND;

/// Permits that an isolate was given: until when, by true time, and how many are left.
#[derive(Debug, Default)]
pub struct Purse(BTreeMap<u64, u64>);

impl Purse {
    pub fn put(&mut self, permits: u64, until: u64) {
        *self.0.entry(until).or_default() += permits;
    }

    /// Takes out what a request is paid with, the first to lapse first: if that does not do, nothing
    /// would have. False where so much is not there.
    fn take(&mut self, mut units: u64, now: u64) -> bool {
        self.0.retain(|until, left| *until > now && *left > 0);
        for left in self.0.values_mut() {
            let taken = units.min(*left);
            *left -= taken;
            units -= taken;
        }
        units == 0
    }
}

impl Oracle {
    /// A request was let through: what permits paid for is used now.
    pub fn paid_with_permits(
        &mut self,
        plan: &Plan,
        verdict: &Verdict,
        objects: &BTreeMap<String, Object>,
        (isolate, now): (usize, u64),
    ) {
        for (index, applied) in plan.applied.iter().enumerate() {
            let Some(object) = objects.get(&applied.object) else {
                continue;
            };
            let paid = verdict.paid.contains(&index);
            let purse = (isolate, (object.name.clone(), applied.item.key));
            // A clock that was set back makes a repeated answer's spans too long, and its lapse too.
            if paid
                && !object.shaken
                && !self
                    .purses
                    .get_mut(&purse)
                    .is_some_and(|purse| purse.take(applied.item.cost, now))
            {
                let text = format!(
                    "{} was paid with permits that had lapsed or were never given",
                    self.name(applied.item.key)
                );
                return self.violate(text);
            }
            // Permits that an object has forgotten, or whose end its clock has skipped.
            let excused =
                object.upset_at.is_some_and(|at| now < at + OUT) || object.broken_since.is_some();
            if !paid || excused {
                continue;
            }
            let at = object.shadow.max(object.clock(now).as_micros());
            let place = (object.name.clone(), applied.item.key);
            let Some(log) = self.logs.get_mut(&place) else {
                self.violate("let through with a permit that nobody gave".into());
                return;
            };
            log.entries.push(Entry {
                id: CallId(0),
                item: 0,
                units: applied.item.cost,
                value: None,
                from: at,
                to: at,
                span: 0,
                settles: false,
                lent: true,
                lease: false,
                paid: true,
                fate: Fate::Admitted,
                real: now,
                epoch: object.epoch,
                durable: false,
                forgiven: false,
                ended: None,
            });
            self.permits += 1;
            self.check_quota(&place, at);
        }
    }
}
