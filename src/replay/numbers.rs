//! The numbers of a policy that somebody may want to turn, and where in its text they stand: so that
//! an editor can change one of them and leave the rest as it was written, comments and all.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Fields of a limit that are offered, at any depth: a tier has its own.
const FIELDS: [&str; 4] = ["quota", "window", "burst", "cost"];

/// Numbers of one policy at most.
const MOST: usize = 200;

/// How deep a document is looked into.
const DEPTH: u8 = 16;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Number {
    /// `rule.limit`, and below it whatever else the number is within: `api.key free`.
    pub limit: String,
    /// `quota`, `window`, `burst` or `cost`.
    pub field: &'static str,
    /// As it is written, quotes left out: `120`, `1m`.
    pub value: String,
    /// Where that begins, in UTF-16 units, as a browser counts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The numbers of a policy in JSON or TOML, or of a wrangler configuration that has one; none where
/// the text is neither, or has the policy inside a string.
#[must_use]
pub fn numbers(text: &str) -> Vec<Number> {
    let root = if text.trim_start().starts_with('{') {
        let raw: Result<&RawValue, _> = serde_json::from_str(text);
        raw.ok().map(|raw| of_json(text, raw, DEPTH))
    } else {
        DeTable::parse(text)
            .ok()
            .map(|table| of_table(table.get_ref(), DEPTH))
    };
    let Some(root) = root else { return Vec::new() };
    let within = root.get("vars").and_then(|vars| vars.get("POLICY"));
    let policy = within.or(root.get("POLICY")).unwrap_or(&root);
    let mut found = Found {
        text,
        numbers: Vec::new(),
    };
    for rule in policy.get("rules").map_or(&[][..], Spot::items) {
        let of_rule = found.name(rule);
        for limit in rule.get("limits").map_or(&[][..], Spot::items) {
            let name = format!("{of_rule}.{}", found.name(limit));
            found.look(&name, limit);
        }
    }
    found.numbers
}

/// A document as places in its text.
enum Spot {
    /// Bytes from, to; quotes left out.
    Leaf(usize, usize),
    List(Vec<Spot>),
    Table(Vec<(String, Spot)>),
}

impl Spot {
    fn get(&self, name: &str) -> Option<&Spot> {
        match self {
            Spot::Table(fields) => fields
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, spot)| spot),
            Spot::Leaf(..) | Spot::List(_) => None,
        }
    }

    fn items(&self) -> &[Spot] {
        match self {
            Spot::List(items) => items,
            Spot::Leaf(..) | Spot::Table(_) => &[],
        }
    }
}

fn of_table(table: &DeTable<'_>, depth: u8) -> Spot {
    let fields = table.iter().map(|(name, value)| {
        let name = name.get_ref().clone().into_owned();
        (name, of_value(value, depth))
    });
    Spot::Table(fields.collect())
}

fn of_value(value: &Spanned<DeValue<'_>>, depth: u8) -> Spot {
    let span = value.span();
    let leaf = Spot::Leaf(span.start, span.end);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    match value.get_ref() {
        DeValue::Table(table) => of_table(table, depth),
        DeValue::Array(items) => {
            Spot::List(items.iter().map(|item| of_value(item, depth)).collect())
        }
        _ => leaf,
    }
}

fn of_json(text: &str, raw: &RawValue, depth: u8) -> Spot {
    let here = raw.get();
    let start = (here.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let leaf = Spot::Leaf(start, start.saturating_add(here.len()));
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    if let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(here) {
        let fields = fields.into_iter();
        return Spot::Table(
            fields
                .map(|(name, raw)| (name, of_json(text, raw, depth)))
                .collect(),
        );
    }
    match serde_json::from_str::<Vec<&RawValue>>(here) {
        Ok(items) => Spot::List(
            items
                .into_iter()
                .map(|raw| of_json(text, raw, depth))
                .collect(),
        ),
        Err(_) => leaf,
    }
}

struct Found<'a> {
    text: &'a str,
    numbers: Vec<Number>,
}

