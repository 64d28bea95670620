//! Bounds on the body.

use crate::body::{BoundsFault, GraphqlBounds, JsonBounds};
use crate::policy::fault::{Faults, Wrong};
use crate::policy::fields::MAX_HELD;
use crate::policy::node::Node;
use crate::policy::reader::Reader;
use crate::policy::rule::Body;
use crate::policy::unit::show_size;
use crate::text::replace;

/// What is held back of an undeclared body unless the operator says otherwise.
const DEFAULT_BUFFER: u64 = 64 << 10;

/// `body`.
pub fn body(reader: &Reader<'_>, faults: &mut Faults) -> Option<Body> {
    reader.node?;
    let max = reader.field("max_bytes");
    let max_bytes = max.size();
    for field in ["json", "graphql"] {
        if reader.field(field).is_given() && !max.is_given() {
            let found = format!("missing, and \"{field}\" needs the body read");
            faults.add(
                &max.at,
                Wrong::new(found, "write a bound such as \"16KiB\""),
            );
        }
    }
    let inspected = reader.field("json").is_given() || reader.field("graphql").is_given();
    if inspected && max_bytes.is_some_and(|max| max > MAX_HELD) {
        let found = format!(
            "{} is too large to be looked into",
            show_size(max_bytes.unwrap_or(0))
        );
        let expected = format!("write at most {}", show_size(MAX_HELD));
        faults.add(&max.at, Wrong::new(found, expected));
    }
    let buffer = reader.field("buffer");
    let written = buffer.size();
    match (written, max_bytes) {
        (Some(_), None) => {
            let found = "a buffer without \"max_bytes\"";
            faults.add(
                &buffer.at,
                Wrong::new(found, "write max_bytes, or leave it out"),
            );
        }
        (Some(buffered), Some(max)) if buffered > max => {
            let found = format!("{} is more than max_bytes", show_size(buffered));
            let expected = format!("write at most {}", show_size(max));
            faults.add(&buffer.at, Wrong::new(found, expected));
        }
        _ => {}
    }
    let default = max_bytes.unwrap_or(DEFAULT_BUFFER).min(DEFAULT_BUFFER);
    Some(Body {
        max_bytes,
        buffer: written.unwrap_or(default),
        content_types: reader
            .field("content_types")
            .texts(|text| Ok(text.to_ascii_lowercase())),
        timeout: reader.field("timeout").duration(),
        json: compiled(&reader.field("json"), JsonBounds::compile, faults),
        graphql: compiled(&reader.field("graphql"), GraphqlBounds::compile, faults),
    })
}

/// Hands a part of the document to those who know it; their places are JSON Pointers into it.
fn compiled<T>(
    reader: &Reader<'_>,
    compile: fn(&Node) -> Result<T, Vec<BoundsFault>>,
    faults: &mut Faults,
) -> Option<T> {
    let value = reader.node?;
    if !is_finite(value) {
        let found = "a number that is not finite";
        faults.add(&reader.at, Wrong::new(found, "write numbers that JSON has"));
        return None;
    }
    match compile(value) {
        Ok(compiled) => Some(compiled),
        Err(refused) => {
            for fault in refused {
                let place = follow(reader, &fault.pointer);
                // Of one fault two parties complain: the one that was more exact stands.
                if faults.any_inside(&place.at) {
                    continue;
                }
                faults.add(&place.at, Wrong::new(fault.found, fault.expected));
            }
            None
        }
    }
}

/// Are all numbers in it such as JSON has? TOML has `inf` and `nan`.
fn is_finite(node: &Node) -> bool {
    match node {
        Node::Number(text) => text.ends_with(|last: char| last.is_ascii_digit()),
        Node::List(items) => items.iter().all(is_finite),
        Node::Table(fields) => fields.iter().all(|(_, node)| is_finite(node)),
        _ => true,
    }
}

/// The place that a JSON Pointer (RFC 6901) leads to.
fn follow<'a>(reader: &Reader<'a>, pointer: &str) -> Reader<'a> {
    let mut place = reader.clone();
    for token in pointer.split('/').skip(1) {
        let name = replace(&replace(token, "~1", "/"), "~0", "~");
        place = match (place.node, name.parse::<usize>()) {
            (Some(Node::List(items)), Ok(index)) => Reader {
                node: items.get(index),
                at: place.at.item(index),
            },
            _ => place.field(&name),
        };
    }
    place
}
