//! JSON as it is written: of most values only where they end is looked at.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object as they are written: most of a line is never looked at.
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;

        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(All)
    }
}

/// A string, borrowed where it is written without escapes.
pub struct Name<'a>(pub Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// The members of objects, a list's first entry standing for it.
pub fn pairs<'a>(objects: &[&'a RawValue]) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let mut all = Vec::new();
    for object in objects {
        let members: Result<Members<'a>, _> = serde_json::from_str(object.get());
        for (name, value) in members.map_or_else(|_| Vec::new(), |members| members.0) {
            let list: Option<Vec<&'a RawValue>> = serde_json::from_str(value.get()).ok();
            let value = match list {
                Some(list) => list.first().copied(),
                None => Some(value),
            };
            if let Some(value) = value.and_then(text) {
                all.push((name, value));
            }
        }
    }
    all
}

/// A string, or a number or a flag as it is written.
pub fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let written = value.get();
    match written.as_bytes().first()? {
        b'"' => serde_json::from_str(written)
            .ok()
            .map(|Name(text): Name<'_>| text),
        b'{' | b'[' | b'n' => None,
        // As one number has one spelling.
        b'0'..=b'9' if written.contains(['e', 'E']) => {
            let number: serde_json::Number = serde_json::from_str(written).ok()?;
            Some(Cow::Owned(number.to_string()))
        }
        _ => Some(Cow::Borrowed(written)),
    }
}
