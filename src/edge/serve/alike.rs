//! Plans of requests that differ in nothing that their plan depends on.
//!
//! Where method, URL and address were all that planning looked at, the next request with the same
//! ones has the same plan: the key is not hashed again, nor the path normalised.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Exchange;
use crate::admission::Plan;
use crate::edge::js::{self, Shape};
use crate::edge::origin;
use crate::http::fields::{self, QuotaView};
use crate::memo::Memo;
use crate::policy::Policy;

/// Plans remembered. At about 800 bytes each this is 800 KB.
const KEPT: usize = 1_024;
/// Longer plans are made anew: they could hold much memory.
const MOST_LIMITS: usize = 8;

/// A plan, and what follows from it.
pub struct Known {
    /// The plan.
    pub plan: Rc<Plan>,
    /// Where permits pay for it, nothing else is left to do before the origin.
    pub is_payable: bool,
    lane: OnceCell<Option<Lane>>,
}

/// What becomes of every request of a plan that permits pay for, numbers apart.
pub struct Lane {
    /// The way to the origin, see [`origin::route`].
    pub route: Option<String>,
    /// What the answer says of the quotas.
    pub shape: Rc<Shape>,
}

impl Known {
    /// Of a plan.
    pub fn new(plan: Rc<Plan>, is_payable: bool) -> Known {
        Known {
            plan,
            is_payable,
            lane: OnceCell::new(),
        }
    }

    /// Where its requests that are paid for go; None where they differ in more than numbers.
    pub fn lane(&self, exchange: &Exchange, views: &[QuotaView<'_>]) -> Option<&Lane> {
        let lane = || {
            let text = fields::shape(&exchange.policy.headers, views)?;
            let route = origin::route(&exchange.isolate, &exchange.facts).ok()?;
            let shape = exchange.isolate.plans.borrow_mut().shape(text);
            Some(Lane { route, shape })
        };
        self.lane.get_or_init(lane).as_ref()
    }
}

/// Plans under one policy, by the head of their request.
pub struct Plans {
    policy: Option<Rc<Policy>>,
    by_head: Memo<Rc<Known>>,
    /// The last shape that was made: most plans have the same.
    last: Option<(String, Rc<Shape>)>,
}

impl Default for Plans {
    fn default() -> Plans {
        Plans {
            policy: None,
            by_head: Memo::new(KEPT),
            last: None,
        }
    }
}

impl Plans {
    /// The plan of a request with this head.
    pub fn find(&self, policy: &Rc<Policy>, head: &[u8]) -> Option<Rc<Known>> {
        let known = self.policy.as_ref()?;
        Rc::ptr_eq(known, policy)
            .then(|| self.by_head.get(head))
            .flatten()
    }

    /// Keeps a plan that depends on the head alone.
    pub fn keep(&mut self, policy: &Rc<Policy>, head: &[u8], known: Known) {
        let plan = &known.plan;
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
        self.by_head.put(head, Rc::new(known));
    }

    fn shape(&mut self, text: String) -> Rc<Shape> {
        if let Some((known, shape)) = &self.last
            && *known == text
        {
            return Rc::clone(shape);
        }
        let shape = Rc::new(js::shape(&text));
        self.last = Some((text, Rc::clone(&shape)));
        shape
    }
}
