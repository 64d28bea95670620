//! Which policy is in force: the one in KV, the one before it, or the variable `POLICY`.
//!
//! A document that does not load never replaces one that did. Where the isolate has a good one,
//! that stays; else KV's previous one, which `weir push` maintains; else the variable's; with none
//! at all, traffic passes. Whoever owns a [`Live`] reads KV for it: nothing here waits.

use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::policy::{self, Fault, Policy};
use crate::time::{Span, Timestamp};

mod source;

pub use source::{InForce, Read, Rejected, Source};

/// KV is asked again this long after it failed, or after a read that never reported.
const RETRY: Span = Span::from_secs(5);

/// What a request has to do about KV before it uses the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing.
    Nothing,
    /// Read it behind the response.
    Behind,
    /// Read it and wait, briefly: this isolate has not heard of KV yet.
    Wait,
}

/// What came of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// All is as it was.
    Same,
    /// Another policy is in force.
    Changed,
    /// The document was rejected.
    Rejected,
}

/// The policy in force, and what has to happen for it to stay the right one.
#[derive(Debug)]
pub struct Live {
    variable: Option<Rc<Policy>>,
    variable_fault: Option<Rejected>,
    has_kv: bool,
    in_force: Option<InForce>,
    kv_fault: Option<Rejected>,
    /// The hash of the text that KV gave last.
    seen: Option<[u8; 32]>,
    /// KV has said, in this isolate, what is to be in force: a policy that loads, or none.
    settled: bool,
    /// KV was asked once; from then on nobody waits.
    asked: bool,
    due: Timestamp,
}

impl Live {
    /// Starts from the variable's text, if it is set. `has_kv`: the binding `POLICY_KV` exists.
    #[must_use]
    pub fn start(variable: Option<&str>, has_kv: bool, now: Timestamp) -> Live {
        let parsed = match variable {
            Some(text) => policy::parse(text).map_err(|faults| rejected(Source::Variable, faults)),
            None => Err(rejected(
                Source::Variable,
                vec![Fault {
                    path: "POLICY".to_owned(),
                    found: "not set".to_owned(),
                    expected: "write [vars.POLICY] in wrangler.toml".to_owned(),
                }],
            )),
        };
        let (variable, variable_fault) = match parsed {
            Ok(policy) => (Some(Rc::new(policy)), None),
            Err(rejected) => (None, Some(rejected)),
        };
        let in_force = variable.clone().map(|policy| InForce {
            policy,
            source: Source::Variable,
            loaded_at: now,
        });
        Live {
            variable,
            variable_fault,
            has_kv,
            in_force,
            kv_fault: None,
            seen: None,
            settled: false,
            asked: false,
            due: now,
        }
    }

    /// The policy in force, if any ever loaded.
    #[must_use]
    pub fn in_force(&self) -> Option<&InForce> {
        self.in_force.as_ref()
    }

    /// Why the latest document is not in force.
    #[must_use]
    pub fn fault(&self) -> Option<&Rejected> {
        self.kv_fault.as_ref().or(self.variable_fault.as_ref())
    }

    /// True where KV may hold a policy.
    #[must_use]
    pub fn has_kv(&self) -> bool {
        self.has_kv
    }

    /// What a request that comes now has to do about KV. `Behind` is said to one request at a time,
    /// and again later should that one never report.
    pub fn need(&mut self, now: Timestamp) -> Need {
        if !self.has_kv {
            return Need::Nothing;
        }
        if !self.asked {
            return Need::Wait;
        }
        if now < self.due {
            return Need::Nothing;
        }
        self.due = now + RETRY;
        Need::Behind
    }

    /// A request has waited for KV for as long as it may.
    pub fn gave_up(&mut self, now: Timestamp) {
        if !self.asked {
            self.asked = true;
            self.due = now + RETRY;
        }
    }

    /// Takes in what KV has under `policy`.
    pub fn take_in(&mut self, read: Read, now: Timestamp) -> Taken {
        self.asked = true;
        let cache = |live: &Live| {
            let policy = live.in_force.as_ref().map(|in_force| &in_force.policy);
            policy.map_or(RETRY, |policy| policy.policy_cache)
        };
        let taken = match read {
            Read::Failed => {
                self.due = now + RETRY;
                return Taken::Same;
            }
            Read::Absent => self.without_kv(now),
            Read::TooLarge => {
                self.seen = None;
                self.reject(vec![Fault {
                    path: "policy".to_owned(),
                    found: format!("more than {} bytes", policy::node::MAX_BYTES),
                    expected: "write less".to_owned(),
                }])
            }
            Read::Text(text) => {
                let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
                if self.seen == Some(hash) {
                    Taken::Same
                } else {
                    self.seen = Some(hash);
                    match policy::parse(&text) {
                        Ok(policy) => {
                            self.put_in_force(policy, Source::Kv, now);
                            self.kv_fault = None;
                            Taken::Changed
                        }
                        Err(faults) => self.reject(faults),
                    }
                }
            }
        };
        self.due = now + cache(self);
        taken
    }

    /// True where `policy:previous` has to be read, for what is under `policy` does not load and
    /// this isolate has no good one.
    #[must_use]
    pub fn wants_previous(&self) -> bool {
        self.kv_fault.is_some() && !self.settled
    }

    /// Takes in what KV has under `policy:previous`. One that does not load either is not reported:
    /// the fault to be mended is in the newer one.
    pub fn take_in_previous(&mut self, read: &Read, now: Timestamp) -> Taken {
        if !self.wants_previous() {
            return Taken::Same;
        }
        let Read::Text(text) = read else {
            return Taken::Same;
        };
        let Ok(policy) = policy::parse(text) else {
            return Taken::Same;
        };
        self.put_in_force(policy, Source::Previous, now);
        Taken::Changed
    }

    fn put_in_force(&mut self, policy: Policy, source: Source, now: Timestamp) {
        self.settled = true;
        self.in_force = Some(InForce {
            policy: Rc::new(policy),
            source,
            loaded_at: now,
        });
    }

    fn without_kv(&mut self, now: Timestamp) -> Taken {
        self.settled = true;
        self.kv_fault = None;
        self.seen = None;
        let changes = self
            .in_force
            .as_ref()
            .is_some_and(|in_force| in_force.source != Source::Variable);
        match &self.variable {
            Some(policy) if changes => {
                self.in_force = Some(InForce {
                    policy: Rc::clone(policy),
                    source: Source::Variable,
                    loaded_at: now,
                });
                Taken::Changed
            }
            _ => Taken::Same,
        }
    }

    fn reject(&mut self, faults: Vec<Fault>) -> Taken {
        let rejected = rejected(Source::Kv, faults);
        if self.kv_fault.as_ref() == Some(&rejected) {
            return Taken::Same;
        }
        self.kv_fault = Some(rejected);
        Taken::Rejected
    }
}

fn rejected(source: Source, faults: Vec<Fault>) -> Rejected {
    let more = faults.len().saturating_sub(1);
    let fault = faults.into_iter().next().unwrap_or_else(|| Fault {
        path: "policy".to_owned(),
        found: "something unreadable".to_owned(),
        expected: "write one whole JSON document".to_owned(),
    });
    Rejected {
        source,
        fault,
        more,
    }
}

#[cfg(test)]
mod tests;
