//! Plans of requests that differ in nothing that their plan depends on.
//!
//! Where method, URL and address were all that planning looked at, the next request with the same
//! ones has the same plan: the key is not hashed again, nor the path normalised.

use std::cell::OnceCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::Exchange;
use crate::admission::body::BodyPlan;
use crate::admission::{Plan, quotas};
use crate::edge::js::{self, Shape};
use crate::edge::origin::{self, Added};
use crate::edge::request::Head;
use crate::edge::{clock, telemetry};
use crate::http::fields::{self, QuotaView};
use crate::policy::Policy;
use crate::telemetry::{End, Source};
use crate::time::{Span, Timestamp};

/// Plans remembered, the latest. At about 900 bytes each this is 900 KB.
const KEPT: i32 = 1_024;
/// Longer heads are not kept, so that a stranger's long URL cannot hold much memory.
const LONGEST_HEAD: usize = 160;
/// Longer plans are made anew: they could hold much memory.
const MOST_LIMITS: usize = 8;

/// A plan, and what follows from it.
pub struct Known {
    /// The head of its requests.
    pub head: Rc<Head>,
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
    /// Of a plan that depends on the head alone.
    pub fn new(head: Rc<Head>, plan: Rc<Plan>, is_payable: bool) -> Known {
        Known {
            head,
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

/// Plans under one policy, by numbers that JavaScript keeps by the heads of requests: so a head that is
/// known does not cross over.
#[derive(Default)]
pub struct Plans {
    policy: Option<Rc<Policy>>,
    by_number: Vec<Option<Rc<Known>>>,
    next: i32,
    /// The last shape that was made: most plans have the same.
    last: Option<(String, Rc<Shape>)>,
}

impl Plans {
    /// The plan of requests whose head has this number.
    pub fn find(&self, policy: &Rc<Policy>, number: i32) -> Option<Rc<Known>> {
        let number = usize::try_from(number).ok()?;
        let known = self.by_number.get(number)?.as_ref()?;
        self.is_under(policy).then(|| Rc::clone(known))
    }

    /// Keeps a plan that was made for the head that JavaScript looked up last.
    pub fn keep(&mut self, policy: &Rc<Policy>, known: Known) {
        let plan = &known.plan;
        let is_short = plan.applied.len() <= MOST_LIMITS && plan.slots.is_empty();
        let depends = plan.applied.iter().any(|applied| applied.tier.is_some());
        let is_long = known.head.len() > LONGEST_HEAD;
        if is_long || !is_short || depends || !plan.waiting_for_body.is_empty() {
            return;
        }
        if !self.is_under(policy) {
            self.policy = Some(Rc::clone(policy));
            self.by_number.clear();
        }
        let number = self.next;
        self.next = number.saturating_add(1).checked_rem(KEPT).unwrap_or(0);
        let place = usize::try_from(number).unwrap_or(0);
        if place >= self.by_number.len() {
            self.by_number.resize(place.saturating_add(1), None);
        }
        if let Some(slot) = self.by_number.get_mut(place) {
            *slot = Some(Rc::new(known));
            js::number_latest(number);
        }
    }

    fn is_under(&self, policy: &Rc<Policy>) -> bool {
        let known = self.policy.as_ref();
        known.is_some_and(|known| Rc::ptr_eq(known, policy))
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

impl Exchange {
    /// Goes on with the plan of a request that passed every guard and had no body.
    pub(super) fn go_on_as_before(self, known: &Known) -> JsValue {
        let now = clock::now();
        if known.is_payable
            && let Some(passed) = self.pass_outright(known, now)
        {
            return passed;
        }
        let plan = Rc::clone(&known.plan);
        self.look_at_body();
        let body = BodyPlan::new(&self.policy, &plan, self.mode(), false, Some(0));
        self.count(plan, body, now)
    }

    /// Hands the request on where permits of this isolate pay for it.
    fn pass_outright(&self, known: &Known, now: Timestamp) -> Option<JsValue> {
        let plan = &known.plan;
        let verdict = {
            let mut memory = self.isolate.memory.borrow_mut();
            memory.pay_outright(plan, now)?
        };
        telemetry::decided(Source::Lease, Span::ZERO);
        let views = quotas::views(&self.policy, plan, &verdict);
        let Some(lane) = known.lane(self, &views) else {
            return Some(self.pass(plan, &verdict, now));
        };
        let added = Added::shaped(&lane.shape, &views);
        let passed = origin::send(&self.isolate, &self.facts, lane.route.as_deref(), &added);
        telemetry::record(self, plan, &verdict, End::Passed, now);
        Some(passed)
    }
}
