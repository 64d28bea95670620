//! What became of a request's charges.

use super::decide::Question;
use super::local::Kept;
use super::plan::{Applied, Plan, Settle};
use crate::time::Span;
use crate::wire::{CallId, Outcome};

/// The verdict over all charges of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Per applied limit: what it says, where anything was said.
    pub outcomes: Vec<Option<Outcome>>,
    /// Applied limits that refuse, by index.
    pub refused: Vec<usize>,
    /// Applied limits whose counter could not be reached and that do not let pass then.
    pub unavailable: Vec<usize>,
    /// Applied limits that were decided without their counter: by index, and whether by `local`.
    pub unreached: Vec<(usize, bool)>,
    /// What this isolate has charged itself, where a counter could not be reached.
    pub kept_here: Vec<Kept>,
    /// Reservations to settle once the response is known.
    pub reservations: Vec<Reservation>,
    /// What to tell objects, whatever comes of it: charges taken back.
    pub refunds: Vec<Question>,
    /// What to tell objects that this isolate has decided without; see [`super::tally`].
    pub reports: Vec<Question>,
    /// Charges that stand, to be taken back if the request comes to nothing before the origin.
    pub charges: Vec<Charge>,
    /// The refusal came from this isolate's memory.
    pub remembered: bool,
    /// Applied limits that this isolate's permits have paid for, by index.
    pub paid: Vec<usize>,
}

/// A charge that an object holds for this request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The object.
    pub object: String,
    /// Its place.
    pub hint: String,
    /// The charge.
    pub id: CallId,
    /// The plan's applied limits that it is about, in the order of its items.
    pub covers: Vec<usize>,
}

/// Units held until the response says what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The object.
    pub object: String,
    /// Its place.
    pub hint: String,
    /// The charge.
    pub id: CallId,
    /// The item's index in the charge.
    pub item: u32,
    /// Units held.
    pub held: u64,
    /// What decides.
    pub settle: Settle,
}

impl Verdict {
    /// True where the request may go on.
    #[must_use]
    pub fn admitted(&self) -> bool {
        self.refused.is_empty() && self.unavailable.is_empty()
    }

    /// The response decides about something that was charged.
    #[must_use]
    pub fn awaits_response(&self) -> bool {
        let here = self.kept_here.iter().any(|kept| kept.settle.is_some());
        here || !self.reservations.is_empty()
    }

    /// The longest that any refusing limit asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Span {
        self.refused
            .iter()
            .filter_map(|index| self.outcomes.get(*index).copied().flatten())
            .map(|outcome| outcome.retry_after)
            .max()
            .unwrap_or(Span::from_secs(1))
    }

    /// Applied limits that would refuse but are in shadow.
    pub fn shadowed<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = &'a Applied> {
        plan.applied
            .iter()
            .zip(&self.outcomes)
            .filter(|(applied, outcome)| {
                !applied.item.enforce && outcome.is_some_and(|outcome| !outcome.conforms)
            })
            .map(|(applied, _)| applied)
    }
}
