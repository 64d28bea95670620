//! What one counter says to one request, and how long a refusal stays true.

use super::counter::{Hold, HoldName};
use crate::limit::{Block, Decision, Quota, State};
use crate::map::Map;
use crate::time::{Span, Timestamp};
use crate::wire::Outcome;

/// An operator's unblock takes hold within this, so no refusal is remembered for longer.
const MOST_REMEMBERED: Span = Span::from_secs(10);

/// Permits may come back early, and refunds late; a refusal that they may undo is remembered no longer
/// than this.
const MOST_REMEMBERED_OF_UNSURE: Span = Span::from_secs(1);

/// Promises whose ends are told apart when looking ahead. Beyond, several count as ending when the
/// last of them does, so that the wait is long enough rather than exact.
const STEPS_AHEAD: usize = 64;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub quota: Quota,
    pub cost: u64,
    pub value: Option<u64>,
}

/// What is known of a counter that is asked.
pub(super) struct View<'a> {
    pub state: &'a State,
    pub block: Block,
    pub holds: &'a Map<HoldName, Hold>,
    /// A refund may give back what counts as spent for good.
    pub returnable: bool,
}

impl View<'_> {
    /// What may yet be spent, in the order of ends; what is lent is spent already.
    fn held(&self) -> impl Iterator<Item = (HoldName, &Hold)> {
        self.holds.iter().filter(|(_, hold)| hold.lent_at.is_none())
    }
}

/// The answer of one counter. The second part is true for a violation in the sense of `block`: the
/// quota itself refuses, for now.
pub(super) fn verdict(view: &View<'_>, ask: &Ask, now: Timestamp) -> (Outcome, bool) {
    let quota = &ask.quota;
    let mut outcome = Outcome {
        remaining: view.state.remaining(quota, now),
        reset: view.state.next_gain(quota, now).unwrap_or_default(),
        ..Outcome::default()
    };
    let decision = view.state.check(quota, now, ask.cost, ask.value);
    let blocked = view.block.blocked(now);
    let mut violation = false;
    match decision {
        Decision::Conforms => outcome.conforms = blocked.is_none(),
        Decision::Never => {
            outcome.retry_after = Span::MAX;
            outcome.remember = MOST_REMEMBERED;
        }
        Decision::NotUntil { wait, certain } => {
            outcome.retry_after = if view.held().next().is_none() {
                wait
            } else {
                wait_for_holds(view, ask, now)
            };
            outcome.remember = certain.min(MOST_REMEMBERED);
            if certain.is_zero() {
                outcome.provisional = only_provisional(view, ask, now);
                if !outcome.provisional {
                    let first = view.holds.keys().next().map(|name| name.until);
                    let until_first = first.unwrap_or(now).saturating_since(now);
                    let most = MOST_REMEMBERED_OF_UNSURE.min(outcome.retry_after);
                    outcome.remember = until_first.min(most);
                }
            }
            if view.returnable {
                outcome.remember = outcome.remember.min(MOST_REMEMBERED_OF_UNSURE);
            }
            violation = blocked.is_none() && !outcome.provisional;
        }
    }
    if let Some(remaining) = blocked {
        stay_blocked(&mut outcome, remaining);
    }
    (outcome, violation)
}

/// The refusal is a block that lasts this long.
pub(super) fn stay_blocked(outcome: &mut Outcome, remaining: Span) {
    outcome.blocked = true;
    outcome.remaining = 0;
    outcome.provisional = false;
    outcome.retry_after = outcome.retry_after.max(remaining);
    outcome.remember = outcome.remember.max(remaining).min(MOST_REMEMBERED);
}

/// From now until the request fits, if nothing happens but that every promise ends in its time.
///
/// What is promised weighs until it ends and only then starts to fade, so the future is played
/// through: the room never shrinks on the way, so the first end before which the request fits
/// brackets the moment.
fn wait_for_holds(view: &View<'_>, ask: &Ask, now: Timestamp) -> Span {
    let quota = &ask.quota;
    let fits = |state: &State, at: Timestamp| {
        matches!(
            state.check(quota, at, ask.cost, ask.value),
            Decision::Conforms
        )
    };
    let mut state = view.state.clone();
    let mut since = now;
    let holds: Vec<(HoldName, &Hold)> = view.held().collect();
    for batch in holds.chunks(holds.len().div_ceil(STEPS_AHEAD).max(1)) {
        let Some((last, _)) = batch.last() else { break };
        let end = last.until.max(since);
        if fits(&state, end) {
            return first_fit(|at| fits(&state, at), since, end).saturating_since(now);
        }
        for (_, hold) in batch {
            state.settle(quota, end, hold.units, hold.units, hold.value);
        }
        since = end;
    }
    let rest = match state.check(quota, since, ask.cost, ask.value) {
        Decision::Conforms => Span::ZERO,
        Decision::NotUntil { wait, .. } => wait,
        Decision::Never => Span::MAX,
    };
    since.saturating_since(now) + rest
}

/// The first instant after `before`, at which it does not hold, and not after `end`, at which it
/// does, where `fits` holds.
fn first_fit(fits: impl Fn(Timestamp) -> bool, before: Timestamp, end: Timestamp) -> Timestamp {
    let (mut low, mut high) = (before.as_micros(), end.as_micros());
    while high.saturating_sub(low) > 1 {
        let middle = low.midpoint(high);
        if fits(Timestamp::from_micros(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Timestamp::from_micros(high)
}

/// Would the request fit if just the charges that wait for other objects were taken back?
fn only_provisional(view: &View<'_>, ask: &Ask, now: Timestamp) -> bool {
    let provisional = |hold: &&Hold| hold.provisional_until > now;
    if view.holds.values().all(|hold| provisional(&hold)) {
        // Something stands in the way that may come back, and all of that is provisional.
        return !view.holds.is_empty();
    }
    let mut state = view.state.clone();
    let mut any = false;
    // The latest first: they are the nearest to the end of a log.
    let holds: Vec<&Hold> = view.holds.values().filter(provisional).collect();
    for hold in holds.into_iter().rev() {
        any = true;
        match hold.loan() {
            Some(loan) => state.take_back(&ask.quota, now, &loan),
            None => state.settle(&ask.quota, now, hold.units, 0, hold.value),
        }
    }
    any && matches!(
        state.check(&ask.quota, now, ask.cost, ask.value),
        Decision::Conforms
    )
}
