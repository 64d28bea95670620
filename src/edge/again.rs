//! Refusals from memory that look like one that was made lately are made of the same parts: in a
//! flood, rendering one and handing it over costs more than deciding it.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::serve::Exchange;
use super::{js, respond, telemetry};
use crate::admission::refusals::{self, Shaped, alike};
use crate::admission::{Plan, Verdict};
use crate::memo::Memo;
use crate::policy::{Policy, RequestView};
use crate::telemetry::End;
use crate::time::Timestamp;

/// As many as glue.js keeps.
const KEPT: usize = 64;

thread_local! {
    static MADE: RefCell<Made> = const {
        RefCell::new(Made { policy: None, by_signature: Memo::new(KEPT), next: 0 })
    };
}

/// What was refused lately, under one policy.
struct Made {
    policy: Option<Rc<Policy>>,
    by_signature: Memo<(u32, Rc<Shaped>)>,
    next: u32,
}

/// Refuses what a verdict from memory refuses.
pub fn refuse(exchange: &Exchange, plan: &Plan, verdict: &Verdict, now: Timestamp) -> JsValue {
    let signature = alike::signature(plan, verdict).map(|mut signature| {
        signature.push(u8::from(exchange.facts.method() == "HEAD"));
        signature
    });
    let known = signature
        .as_deref()
        .and_then(|signature| MADE.with_borrow_mut(|made| made.of(&exchange.policy, signature)));
    if let Some((id, shaped)) = known {
        let response = js::again(id.into(), &exchange.facts.request);
        if !response.is_undefined() {
            telemetry::record(exchange, plan, verdict, End::Refused(&shaped), now);
            return response;
        }
    }
    let shaped = Rc::new(refusals::of_verdict(&exchange.policy, plan, verdict));
    telemetry::record(exchange, plan, verdict, End::Refused(&shaped), now);
    let rule = shaped.rule.and_then(|rule| exchange.policy.rules.get(rule));
    // With `cors` the answer depends on where the caller comes from.
    let has_cors = rule.is_some_and(|rule| rule.cors.is_some());
    let id = signature
        .filter(|_| !has_cors)
        .map(|signature| MADE.with_borrow_mut(|made| made.keep(&signature, &shaped)));
    let id = id.map_or(js::NOT_KEPT, f64::from);
    respond::kept(exchange, plan, verdict, &shaped, id)
}

impl Made {
    fn of(&mut self, policy: &Rc<Policy>, signature: &[u8]) -> Option<(u32, Rc<Shaped>)> {
        let same = self
            .policy
            .as_ref()
            .is_some_and(|known| Rc::ptr_eq(known, policy));
        if !same {
            self.policy = Some(Rc::clone(policy));
            self.by_signature = Memo::new(KEPT);
        }
        self.by_signature.get(signature)
    }

    fn keep(&mut self, signature: &[u8], shaped: &Rc<Shaped>) -> u32 {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        self.by_signature.put(signature, (id, Rc::clone(shaped)));
        id
    }
}
