//! One line of waiters: arrival order within a `fair_by` value, turns between the values.

use crate::map::Map;
use crate::wire::CallId;

/// The keyed hash of a `fair_by` value; None where the limit has no `fair_by`. All waiters without
/// one form one group, which is plain arrival order.
pub(super) type Value = Option<u64>;

/// The place of a waiter in the order of arrival at this object. Never reused.
pub(super) type Arrival = u64;

/// Who stands before whom. Every operation is logarithmic in the number of waiters.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    groups: Map<Value, Group>,
    /// The values by their turns: the first is next.
    turns: Map<u64, Value>,
    /// The turn behind everybody else's.
    last_turn: u64,
}

#[derive(Clone, Debug)]
struct Group {
    turn: u64,
    members: Map<Arrival, CallId>,
}

impl Line {
    /// Stands a waiter in the line, before whoever of its value arrived later. A value that nobody
    /// stood for gets the last turn.
    pub fn join(&mut self, value: Value, arrival: Arrival, id: CallId) {
        let group = self.groups.get_or_insert_with(value, || {
            self.last_turn = self.last_turn.saturating_add(1);
            self.turns.insert(self.last_turn, value);
            Group {
                turn: self.last_turn,
                members: Map::new(),
            }
        });
        group.members.insert(arrival, id);
    }

    /// Takes a waiter out of the line without using up its value's turn.
    pub fn leave(&mut self, value: Value, arrival: Arrival) {
        let Some(group) = self.groups.get_mut(&value) else {
            return;
        };
        group.members.remove(&arrival);
        if group.members.is_empty() {
            self.turns.remove(&group.turn);
            self.groups.remove(&value);
        }
    }

    /// A waiter of this value was admitted: the value's next turn comes after everybody else's.
    pub fn pass_turn(&mut self, value: Value) {
        if let Some(group) = self.groups.get_mut(&value) {
            self.last_turn = self.last_turn.saturating_add(1);
            self.turns.remove(&group.turn);
            self.turns.insert(self.last_turn, value);
            group.turn = self.last_turn;
        }
    }

    /// Whose turn it is.
    pub fn first(&self) -> Option<CallId> {
        let (_, value) = self.turns.first_key_value()?;
        let (_, id) = self.groups.get(value)?.members.first_key_value()?;
        Some(*id)
    }
}
