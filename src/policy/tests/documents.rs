//! The documents that are committed: schema, examples, recipes.

use super::*;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_committed_schema_is_current() {
    let committed = text(&root().join("policy.schema.json"));
    assert!(
        committed == schema::text(),
        "policy.schema.json is out of date; run `cargo run --bin weir -- schema > policy.schema.json`"
    );
}

#[test]
fn the_committed_reference_is_current() {
    let committed = text(&root().join("docs/fields.md"));
    assert!(
        committed == reference::text(),
        "docs/fields.md is out of date; run `cargo run --bin weir -- fields > docs/fields.md`"
    );
}

/// Every field that may be written is in the schema, with what it means, and refers to something.
#[test]
fn the_schema_describes_every_field() {
    fn walk(value: &serde_json::Value, top: &serde_json::Value) {
        if let Some(properties) = value.get("properties").and_then(|p| p.as_object()) {
            for (name, property) in properties {
                let doc = property.get("description").and_then(|d| d.as_str());
                assert!(
                    doc.is_some_and(|doc| doc.ends_with('.')),
                    "{name} is not described"
                );
            }
        }
        if let Some(target) = value.get("$ref").and_then(|r| r.as_str()) {
            let pointer = target.trim_start_matches('#');
            assert!(
                top.pointer(pointer).is_some_and(|t| t.is_object()),
                "{target} is missing"
            );
        }
        match value {
            serde_json::Value::Object(map) => map.values().for_each(|value| walk(value, top)),
            serde_json::Value::Array(list) => list.iter().for_each(|value| walk(value, top)),
            _ => {}
        }
    }
    let schema = schema::schema();
    walk(&schema, &schema);
}

/// The fenced TOML of a page, in pieces.
fn fenced(page: &str) -> Vec<String> {
    let blocks = page.split("```toml\n").skip(1);
    blocks
        .filter_map(|block| Some(block.split_once("```")?.0.to_owned()))
        .collect()
}

/// A TOML example is a policy, or has one under `vars.POLICY`.
#[track_caller]
fn example(name: &str, toml: &str) {
    let table: toml::Table = toml
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {error}\n{toml}"));
    let nested = table.get("vars").and_then(|vars| vars.get("POLICY"));
    let policy = match nested {
        Some(policy) => serde_json::to_string(policy),
        None if table.contains_key("rules") => serde_json::to_string(&table),
        None => return,
    };
    if let Err(faults) = parse(&policy.expect("JSON")) {
        panic!("{name}:\n{}\n{toml}", listed(&faults));
    }
}

#[test]
fn every_example_is_a_good_policy() {
    let mut pages = vec![root().join("wrangler.toml"), root().join("README.md")];
    for dir in ["docs", "docs/recipes"] {
        let entries = std::fs::read_dir(root().join(dir)).expect("the docs");
        pages.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    let mut seen = 0;
    for page in pages.iter().filter(|page| page.is_file()) {
        let name = page.display().to_string();
        let text = text(page);
        if name.ends_with(".toml") {
            example(&name, &text);
            seen += 1;
        } else if name.ends_with(".md") {
            for block in fenced(&text) {
                example(&name, &block);
                seen += 1;
            }
        }
    }
    assert!(seen >= 6, "only {seen} examples were found");
}

/// No line of the example goes unexplained.
#[test]
fn the_example_is_explained_line_by_line() {
    let page = text(&root().join("docs/policy.md"));
    let example = text(&root().join("wrangler.toml"));
    let lines = example
        .lines()
        .map(|line| line.trim().trim_end_matches(','));
    let told = |line: &str| page.lines().any(|own| own.trim() == line);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let brackets = line == "]" || line.ends_with("= [");
        assert!(
            brackets || told(line),
            "docs/policy.md says nothing about: {line}"
        );
    }
}
