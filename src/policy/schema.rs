//! The JSON Schema (draft 2020-12) of a policy, made from [`fields`](super::fields), so that
//! editors complete and check what is being written. It is looser than the check, which also sees
//! fields together; it is never stricter.

use super::fields::POLICY;
use super::kind::{Kind, Table};
use serde_json::{Map, Value, json};

/// The schema as it is committed: `policy.schema.json`.
#[must_use]
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}

/// The schema.
#[must_use]
pub fn schema() -> Value {
    let mut defs = Map::new();
    let top = table(&POLICY, &mut defs);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Weir policy",
    });
    if let (Some(schema), Value::Object(top)) = (schema.as_object_mut(), top) {
        schema.extend(top);
        schema.insert("$defs".to_owned(), Value::Object(defs));
    }
    schema
}

fn table(table: &'static Table, defs: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for field in table.fields {
        if matches!(field.kind, Kind::Later) {
            continue;
        }
        let mut schema = kind(&field.kind, defs);
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".to_owned(), field.doc.into());
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let needed = table.fields.iter().filter(|field| field.needed);
    let needed: Vec<&str> = needed.map(|field| field.name).collect();
    json!({
        "description": table.doc,
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    })
}

fn kind(kind: &'static Kind, defs: &mut Map<String, Value>) -> Value {
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Duration(..) => json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$" }),
        Kind::Size(min, max) => json!({ "anyOf": [
            { "type": "integer", "minimum": min, "maximum": max },
            { "type": "string", "pattern": "^[0-9]+(B|KiB|MiB|GiB|kB|MB|GB)$" },
        ] }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Text(syntax) if syntax.pattern.is_empty() => json!({ "type": "string" }),
        Kind::Text(syntax) => json!({ "type": "string", "pattern": syntax.pattern }),
        Kind::Many(of, count) => {
            let of = self::kind(of, defs);
            json!({ "anyOf": [
                { "type": "array", "items": of, "minItems": count.least, "maxItems": count.most },
                of,
            ] })
        }
        Kind::Map(names, of, most) => {
            let mut schema = json!({
                "type": "object",
                "additionalProperties": self::kind(of, defs),
                "maxProperties": most,
            });
            if let Some(schema) = schema.as_object_mut().filter(|_| !names.pattern.is_empty()) {
                schema.insert(
                    "propertyNames".to_owned(),
                    json!({ "pattern": names.pattern }),
                );
            }
            schema
        }
        Kind::Table(inner) => {
            if !defs.contains_key(inner.name) {
                // First a placeholder: a match may hold another.
                defs.insert(inner.name.to_owned(), Value::Null);
                let schema = table(inner, defs);
                defs.insert(inner.name.to_owned(), schema);
            }
            json!({ "$ref": format!("#/$defs/{}", inner.name) })
        }
        Kind::Either(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|one| self::kind(one, defs)).collect();
            json!({ "anyOf": kinds })
        }
        Kind::Free => json!({ "type": "object" }),
        Kind::Later => json!(false),
    }
}
