//! What a report names: networks, keys, slots. Each list has a bound.

use std::rc::Rc;

use super::{KeySeen, NAMED, Named, Network, OTHERS, Sums};
use crate::admission::Plan;
use crate::admission::plan::Applied;
use crate::policy::Policy;
use crate::telemetry::Outcome;
use crate::wire::CounterKey;

impl Sums {
    pub(super) fn network(&mut self, rule: usize, network: Network, passed: u64, refused: u64) {
        let find = |list: &[(usize, Network, u64, u64)], wanted: Network| {
            list.iter()
                .position(|(at, known, ..)| *at == rule && *known == wanted)
        };
        let place = find(&self.networks, network).unwrap_or_else(|| {
            // Beyond the bound those of one rule are told together.
            let is_full = self.networks.len() >= NAMED;
            let network = if is_full { OTHERS } else { network };
            find(&self.networks, network).unwrap_or_else(|| {
                self.networks.push((rule, network, 0, 0));
                self.networks.len().saturating_sub(1)
            })
        });
        if let Some((.., all_passed, all_refused)) = self.networks.get_mut(place) {
            *all_passed = all_passed.saturating_add(passed);
            *all_refused = all_refused.saturating_add(refused);
        }
        if self.networks.len() > NAMED.saturating_mul(2) {
            let mut pending = std::mem::take(&mut self.pending);
            self.write(&mut pending);
            self.pending = pending;
        }
    }

    pub(super) fn key(
        &mut self,
        named: Named,
        cell: usize,
        applied: &Applied,
        network: impl FnOnce() -> Network,
    ) {
        // Of a limit that fails it does not matter who calls.
        let fails = matches!(
            named,
            Named::Outcome(Outcome::FailedOpen | Outcome::FailedClosed)
        );
        let key = if fails {
            CounterKey([0; 16])
        } else {
            applied.item.key
        };
        let known = self
            .keys
            .iter_mut()
            .find(|known| known.key == key && known.cell == cell && known.named == named);
        if let Some(known) = known {
            known.count = known.count.saturating_add(1);
        } else if self.keys.len() < NAMED {
            self.keys.push(KeySeen {
                named,
                cell,
                key,
                network: if fails { Network::default() } else { network() },
                object: applied.object.clone(),
                item: (!fails).then(|| Box::new(applied.item.clone())),
                count: 1,
            });
        }
    }

    /// Notes the slots that a request asks for.
    pub fn wants_slots(&mut self, policy: &Rc<Policy>, plan: &Plan) {
        self.adopt(policy);
        for slot in &plan.slots {
            self.slot(slot.rule, slot.concurrency, &slot.object, slot.slot.key);
        }
    }

    fn slot(&mut self, rule: usize, concurrency: usize, object: &str, key: CounterKey) {
        if self.slots.iter().any(|(_, _, known)| *known == key) || self.slots.len() >= NAMED {
            return;
        }
        if let Some(cell) = self.slot_cell(rule, concurrency) {
            self.slots.push((cell, object.to_owned(), key));
        }
    }

    /// The cell of a concurrency limit.
    pub(super) fn slot_cell(&self, rule: usize, concurrency: usize) -> Option<usize> {
        let limits = self.policy.as_ref()?.rules.get(rule)?.limits.len();
        let first = self.first.get(rule)?;
        Some(first.saturating_add(limits).saturating_add(concurrency))
    }
}
