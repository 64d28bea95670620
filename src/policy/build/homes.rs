//! How many counter objects one request would have to ask.

use crate::policy::fault::{Faults, Place, Wrong};
use crate::policy::key::{KeyPart, KeySource};
use crate::policy::limit::Scope;
use crate::policy::rule::Rule;

/// Most objects that one request asks: each is a call, and all of them must agree.
const MAX_HOMES: usize = 5;

/// Reports rules whose requests certainly meet more objects than there may be: those of the rule
/// and those of all rules without conditions. What a faulty rule will ask nobody knows yet.
pub fn check(rules: &[Rule], faults: &mut Faults) {
    let place = |index| Place::default().field("rules").item(index);
    let mut everywhere = Vec::new();
    let mut sound = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        if faults.any_inside(&place(index)) {
            continue;
        }
        sound.push((index, rule));
        if rule.matches.is_empty() && rule.skip.is_none() {
            everywhere.append(&mut homes(rule));
        }
    }
    for (index, rule) in sound {
        let mut met = homes(rule);
        met.extend(everywhere.iter().cloned());
        crate::map::sort_by(&mut met, |one, other| one < other);
        met.dedup();
        if met.len() > MAX_HOMES {
            let found = format!("one request would ask {} counter objects", met.len());
            let expected = format!(
                "at most {MAX_HOMES}: let more keys begin with the same part, or put \"ip\" into them"
            );
            faults.add(&place(index), Wrong::new(found, expected));
            // Where rules for everything are the cause, every other would say the same.
            if !everywhere.is_empty() {
                return;
            }
        }
    }
}

fn homes(rule: &Rule) -> Vec<String> {
    let limits = rule.limits.iter();
    let limits = limits.map(|limit| home(&limit.key, limit.scope, &limit.policy_name));
    let slots = rule.concurrency.iter();
    let slots = slots.map(|slots| home(&slots.key, Scope::Global, &slots.policy_name));
    limits.chain(slots).collect()
}

/// A name for the object: the caller's network, the first part of the key, or one for everybody.
fn home(key: &[KeyPart], scope: Scope, name: &str) -> String {
    let is_ip = |source: &KeySource| *source == KeySource::Ip;
    if key.iter().any(|part| part.any(is_ip)) {
        return "network".to_owned();
    }
    match key.first() {
        Some(part) => format!("{scope:?} {part:?}"),
        None => format!("{scope:?} {name}"),
    }
}
