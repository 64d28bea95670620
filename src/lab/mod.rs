//! The policy lab's side of the browser: a replay that is fed from a Web Worker.
//!
//! Compiled in place of the Worker (feature `lab`); nothing here reaches the network or a clock.

use crate::policy::{self, Fault, Mode, Node, Policy};
use crate::replay::attack::{Attack, Kind};
use crate::replay::{Options, Replay, numbers};
use wasm_bindgen::prelude::*;

/// A replay under way.
#[wasm_bindgen]
pub struct Lab {
    policy: Policy,
    replay: Replay,
    attack: Option<Attack>,
}

#[wasm_bindgen]
impl Lab {
    /// Reads a policy in JSON or TOML, or a wrangler configuration that has one. `mode` and `tier`
    /// may be empty.
    ///
    /// # Errors
    /// Every fault of the policy, one a line.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, mode: &str, tier: &str) -> Result<Lab, JsError> {
        let policy = read(text).map_err(|faults| JsError::new(&faults.join("\n")))?;
        Ok(Lab {
            replay: Replay::new(policy.clone(), options(mode, tier)),
            policy,
            attack: None,
        })
    }

    /// The same log against another policy, without reading it again: then [`Lab::step`] goes
    /// through it.
    ///
    /// # Errors
    /// Every fault of the policy, one a line; the lab is as before.
    pub fn again(&mut self, text: &str, mode: &str, tier: &str) -> Result<(), JsError> {
        let fresh = Lab::new(text, mode, tier)?;
        let options = options(mode, tier);
        let old = std::mem::replace(&mut self.replay, fresh.replay);
        self.replay = old.again(fresh.policy.clone(), options);
        self.policy = fresh.policy;
        Ok(())
    }

    /// Keeps what is read from now on, within so many bytes.
    pub fn keep(&mut self, bytes: usize) {
        self.replay.keep(bytes);
    }

    /// True where all that was read was kept.
    #[must_use]
    pub fn has_all(&self) -> bool {
        self.replay.has_all()
    }

    /// Begins a file.
    pub fn begin(&mut self, file: &str) {
        self.replay.begin(file);
    }

    /// Takes a piece of it, cut wherever.
    pub fn feed(&mut self, piece: &[u8]) {
        self.replay.feed(piece);
    }

    /// The file is over.
    pub fn end(&mut self) {
        self.replay.end();
    }

    /// Makes up `requests` requests; false where there is no such attack.
    pub fn attack(&mut self, kind: &str, requests: u32) -> bool {
        let kind = Kind::parse(kind);
        self.attack = kind.map(|kind| Attack::new(kind, &self.policy, u64::from(requests)));
        self.attack.is_some()
    }

    /// Replays at most so many requests, of the attack or of what was kept; false where those were
    /// the last.
    pub fn step(&mut self, most: usize) -> bool {
        let Some(attack) = &mut self.attack else {
            return self.replay.step(most);
        };
        let mut taken: usize = 0;
        for entry in attack.by_ref().take(most) {
            self.replay.request(&entry);
            taken = taken.saturating_add(1);
        }
        taken == most
    }

    /// How many requests were kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.replay.kept()
    }

    /// Requests so far.
    #[must_use]
    pub fn requests(&self) -> u32 {
        u32::try_from(self.replay.requests()).unwrap_or(u32::MAX)
    }

    /// What has been found so far, as JSON.
    #[must_use]
    pub fn report(&self) -> String {
        serde_json::to_string(&self.replay.report()).unwrap_or_default()
    }
}

/// The numbers of a policy's text and where they stand in it, as JSON.
#[wasm_bindgen]
#[must_use]
pub fn numbers(text: &str) -> String {
    serde_json::to_string(&numbers::numbers(text)).unwrap_or_default()
}

fn options(mode: &str, tier: &str) -> Options {
    Options {
        mode: Mode::parse(mode),
        tier: Some(tier.to_owned()).filter(|tier| !tier.is_empty()),
    }
}

fn read(text: &str) -> Result<Policy, Vec<String>> {
    let told = |faults: Vec<Fault>| faults.iter().map(ToString::to_string).collect();
    let node = if text.trim_start().starts_with('{') {
        policy::node_from_json(text).map_err(told)?
    } else {
        policy::node_from_toml(text).map_err(|fault| vec![format!("this is not TOML: {fault}")])?
    };
    let within = node.get("vars").and_then(|vars| vars.get("POLICY"));
    match within.or(node.get("POLICY")).unwrap_or(&node) {
        Node::Text(text) => policy::parse(text).map_err(told),
        node => policy::check(node).map_err(told),
    }
}
