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

impl Oracle {
    /// A request was let through: what permits paid for is used now.
    pub fn paid_with_permits(
        &mut self,
        plan: &Plan,
        verdict: &Verdict,
        objects: &BTreeMap<String, Object>,
        now: u64,
    ) {
        for (index, applied) in plan.applied.iter().enumerate() {
            let Some(object) = objects.get(&applied.object) else {
                continue;
            };
            // Permits that an object has forgotten, or whose end its clock has skipped.
            let excused =
                object.upset_at.is_some_and(|at| now < at + OUT) || object.broken_since.is_some();
            if !verdict.paid.contains(&index) || excused {
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
