//! Keys, against the rule that they stand in.

use crate::policy::fault::{Faults, Wrong, quoted};
use crate::policy::key::{KeyPart, KeySource, part};
use crate::policy::near::near;
use crate::policy::reader::Reader;

/// What of a rule its keys depend on.
pub struct Around {
    /// `:name`s of the rule's path patterns, for each pattern.
    pub captures: Vec<Vec<String>>,
    /// True where `body.max_bytes` is written, so that the body can be read.
    pub body_is_bounded: bool,
    /// True where a computed cost is defined.
    pub has_body_cost: bool,
}

impl Around {
    /// From the table of a rule.
    pub fn of(rule: &Reader<'_>) -> Around {
        let paths = rule.field("match").field("path").items();
        let captures = |path: &Reader<'_>| {
            let segments = path.text().unwrap_or_default().split('/');
            let names = segments.filter_map(|segment| segment.strip_prefix(':'));
            names.map(str::to_owned).collect()
        };
        let body = rule.field("body");
        Around {
            captures: paths.iter().map(captures).collect(),
            body_is_bounded: body.field("max_bytes").is_given(),
            has_body_cost: body.field("json").field("cost").is_given()
                || body.field("graphql").is_given(),
        }
    }
}

/// A key: its parts, each held against the rule.
pub fn key(reader: &Reader<'_>, around: &Around, faults: &mut Faults) -> Vec<KeyPart> {
    reader
        .items()
        .iter()
        .filter_map(|item| one(item, around, faults))
        .collect()
}

/// One key part, held against the rule.
pub fn one(reader: &Reader<'_>, around: &Around, faults: &mut Faults) -> Option<KeyPart> {
    let part = part(reader.text()?).ok()?;
    for source in &part.alternatives {
        match source {
            KeySource::Body(_) if !around.body_is_bounded => {
                let found = format!("{} needs the body read", quoted(reader.text()?));
                let expected = "write the rule's body.max_bytes, such as \"16KiB\"";
                faults.add(&reader.at, Wrong::new(found, expected));
            }
            KeySource::Path(name) => {
                let lacks = |names: &Vec<String>| !names.contains(name);
                if around.captures.is_empty() || around.captures.iter().any(lacks) {
                    let all = around.captures.iter().flatten().map(String::as_str);
                    let expected = match near(name, all) {
                        Some(near) if near != name => format!("did you mean \"path:{near}\"?"),
                        _ => format!("write \":{name}\" for a segment of every path of the match"),
                    };
                    let found = format!("the rule's path has no \":{name}\" everywhere");
                    faults.add(&reader.at, Wrong::new(found, expected));
                }
            }
            _ => {}
        }
    }
    Some(part)
}

/// What ties a part to one rule, where it has to serve without.
pub fn tied_to_a_rule(part: &KeyPart) -> Option<&'static str> {
    part.alternatives.iter().find_map(|source| match source {
        KeySource::Body(_) => Some("a field of the body, which is not read here"),
        KeySource::Path(_) | KeySource::Route => {
            Some("part of a rule's path, which is not known here")
        }
        _ => None,
    })
}
