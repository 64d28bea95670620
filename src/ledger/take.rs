//! Taking the units of a charge that is admitted, and the permits of a lease beside them.

use super::Ledger;
use super::counter::{Hold, HoldName};
use super::promises::Promise;
use super::store::{Store, Urgency};
use crate::limit::{Algorithm, Loan};
use crate::time::Span;
use crate::wire::{Charge, CounterKey, Item, Outcome};

/// A charge that is provisional for no longer is one whose request is let through at once or not at
/// all: it counts from when it was made. It is twice the longest `counter_timeout`. A longer one
/// waits for a body, and counts from when that is known.
const LONGEST_LOAN: Span = Span::from_secs(20);

/// A lease takes at most this part of what is left, and while half of the quota or more is left, the
/// second part: nobody is about to be refused then.
const LEASED_SHARE: u64 = 8;
const AMPLE_SHARE: u64 = 4;

/// A lease lapses after this part of the window, within the two bounds.
const LAPSE_SHARE: u64 = 16;
const LEAST_LAPSE: Span = Span::from_secs(1);
const MOST_LAPSE: Span = Span::from_secs(10);

impl<S: Store> Ledger<S> {
    /// Takes an item's units, and its permits. Gives what it spent for good.
    pub(super) fn take(
        &mut self,
        charge: &Charge,
        place: u32,
        item: &Item,
        key: CounterKey,
        outcome: &mut Outcome,
    ) -> Option<(CounterKey, Loan)> {
        let now = self.now;
        let counter = self.table.get_mut(key)?;
        let name = |until, lease| HoldName {
            until,
            id: charge.id,
            item: place,
            lease,
        };
        let provisional_until = charge.provisional.map_or(now, |span| now + span);
        counter.durable = item.durable;
        let mut spent = None;
        match item.reserve.or(charge.provisional) {
            Some(span) if self.promises.have_room() => {
                let name = name(now + span, false);
                let settles = item.reserve.is_some();
                let hold = Hold {
                    units: item.cost,
                    value: item.value,
                    made_at: now,
                    lent_at: (!settles && span <= LONGEST_LOAN).then_some(now),
                    provisional_until,
                };
                counter.hold(now, name, hold);
                let promise = Promise {
                    name,
                    key,
                    units: item.cost,
                    settles,
                    beside_permits: item.permits > 0,
                };
                self.promises.insert(promise, now);
            }
            _ => {
                counter.spend(now, item.cost, item.value);
                let loan = Loan {
                    at: now,
                    units: item.cost,
                    value: item.value,
                };
                spent = Some((key, loan));
            }
        }
        outcome.remaining = counter.state.remaining(&item.quota, now);
        let permits = permits(item, outcome.remaining);
        if permits > 0 && self.promises.have_room() {
            let name = name(now + lapse(&item.quota.window), true);
            counter.hold(
                now,
                name,
                Hold {
                    units: permits,
                    value: None,
                    made_at: now,
                    lent_at: None,
                    provisional_until,
                },
            );
            let promise = Promise {
                name,
                key,
                units: permits,
                settles: true,
                beside_permits: false,
            };
            self.promises.insert(promise, now);
            outcome.permits = permits;
            // What is left besides them: the caller adds those that it still holds.
            outcome.remaining = counter.state.remaining(&item.quota, now);
            outcome.lapse = name.until.saturating_since(now);
        }
        outcome.reset = counter
            .state
            .next_gain(&item.quota, now)
            .unwrap_or_default();
        if item.durable {
            self.shelf.save(key, counter, now, Urgency::BeforeAnswer);
        } else {
            self.shelf.schedule(key, counter, now);
        }
        spent
    }
}

/// Distinct values cannot be leased: which they are is only known with the request. Under a `block`
/// a refusal has consequences, so it must not come from permits that are out elsewhere. What is left of a
/// lease after the last whole item would lapse unspent.
fn permits(item: &Item, remaining: u64) -> u64 {
    if item.quota.algorithm == Algorithm::Distinct || !item.block.is_empty() {
        return 0;
    }
    let ample = remaining >= item.quota.burst.div_ceil(2);
    let share = if ample { AMPLE_SHARE } else { LEASED_SHARE };
    let permits = item.permits.min(remaining.checked_div(share).unwrap_or(0));
    permits.saturating_sub(permits.checked_rem(item.cost).unwrap_or(0))
}

fn lapse(window: &Span) -> Span {
    let share = Span::from_micros(window.as_micros() / LAPSE_SHARE);
    share.clamp(LEAST_LAPSE, MOST_LAPSE)
}