impl Found<'_> {
    /// What stands at a leaf, with its place; None of a string that is written with escapes.
    fn written(&self, spot: &Spot) -> Option<(usize, &str)> {
        let Spot::Leaf(start, end) = *spot else {
            return None;
        };
        let text = self.text.get(start..end)?;
        let inside = ['"', '\'']
            .iter()
            .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
        match inside {
            Some(inside) => {
                let plain = !inside.contains(['\\', '"', '\'', '\n']);
                plain.then_some((start.saturating_add(1), inside))
            }
            None => Some((start, text)),
        }
    }

    fn name(&self, table: &Spot) -> String {
        let written = table.get("name").and_then(|name| self.written(name));
        written.map_or_else(|| "?".to_owned(), |(_, name)| name.to_owned())
    }

    fn look(&mut self, limit: &str, spot: &Spot) {
        let Spot::Table(fields) = spot else { return };
        for field in FIELDS {
            let written = spot.get(field).and_then(|spot| self.written(spot));
            if let Some((start, value)) = written
                && value.starts_with(|first: char| first.is_ascii_digit())
                && self.numbers.len() < MOST
            {
                let utf16 = |part: Option<&str>| part.map_or(0, |part| part.encode_utf16().count());
                let before = utf16(self.text.get(..start));
                let number = Number {
                    limit: limit.to_owned(),
                    field,
                    value: value.to_owned(),
                    start: before,
                    end: before.saturating_add(value.len()),
                };
                self.numbers.push(number);
            }
        }
        for (name, inner) in fields {
            if matches!(name.as_str(), "quotas" | "tiers" | "tier") {
                self.look(limit, inner);
            } else {
                self.look(&format!("{limit} {name}"), inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let found = numbers(text);
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.limit.as_str(), one.field, one.value.as_str()))
            .collect();
        assert_eq!(told, expected);
        let utf16: Vec<u16> = text.encode_utf16().collect();
        for one in &found {
            let there = String::from_utf16(&utf16[one.start..one.end]);
            assert_eq!(there.expect("whole characters"), one.value);
        }
    }

    #[test]
    fn in_toml_with_what_stands_around_them() {
        check(
            "# quota = 7 – 𝄞\n[[rules]]\nname = 'r' # é\nlimits = [\n  { name = \"ip\", quota = 1_000, window = \"60s\" },\n  { name = \"b\", burst = 20, cost = \"body\" }, # 𝄞\n]\n[[rules]]\nname = \"s\"\n[[rules.limits]]\nname = \"k\"\nquota = 5\n[rules.limits.quotas.free]\nquota = 9\nwindow = '1m'\n",
            &[
                ("r.ip", "quota", "1_000"),
                ("r.ip", "window", "60s"),
                ("r.b", "burst", "20"),
                ("s.k", "quota", "5"),
                ("s.k free", "quota", "9"),
                ("s.k free", "window", "1m"),
            ],
        );
    }

    #[test]
    fn in_json_and_within_a_wrangler_configuration() {
        let limit = r#"{"name": "é", "quota":  30, "window" : "10s"}"#;
        let policy = format!(r#"{{ "rules": [{{"name":"r","limits":[{limit}]}}] }}"#);
        let expected = [("r.é", "quota", "30"), ("r.é", "window", "10s")];
        check(&policy, &expected);
        check(&format!(r#"{{"vars": {{"POLICY": {policy}}}}}"#), &expected);
        check(
            "[vars.POLICY]\n[[vars.POLICY.rules]]\nname='r'\nlimits=[{name=\"é\",quota=30,window=\"10s\"}]",
            &expected,
        );
    }

    #[test]
    fn what_cannot_be_changed_in_place_is_left_out() {
        for text in [
            "",
            "{",
            "rules = 3",
            "[[rules]]\nlimits = 3",
            "{\"rules\": {}}",
            "[vars]\nPOLICY = '{\"rules\":[]}'",
            "[[rules]]\nname='r'\nlimits=[{name='l',window=\"\\u0036s\",quota=\"x\"}]",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{}1{}", "{\"a\":".repeat(100), "}".repeat(100));
        check(&deep, &[]);
        let limits = "{\"name\":\"l\",\"quota\":1},".repeat(1_000);
        let wide = format!(
            "{{\"rules\":[{{\"name\":\"r\",\"limits\":[{}]}}]}}",
            limits.trim_end_matches(',')
        );
        assert_eq!(numbers(&wide).len(), MOST);
    }
}
