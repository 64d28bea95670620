//! A document against a schema: the first fault in document order, in words for the client.

use super::{Count, Rules, Schema, Types};
use crate::body::fault::{BodyFault, push_token};
use crate::body::json::canonical::{canonical, find_repeated};
use crate::body::json::cost::shorten;
use crate::body::json::decimal::Decimal;
use crate::body::json::document::{Document, Kind};

impl Kind {
    /// "an array": what was found, in a sentence.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::False | Kind::True => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

impl Schema {
    /// Recursion is bounded by the depth of the schema.
    pub(crate) fn check(&self, document: &Document<'_>, at: u32) -> Result<(), BodyFault> {
        match self {
            Schema::Any => Ok(()),
            Schema::Nothing => Err(document.fault(at, "not allowed here")),
            Schema::Rules(rules) => rules.check(document, at),
        }
    }
}

impl Rules {
    fn check(&self, document: &Document<'_>, at: u32) -> Result<(), BodyFault> {
        let fault = |detail: String| document.fault(at, &detail);
        let kind = document.kind(at);
        let number = (kind == Kind::Number).then(|| document.number(at));
        if let Some(types) = self.types
            && !types.meets(types_of(kind, number.as_ref()))
        {
            let found = match kind {
                Kind::Number => shorten(document.raw(at)),
                _ => kind.name().to_owned(),
            };
            return Err(fault(format!("{found}, expected {}", types.phrase())));
        }
        if let Some(choices) = &self.choices
            && choices.binary_search(&canonical(document, at)).is_err()
        {
            return Err(fault("not one of the values allowed".to_owned()));
        }
        if let Some(number) = number {
            return self.check_number(document.raw(at), &number).map_err(fault);
        }
        match kind {
            Kind::String => {
                let length = document.string(at).chars().count();
                self.length.check(length, "characters").map_err(fault)
            }
            Kind::Array => self.check_array(document, at),
            Kind::Object => self.check_object(document, at),
            _ => Ok(()),
        }
    }

    fn check_number(&self, raw: &str, number: &Decimal) -> Result<(), String> {
        let fault = |phrase: &str, limit: &str| Err(format!("{}, {phrase} {limit}", shorten(raw)));
        for bound in &self.bounds {
            if !bound.relation.holds(number, &bound.value) {
                return fault(bound.relation.phrase(), &bound.written);
            }
        }
        match &self.multiple_of {
            Some((step, written)) if !number.is_multiple_of(step) => {
                fault("expected a multiple of", written)
            }
            _ => Ok(()),
        }
    }

    fn check_array(&self, document: &Document<'_>, at: u32) -> Result<(), BodyFault> {
        let fault = |detail: String| document.fault(at, &detail);
        let count = document.items(at).count();
        self.item_count.check(count, "items").map_err(fault)?;
        for (index, item) in document.items(at).enumerate() {
            if let Some(schema) = self.first_items.get(index).or(self.items.as_ref()) {
                schema.check(document, item)?;
            }
        }
        if self.unique
            && let Some((again, first)) = find_repeated(document, at)
        {
            return Err(fault(format!(
                "item {again} repeats item {first}, expected unique items"
            )));
        }
        Ok(())
    }

    fn check_object(&self, document: &Document<'_>, at: u32) -> Result<(), BodyFault> {
        let fault = |detail: String| document.fault(at, &detail);
        let count = document.members(at).count();
        self.members.check(count, "members").map_err(fault)?;
        let mut seen = vec![false; self.named.len()];
        for (name, value) in document.members(at) {
            let name = document.string(name);
            let found = self
                .named
                .binary_search_by(|named| named.name.as_str().cmp(&name));
            let named = found.ok().and_then(|index| self.named.get(index));
            if let Ok(index) = found
                && let Some(seen) = seen.get_mut(index)
            {
                *seen = true;
            }
            let schema = named.and_then(|named| named.schema.as_ref());
            if let Some(schema) = schema.or(self.unnamed.as_ref()) {
                schema.check(document, value)?;
            }
        }
        let missing = self
            .named
            .iter()
            .zip(seen)
            .find(|(named, seen)| named.required && !seen);
        match missing {
            Some((named, _)) => {
                let mut pointer = document.pointer(at);
                push_token(&mut pointer, &named.name);
                Err(BodyFault::invalid(pointer, "missing"))
            }
            None => Ok(()),
        }
    }
}

impl Count {
    fn check(self, found: usize, what: &str) -> Result<(), String> {
        let count = u64::try_from(found).unwrap_or(u64::MAX);
        match self {
            Count { min: Some(min), .. } if count < min => {
                Err(format!("{count} {what}, at least {min}"))
            }
            Count { max: Some(max), .. } if count > max => {
                Err(format!("{count} {what}, at most {max}"))
            }
            _ => Ok(()),
        }
    }
}

fn types_of(kind: Kind, number: Option<&Decimal>) -> Types {
    match kind {
        Kind::Null => Types::NULL,
        Kind::False | Kind::True => Types::BOOLEAN,
        Kind::Number if number.is_some_and(Decimal::is_integer) => {
            Types::NUMBER.with(Types::INTEGER)
        }
        Kind::Number => Types::NUMBER,
        Kind::String => Types::STRING,
        Kind::Array => Types::ARRAY,
        Kind::Object => Types::OBJECT,
    }
}
