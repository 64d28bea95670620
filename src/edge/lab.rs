//! The policy lab's side of the browser: a reader of logs and a replay, each in a Web Worker.
//!
//! Compiled in place of the rest of `edge` (feature `lab`); nothing here reaches the network or a
//! clock.

use crate::policy::{self, Fault, Mode, Node, Policy};
use crate::replay::attack::{Attack, Kind};
use crate::replay::{self, Options, Replay, numbers};
use flate2::write::MultiGzDecoder;
use std::collections::VecDeque;
use std::io::Write;
use wasm_bindgen::prelude::*;

/// Requests of an attack that are replayed at once.
const SLICE: usize = 4_000;

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

    /// Keeps the blocks that come from now on, within so many bytes.
    pub fn keep(&mut self, bytes: usize) {
        self.replay.keep(bytes);
    }

    /// True where all that was read was kept.
    #[must_use]
    pub fn has_all(&self) -> bool {
        self.replay.has_all()
    }

    /// Takes a block that a [`Reader`] has made.
    pub fn block(&mut self, block: Vec<u8>) {
        self.replay.block(block);
    }

    /// What became of the lines, as a [`Reader`] says.
    pub fn lines(&mut self, counts: &str) {
        if let Ok(counts) = serde_json::from_str(counts) {
            self.replay.lines(&counts);
        }
    }

    /// Makes up `requests` requests; false where there is no such attack.
    pub fn attack(&mut self, kind: &str, requests: u32) -> bool {
        let kind = Kind::parse(kind);
        self.attack = kind.map(|kind| Attack::new(kind, &self.policy, u64::from(requests)));
        self.attack.is_some()
    }

    /// Replays some requests of the attack, or the next block of what was kept; false where those
    /// were the last.
    pub fn step(&mut self) -> bool {
        let Some(attack) = &mut self.attack else {
            return self.replay.step();
        };
        let mut taken: usize = 0;
        for entry in attack.by_ref().take(SLICE) {
            self.replay.request(&entry);
            taken = taken.saturating_add(1);
        }
        taken == SLICE
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

/// Reads logs into blocks.
#[wasm_bindgen]
#[derive(Default)]
pub struct Reader {
    reader: replay::Reader,
    full: VecDeque<Vec<u8>>,
    /// Of a file that is gzip.
    unpacker: Option<MultiGzDecoder<Vec<u8>>>,
}

#[wasm_bindgen]
impl Reader {
    /// Nothing read yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Begins a file, of gzip or plain.
    pub fn begin(&mut self, file: &str, packed: bool) {
        self.reader.begin(file);
        self.unpacker = packed.then(|| MultiGzDecoder::new(Vec::new()));
    }

    /// Takes a piece of it, cut wherever.
    ///
    /// # Errors
    /// What is no gzip, in the decoder's words; what was before that has been read.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), JsError> {
        let Some(unpacker) = &mut self.unpacker else {
            self.reader.feed(piece, |block| self.full.push_back(block));
            return Ok(());
        };
        let done = unpacker.write_all(piece);
        self.unpacked();
        Ok(done?)
    }

    /// The file is over.
    ///
    /// # Errors
    /// The gzip is not.
    pub fn end(&mut self) -> Result<(), JsError> {
        let done = self
            .unpacker
            .as_mut()
            .map_or(Ok(()), MultiGzDecoder::try_finish);
        self.unpacked();
        self.unpacker = None;
        self.reader.end();
        Ok(done?)
    }

    fn unpacked(&mut self) {
        if let Some(unpacker) = &mut self.unpacker {
            let text = unpacker.get_mut();
            self.reader.feed(text, |block| self.full.push_back(block));
            text.clear();
        }
    }

    /// The next block that is full.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.full.pop_front()
    }

    /// The last block, full or not.
    pub fn last(&mut self) -> Vec<u8> {
        self.reader.last()
    }

    /// What became of the lines so far, as JSON.
    #[must_use]
    pub fn counts(&self) -> String {
        serde_json::to_string(self.reader.counts()).unwrap_or_default()
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
