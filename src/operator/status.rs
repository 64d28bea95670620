//! `GET status`: whether it works, in one look.

use crate::json::{Node, json};

use super::explain::mode;
use crate::admission::live::{InForce, Rejected};
use crate::policy::{Mode, Policy};

/// What `status` tells of one isolate.
#[derive(Clone, Copy, Debug)]
pub struct Status<'a> {
    /// The policy in force; None: traffic passes unlimited.
    pub in_force: Option<&'a InForce>,
    /// Another policy that is not in force.
    pub rejected: Option<&'a Rejected>,
    /// `WEIR_MODE`.
    pub override_mode: Option<Mode>,
    /// `KEY_SECRET` is set.
    pub has_key_secret: bool,
    /// The binding `COUNTER` is there.
    pub has_counter: bool,
    /// What isolates have counted could be read.
    pub has_totals: bool,
}

impl Status<'_> {
    /// The document. `failing` are the limits whose counters cannot be reached, as telemetry tells.
    #[must_use]
    pub fn document(&self, failing: Node) -> Node {
        let policy_mode = self.in_force.map_or(Mode::Off, |known| known.policy.mode);
        let fault = self.rejected.map(|rejected| {
            json!({
                "source": rejected.source.name(),
                "path": rejected.fault.path,
                "found": rejected.fault.found,
                "expected": rejected.fault.expected,
                "more": rejected.more,
            })
        });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "mode": mode(self.override_mode.unwrap_or(policy_mode)),
            "policy": json!({
                "source": self.in_force.map(|known| known.source.name()),
                "fingerprint": self.in_force.map(|known| &known.policy.fingerprint),
                "loaded_at": self.in_force.map(|known| known.loaded_at.as_millis_ceil()),
                "rules": self.in_force.map_or_else(Vec::new, |known| rules(&known.policy)),
                "fault": fault,
            }),
            "failing": failing,
            "warnings": self.warnings(),
        })
    }

    fn warnings(&self) -> Vec<&'static str> {
        let known = [
            (
                self.in_force.is_none(),
                "no policy is in force: traffic passes unlimited",
            ),
            (
                !self.has_key_secret,
                "KEY_SECRET is not set: names of objects and counters are pseudonyms that anybody can compute",
            ),
            (
                !self.has_counter,
                "the binding COUNTER is missing: no limit can be counted",
            ),
            (
                !self.has_totals,
                "the objects of the binding TELEMETRY cannot be reached: limits that fail are not known",
            ),
            (
                self.override_mode.is_some(),
                "WEIR_MODE is set and overrides the policy's own mode",
            ),
        ];
        let given = known.into_iter().filter(|(holds, _)| *holds);
        given.map(|(_, text)| text).collect()
    }
}

/// Rules with their limits, so that a person can choose one.
fn rules(policy: &Policy) -> Vec<Node> {
    let rules = policy.rules.iter().map(|rule| {
        json!({
            "name": rule.name,
            "mode": mode(rule.mode.min(policy.mode)),
            "limits": rule.limits.iter().map(|limit| json!({
                "name": limit.name,
                "parts": limit.key.len(),
                "quota": limit.quota.quota,
                "window_s": limit.quota.window.as_secs_ceil(),
            })).collect::<Vec<_>>(),
            "concurrency": rule.concurrency.iter().map(|slot| json!({
                "name": slot.name,
                "running": slot.running,
                "waiting": slot.waiting,
            })).collect::<Vec<_>>(),
        })
    });
    rules.collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::admission::live::Source;
    use crate::time::Timestamp;

    #[test]
    fn a_fault_is_told_with_its_place_and_the_policy_in_force_beside_it() {
        let policy = crate::policy::parse(r#"{"rules":[{"name":"a","limits":[{"name":"l","key":["ip"],"algorithm":"token-bucket","quota":1,"window":"1s"}]}]}"#).unwrap();
        let faults = crate::policy::parse(r#"{"rules":[{}]}"#).unwrap_err();
        let rejected = Rejected {
            source: Source::Kv,
            fault: faults[0].clone(),
            more: faults.len() - 1,
        };
        let in_force = InForce {
            policy: Rc::new(policy),
            source: Source::Variable,
            loaded_at: Timestamp::from_millis(5),
        };
        let status = Status {
            in_force: Some(&in_force),
            rejected: Some(&rejected),
            override_mode: Some(Mode::Shadow),
            has_key_secret: false,
            has_counter: true,
            has_totals: true,
        };
        let told = status.document(json!([])).told();
        assert_eq!(told["mode"], "shadow");
        assert_eq!(told["policy"]["source"], "POLICY");
        assert_eq!(told["policy"]["fingerprint"], in_force.policy.fingerprint);
        assert_eq!(told["policy"]["loaded_at"], 5);
        assert_eq!(told["policy"]["fault"]["path"], faults[0].path);
        assert_eq!(told["policy"]["rules"][0]["limits"][0]["parts"], 1);
        assert_eq!(told["warnings"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn without_a_policy_it_says_that_traffic_passes() {
        let status = Status {
            in_force: None,
            rejected: None,
            override_mode: None,
            has_key_secret: true,
            has_counter: true,
            has_totals: true,
        };
        let told = status.document(json!([])).told();
        assert_eq!(told["mode"], "off");
        assert_eq!(told["policy"]["fingerprint"], serde_json::Value::Null);
        assert_eq!(told["policy"]["fault"], serde_json::Value::Null);
        assert!(told["warnings"][0].as_str().unwrap().contains("unlimited"));
    }
}
