//! What metrics tell of the present moment, beside the counters.

use crate::json::{Node, json};
use crate::map::sort_by;

use crate::admission::live::{InForce, Rejected};
use crate::telemetry::{SlotSeen, gauge, sample};

/// Writes the gauges. `slots` are objects with `rule`, `name`, `running` and `waiting`.
pub fn write(
    out: &mut String,
    slots: &[Node],
    in_force: Option<&InForce>,
    rejected: Option<&Rejected>,
) {
    gauge(
        out,
        "weir_policy_info",
        "The policy in force: its fingerprint, and where it came from.",
    );
    let (version, source) = in_force.map_or(("", "none"), |known| {
        (known.policy.fingerprint.as_str(), known.source.name())
    });
    let labels = format!("version=\"{version}\",source=\"{source}\"");
    sample(out, "weir_policy_info", &labels, 1);
    gauge(
        out,
        "weir_policy_fault",
        "1 where a policy was rejected and another, or none, is in force.",
    );
    sample(out, "weir_policy_fault", "", rejected.is_some().into());
    if slots.is_empty() {
        return;
    }
    gauge(out, "weir_slots", "Slots taken and places in the queue.");
    for slot in slots {
        let text = |name: &str| slot.get(name).and_then(Node::as_text).unwrap_or_default();
        let (rule, name) = (text("rule"), text("name"));
        for state in ["running", "waiting"] {
            let labels = format!("rule=\"{rule}\",name=\"{name}\",state=\"{state}\"");
            let count = slot.get(state).and_then(Node::as_u64).unwrap_or(0);
            sample(out, "weir_slots", &labels, count);
        }
    }
}

/// The slots of each concurrency limit, all of its keys together. `held` gives what runs and waits
/// under a key.
#[must_use]
pub fn slots(seen: &[SlotSeen], held: impl Fn(&str) -> (u64, u64)) -> Vec<Node> {
    let mut sums: Vec<(&str, &str, u64, u64)> = Vec::new();
    for slot in seen {
        let (running, waiting) = held(&slot.key);
        let known = sums
            .iter_mut()
            .find(|(rule, name, ..)| *rule == slot.rule && *name == slot.name);
        match known {
            Some((.., all_running, all_waiting)) => {
                *all_running = all_running.saturating_add(running);
                *all_waiting = all_waiting.saturating_add(waiting);
            }
            None => sums.push((&slot.rule, &slot.name, running, waiting)),
        }
    }
    sort_by(&mut sums, |one, other| one < other);
    let told = sums.into_iter().map(|(rule, name, running, waiting)| {
        json!({ "rule": rule, "name": name, "running": running, "waiting": waiting })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_of_a_concurrency_limit_are_added_up() {
        let seen = |name: &str, key: &str| SlotSeen {
            rule: "reports".to_owned(),
            name: name.to_owned(),
            object: "o".to_owned(),
            key: key.to_owned(),
        };
        let seen = [
            seen("tenant", "a"),
            seen("tenant", "b"),
            seen("global", "c"),
        ];
        let told = slots(&seen, |key| if key == "c" { (3, 0) } else { (2, 1) });
        let mut text = String::new();
        write(&mut text, &told, None, None);
        for line in [
            "weir_policy_info{version=\"\",source=\"none\"} 1",
            "weir_policy_fault 0",
            "weir_slots{rule=\"reports\",name=\"tenant\",state=\"running\"} 4",
            "weir_slots{rule=\"reports\",name=\"tenant\",state=\"waiting\"} 2",
            "weir_slots{rule=\"reports\",name=\"global\",state=\"running\"} 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
