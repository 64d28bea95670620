//! CORS preflights: charged to no rule, so they may carry nothing that costs anything.

use super::Plan;
use super::body::BodyPlan;
use crate::http::code::Code;
use crate::http::refusal::Refusal;
use crate::policy::Mode;

/// The refusal of a preflight that carries a body. No browser sends one.
#[must_use]
pub fn check(plan: &Plan, mode: Mode, body: &BodyPlan) -> Option<Refusal> {
    let carries = body.present && body.declared != Some(0);
    (plan.preflight && mode == Mode::Enforce && carries)
        .then(|| Refusal::new(Code::BodyTooLarge).detailed("A CORS preflight may carry no body."))
}
