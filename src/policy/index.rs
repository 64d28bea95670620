//! Which rules a path could concern, without asking each of them.
//!
//! Rules are filed under the literal segments that their patterns begin with; a request looks under
//! the beginnings of its own path. A policy of many rules for many paths costs what the few that
//! could match cost.

use super::rule::Rule;
use crate::http::path::{Pattern, normalise, segments};
use crate::http::pattern::fold;
use crate::map::Sorted;

/// Literal segments that a rule is filed under at most, and beginnings that a request looks under.
const DEPTH: usize = 4;

/// The rules of a policy, by the beginnings of their paths.
#[derive(Clone, Debug, Default)]
pub struct Index {
    exact: Sorted<String, Vec<usize>>,
    folded: Sorted<String, Vec<usize>>,
}

impl Index {
    /// Files the rules.
    #[must_use]
    pub fn new(rules: &[Rule]) -> Index {
        let mut index = Index::default();
        for (number, rule) in rules.iter().enumerate() {
            match &rule.matches.paths {
                None => file(&mut index.exact, String::new(), number),
                Some(patterns) => {
                    for pattern in patterns {
                        if pattern.is_case_insensitive() {
                            file(&mut index.folded, beginning(pattern), number);
                        } else {
                            file(&mut index.exact, beginning(pattern), number);
                        }
                    }
                }
            }
        }
        index
    }

    /// Numbers of the rules that the normalised path could concern, in the operator's order. Every
    /// rule whose patterns fit is among them.
    #[must_use]
    pub fn candidates(&self, path: &str) -> Vec<usize> {
        let mut found = Vec::new();
        look(&self.exact, segments(path), &mut found);
        if !self.folded.is_empty() {
            look(&self.folded, segments(path).map(fold), &mut found);
        }
        crate::map::sort_by(&mut found, |one, other| one < other);
        found.dedup();
        found
    }
}

fn file(map: &mut Sorted<String, Vec<usize>>, beginning: String, rule: usize) {
    match map.get_mut(&beginning) {
        Some(rules) => rules.push(rule),
        None => {
            map.insert(beginning, vec![rule]);
        }
    }
}

fn look<S: AsRef<str>>(
    map: &Sorted<String, Vec<usize>>,
    segments: impl Iterator<Item = S>,
    found: &mut Vec<usize>,
) {
    let mut beginning = String::new();
    found.extend(map.get("").into_iter().flatten());
    for segment in segments.take(DEPTH) {
        beginning.push('/');
        beginning.push_str(segment.as_ref());
        found.extend(map.get(&beginning).into_iter().flatten());
    }
}

fn beginning(pattern: &Pattern) -> String {
    let literals: Vec<&str> = segments(pattern.as_str())
        .take_while(|segment| !segment.starts_with(':') && *segment != "*")
        .take(DEPTH)
        .collect();
    let mut beginning = String::new();
    for literal in literals {
        let normal = normalise(literal).into_owned();
        let segment = normal.trim_start_matches('/');
        beginning.push('/');
        if pattern.is_case_insensitive() {
            beginning.push_str(&fold(segment));
        } else {
            beginning.push_str(segment);
        }
    }
    beginning
}
