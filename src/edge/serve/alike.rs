//! Plans of requests that differ in nothing that their plan depends on.
//!
//! Where method, URL and address were all that planning looked at, the next request with the same
//! ones has the same plan: the key is not hashed again, nor the path normalised.

use std::rc::Rc;

use crate::admission::Plan;
use crate::memo::Memo;
use crate::policy::Policy;

/// Plans remembered. At about 600 bytes each this is 600 KB.
const KEPT: usize = 1_024;
/// Longer plans are made anew: they could hold much memory.
const MOST_LIMITS: usize = 8;

/// Plans under one policy, by the head of their request.
#[derive(Debug)]
pub struct Plans {
    policy: Option<Rc<Policy>>,
    by_head: Memo<Rc<Plan>>,
}

impl Default for Plans {
    fn default() -> Plans {
        Plans {
            policy: None,
            by_head: Memo::new(KEPT),
        }
    }
}

impl Plans {
    /// The plan of a request with this head.
    pub fn find(&self, policy: &Rc<Policy>, head: &[u8]) -> Option<Rc<Plan>> {
        let known = self.policy.as_ref()?;
        Rc::ptr_eq(known, policy)
            .then(|| self.by_head.get(head))
            .flatten()
    }

    /// Keeps a plan that depends on the head alone.
    pub fn keep(&mut self, policy: &Rc<Policy>, head: &[u8], plan: &Rc<Plan>) {
        let is_short = plan.applied.len() <= MOST_LIMITS && plan.slots.is_empty();
        let depends = plan.applied.iter().any(|applied| applied.tier.is_some());
        if !is_short || depends || !plan.waiting_for_body.is_empty() {
            return;
        }
        let same = |known: &Rc<Policy>| Rc::ptr_eq(known, policy);
        if !self.policy.as_ref().is_some_and(same) {
            self.policy = Some(Rc::clone(policy));
            self.by_head = Memo::new(KEPT);
        }
        self.by_head.put(head, Rc::clone(plan));
    }
}
