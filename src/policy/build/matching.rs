//! Matchers.

use crate::policy::fault::{Faults, Wrong};
use crate::policy::glob::Glob;
use crate::policy::matcher::{Matcher, pattern};
use crate::policy::reader::Reader;
use crate::policy::syntax;

/// A matcher. What is absent holds for every request.
pub fn matcher(reader: &Reader<'_>, faults: &mut Faults) -> Matcher {
    let fold = reader.field("case_insensitive").flag().unwrap_or(false);
    let not = reader.field("not");
    Matcher {
        paths: reader.field("path").texts(|text| pattern(text, fold)),
        methods: reader.field("method").texts(|text| Ok(text.to_owned())),
        hosts: reader.field("host").texts(syntax::host),
        ips: reader.field("ip").texts(syntax::network),
        countries: reader
            .field("country")
            .texts(|text| Ok(text.to_ascii_uppercase())),
        asns: reader.field("asn").node.map(|_| {
            let items = reader.field("asn").items();
            items.iter().filter_map(|item| item.whole(1)).collect()
        }),
        headers: reader
            .field("header")
            .entries()
            .into_iter()
            .filter_map(|(name, glob)| {
                Some((name.to_ascii_lowercase(), Glob(glob.text()?.to_owned())))
            })
            .collect(),
        cookies: names(&reader.field("cookie")),
        queries: names(&reader.field("query")),
        verified_bot: reader.field("bot").is_given(),
        not: exception(&not, faults).map(Box::new),
    }
}

/// A matcher that takes requests out. An empty one would take all of them.
pub fn exception(reader: &Reader<'_>, faults: &mut Faults) -> Option<Matcher> {
    reader.node?;
    let only_folds = reader
        .entries()
        .iter()
        .all(|(name, _)| *name == "case_insensitive");
    if reader.is_empty_table() || only_folds {
        let expected = "leave it out, or name the requests";
        let found = "an empty match, which holds for every request";
        faults.add(&reader.at, Wrong::new(found, expected));
    }
    Some(matcher(reader, faults))
}

fn names(reader: &Reader<'_>) -> Vec<String> {
    reader.texts(|text| Ok(text.to_owned())).unwrap_or_default()
}
