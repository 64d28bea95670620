//! What a document asks for, fragments included.

use super::parse::{Definition, Fault, parse};
use super::{MAX_NESTING, invalid};
use crate::body::fault::BodyFault;
use crate::map::Sorted;

/// Sums over selections. All of them saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Operations defined.
    pub(super) operations: u64,
    /// Most fields inside each other.
    pub(super) depth: u64,
    /// Fields under another name.
    pub(super) aliases: u64,
    /// Fields.
    pub(super) selections: u64,
    /// Fields inside no other.
    pub(super) top: u64,
}

impl Weight {
    /// One more field, at this depth (1 is the top).
    pub(super) fn add_field(&mut self, depth: u64, alias: bool) {
        self.depth = self.depth.max(depth);
        self.aliases = self.aliases.saturating_add(u64::from(alias));
        self.selections = self.selections.saturating_add(1);
        self.top = self.top.saturating_add(u64::from(depth == 1));
    }

    /// What a fragment adds where it is spread inside `depth` fields.
    fn add_fragment(&mut self, fragment: Weight, depth: u64) {
        self.depth = self.depth.max(depth.saturating_add(fragment.depth));
        self.aliases = self.aliases.saturating_add(fragment.aliases);
        self.selections = self.selections.saturating_add(fragment.selections);
        if depth == 0 {
            self.top = self.top.saturating_add(fragment.top);
        }
    }

    /// Both are carried out.
    pub(super) fn and(self, other: Weight) -> Weight {
        Weight {
            operations: self.operations.saturating_add(other.operations),
            depth: self.depth.max(other.depth),
            aliases: self.aliases.saturating_add(other.aliases),
            selections: self.selections.saturating_add(other.selections),
            top: self.top.saturating_add(other.top),
        }
    }

    /// One of them is carried out, and it is not known which.
    fn or(self, other: Weight) -> Weight {
        Weight {
            operations: self.operations.saturating_add(other.operations),
            depth: self.depth.max(other.depth),
            aliases: self.aliases.max(other.aliases),
            selections: self.selections.max(other.selections),
            top: self.top.max(other.top),
        }
    }
}

/// Weighs a document. `pointer` is where it stands in the body.
#[inline(never)]
pub(super) fn weigh(pointer: &str, text: &str) -> Result<Weight, BodyFault> {
    let definitions = parse(text).map_err(|fault| explain(pointer, text, &fault))?;
    let named = definitions
        .iter()
        .filter_map(|definition| Some((definition.fragment?, (definition, State::New))));
    let fragments = Sorted::of(named.collect());
    if let Some(name) = fragments.repeated() {
        let found = format!("fragment {} is defined twice", shorten(name));
        return Err(invalid(pointer, &found));
    }
    let mut fragments = Fragments { pointer, fragments };
    let operations = definitions
        .iter()
        .filter(|definition| definition.fragment.is_none());
    let mut total: Option<Weight> = None;
    for operation in operations {
        let weight = fragments.weigh(operation, 0)?;
        total = Some(total.map_or(weight, |total| total.or(weight)));
    }
    total.ok_or_else(|| invalid(pointer, "no operation, only fragments"))
}

#[derive(Clone, Copy)]
enum State {
    New,
    /// Being weighed: spread inside itself if it is met again.
    Open,
    Done(Weight),
}

struct Fragments<'d, 'a> {
    pointer: &'d str,
    fragments: Sorted<&'a str, (&'d Definition<'a>, State)>,
}

impl<'d, 'a> Fragments<'d, 'a> {
    /// Recursion is bounded by `nesting`; each fragment is weighed once.
    fn weigh(
        &mut self,
        definition: &'d Definition<'a>,
        nesting: usize,
    ) -> Result<Weight, BodyFault> {
        if nesting > MAX_NESTING {
            return Err(too_nested());
        }
        let mut weight = definition.own;
        for spread in &definition.spreads {
            let fragment = self.fragment(spread.name, nesting)?;
            weight.add_fragment(fragment, spread.depth);
        }
        Ok(weight)
    }

    fn fragment(&mut self, name: &'a str, nesting: usize) -> Result<Weight, BodyFault> {
        let Some((definition, state)) = self.fragments.get_mut(name) else {
            return Err(invalid(
                self.pointer,
                &format!("fragment {} is not defined", shorten(name)),
            ));
        };
        match *state {
            State::Done(weight) => return Ok(weight),
            State::Open => {
                let detail = format!("fragment {} spreads itself", shorten(name));
                return Err(invalid(self.pointer, &detail));
            }
            State::New => *state = State::Open,
        }
        let definition = *definition;
        let weight = self.weigh(definition, nesting.saturating_add(1))?;
        if let Some((_, state)) = self.fragments.get_mut(name) {
            *state = State::Done(weight);
        }
        Ok(weight)
    }
}

#[cold]
fn explain(pointer: &str, text: &str, fault: &Fault) -> BodyFault {
    match *fault {
        Fault::TooNested => too_nested(),
        Fault::Unexpected { at, expected } => {
            let detail = match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(c) => format!("not GraphQL at byte {at}: found {c:?}, expected {expected}"),
                None => format!("not GraphQL: ends early, expected {expected}"),
            };
            invalid(pointer, &detail)
        }
    }
}

fn too_nested() -> BodyFault {
    let max = u64::try_from(MAX_NESTING).unwrap_or(u64::MAX);
    BodyFault::expensive("the nesting", max.saturating_add(1), max)
}

/// A name of the client's, short enough to repeat: names are ASCII.
fn shorten(name: &str) -> &str {
    name.get(..40).unwrap_or(name)
}

#[cfg(test)]
mod tests;
