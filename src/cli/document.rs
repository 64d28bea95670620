//! Files, and what is in them.

pub use crate::policy::node_from_toml as from_toml;

use crate::policy::fault::Fault;
use crate::policy::{self, Node};
use std::path::Path;

/// What a file turned out to be.
pub enum Document {
    /// A wrangler configuration.
    Wrangler(Node),
    /// A policy by itself.
    Policy(Node),
}

/// Reads a file. The message of an error names the file.
pub fn read(path: &str) -> Result<Result<Document, Vec<Fault>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let is_json = Path::new(path).extension().is_some_and(|ext| ext == "json")
        || text.trim_start().starts_with('{');
    let node = if is_json {
        match policy::node_from_json(&text) {
            Ok(node) => node,
            Err(faults) => return Ok(Err(faults)),
        }
    } else {
        from_toml(&text).map_err(|error| format!("{path} is not TOML: {error}"))?
    };
    let is_wrangler = [
        "vars",
        "main",
        "durable_objects",
        "compatibility_date",
        "env",
    ]
    .iter()
    .any(|name| node.get(name).is_some());
    Ok(Ok(if is_wrangler && node.get("rules").is_none() {
        Document::Wrangler(node)
    } else {
        Document::Policy(node)
    }))
}
