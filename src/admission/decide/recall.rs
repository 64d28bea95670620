//! What is remembered of a key, before anything is decided: a refusal, or that another request asks.

use super::Begin;
use crate::admission::Memory;
use crate::admission::plan::Plan;
use crate::admission::verdict::Verdict;
use crate::policy::Policy;
use crate::time::Timestamp;

impl Memory {
    /// The refusal of a plan that is not complete yet, where this isolate remembers one: then what
    /// is missing need not be looked up.
    pub fn recall(&mut self, policy: &Policy, plan: &Plan, now: Timestamp) -> Option<Verdict> {
        let known = plan
            .applied
            .iter()
            .any(|applied| applied.item.enforce && self.denials.find(&applied.item, now).is_some());
        match known.then(|| self.begin(policy, plan, now)) {
            Some(Begin::Decided(verdict)) => Some(verdict),
            _ => None,
        }
    }

    /// Whether this request should wait for another one that is asking whether the refusal of their
    /// key is over, and will know in a few milliseconds: in all no longer than [`longest_wait`].
    #[must_use]
    pub fn is_asked_about(&self, plan: &Plan, now: Timestamp) -> bool {
        if self.denials.nobody_asks(now) {
            return false;
        }
        let mut asked = false;
        for applied in plan.applied.iter().filter(|applied| applied.item.enforce) {
            if self.denials.find(&applied.item, now).is_some() {
                return false;
            }
            // Nobody learns anything of an object that is left alone.
            asked |= self.denials.is_asked(&applied.item, now)
                && !self.breakers.is_open(&applied.object);
        }
        asked
    }
}
