//! From the operator's schema to [`Rules`], or every fault in it.

use super::{Bound, Count, Named, Relation, Rules, Schema, Step, Types};
use crate::body::compile::Compiler;
use crate::body::json::canonical::canonical;
use crate::body::json::decimal::Decimal;
use crate::body::json::document::Document;
use crate::body::json::{MAX_DEPTH, policy_number, read};
use crate::json::Node;

/// How deep schemas may stand inside each other; checking recurses as deep.
const MAX_SCHEMA_DEPTH: usize = 32;

const SUPPORTED: &str = "one of type, enum, const, properties, required, additionalProperties, \
    minProperties, maxProperties, items, prefixItems, minItems, maxItems, uniqueItems, minLength, \
    maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, or an annotation \
    ($schema, $comment, title, description, default, examples)";

impl Schema {
    pub(crate) fn compile(compiler: &mut Compiler, value: &Node) -> Self {
        compile_schema(compiler, value, 0)
    }
}

fn compile_schema(compiler: &mut Compiler, value: &Node, depth: usize) -> Schema {
    if depth > MAX_SCHEMA_DEPTH {
        compiler.fault(
            "a schema this deep",
            &format!("at most {MAX_SCHEMA_DEPTH} levels"),
        );
        return Schema::Any;
    }
    match value {
        Node::Flag(true) => return Schema::Any,
        Node::Flag(false) => return Schema::Nothing,
        _ => {}
    }
    let Some(table) = compiler.table(value, "a schema: a table, true or false") else {
        return Schema::Any;
    };
    let mut rules = Rules::default();
    for (keyword, value) in table {
        compiler.below(keyword, |compiler| {
            compile_keyword(
                compiler,
                &mut rules,
                keyword,
                value,
                depth.saturating_add(1),
            );
        });
    }
    refuse_contradictions(compiler, &rules);
    Schema::Rules(Box::new(rules))
}

fn compile_keyword(
    compiler: &mut Compiler,
    rules: &mut Rules,
    keyword: &str,
    value: &Node,
    depth: usize,
) {
    match keyword {
        "type" => rules.types = compile_types(compiler, value),
        "enum" => match value.as_list() {
            Some(list) if !list.is_empty() => allow(compiler, rules, list),
            _ => compiler.unfit(value, "a list of at least one value"),
        },
        "const" => allow(compiler, rules, std::slice::from_ref(value)),
        "properties" => {
            for (name, value) in compiler
                .table(value, "a table of schemas")
                .into_iter()
                .flatten()
            {
                let schema = compiler.below(name, |c| compile_schema(c, value, depth));
                set_name(rules, name, |named| named.schema = Some(schema));
            }
        }
        "required" => compile_required(compiler, rules, value),
        "additionalProperties" => rules.unnamed = Some(compile_schema(compiler, value, depth)),
        "minProperties" => rules.members.min = count(compiler, value),
        "maxProperties" => rules.members.max = count(compiler, value),
        "prefixItems" => match value.as_list() {
            Some(list) if !list.is_empty() => {
                for (index, value) in list.iter().enumerate() {
                    let schema =
                        compiler.below(&index.to_string(), |c| compile_schema(c, value, depth));
                    rules.first_items.push(schema);
                }
            }
            _ => compiler.unfit(value, "a list of schemas"),
        },
        "items" if value.as_list().is_some() => compiler.unfit(
            value,
            "one schema for all items, or the keyword `prefixItems`",
        ),
        "items" => rules.items = Some(compile_schema(compiler, value, depth)),
        "minItems" => rules.item_count.min = count(compiler, value),
        "maxItems" => rules.item_count.max = count(compiler, value),
        "uniqueItems" => match value {
            Node::Flag(unique) => rules.unique = *unique,
            _ => compiler.unfit(value, "true or false"),
        },
        "minLength" => rules.length.min = count(compiler, value),
        "maxLength" => rules.length.max = count(compiler, value),
        "minimum" => bound(compiler, rules, Relation::AtLeast, value),
        "maximum" => bound(compiler, rules, Relation::AtMost, value),
        "exclusiveMinimum" => bound(compiler, rules, Relation::MoreThan, value),
        "exclusiveMaximum" => bound(compiler, rules, Relation::LessThan, value),
        "multipleOf" => match policy_number(value).and_then(|number| Step::new(&number)) {
            Some(step) => rules.multiple_of = Some((step, value.to_string())),
            None => compiler.unfit(value, "a number above zero with at most 15 digits"),
        },
        "$schema" | "$comment" | "title" | "description" | "default" | "examples" => {}
        _ => compiler.fault("an unsupported keyword", SUPPORTED),
    }
}

fn compile_types(compiler: &mut Compiler, value: &Node) -> Option<Types> {
    let list = match value {
        Node::List(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut types = Types::default();
    for value in list {
        match Types::each().find(|(_, name, _)| value.as_text() == Some(name)) {
            Some((bit, ..)) => types = types.with(bit),
            None => compiler.unfit(
                value,
                "null, boolean, object, array, number, string or integer",
            ),
        }
    }
    if list.is_empty() {
        compiler.unfit(value, "at least one type");
    }
    Some(types)
}

/// `enum` and `const` go through the reader that documents go through: one notion of equality.
fn allow(compiler: &mut Compiler, rules: &mut Rules, list: &[Node]) {
    let mut choices = Vec::new();
    for value in list {
        refuse_rounded(compiler, value);
        let text = value.to_string();
        match read::read(
            text.as_bytes(),
            usize::try_from(MAX_DEPTH).unwrap_or(usize::MAX),
        ) {
            Ok(document) => {
                let choice = canonical(&document, Document::ROOT);
                if let Err(index) = choices.binary_search(&choice) {
                    choices.insert(index, choice);
                }
            }
            Err(fault) => compiler.fault(&fault.message, "a value that a body can have"),
        }
    }
    if let Some(others) = &rules.choices {
        choices.retain(|choice| others.contains(choice));
    }
    rules.choices = Some(choices);
}

fn refuse_rounded(compiler: &mut Compiler, value: &Node) {
    match value {
        Node::Number(_) => {
            number(compiler, value);
        }
        Node::List(list) => list.iter().for_each(|item| refuse_rounded(compiler, item)),
        Node::Table(table) => table
            .iter()
            .for_each(|(_, item)| refuse_rounded(compiler, item)),
        _ => {}
    }
}

fn compile_required(compiler: &mut Compiler, rules: &mut Rules, value: &Node) {
    let Some(list) = value.as_list() else {
        compiler.unfit(value, "a list of names");
        return;
    };
    for (index, value) in list.iter().enumerate() {
        match value.as_text() {
            Some(name) => set_name(rules, name, |named| named.required = true),
            None => compiler.below(&index.to_string(), |c| c.unfit(value, "a name")),
        }
    }
}

/// Changes the entry for a name, made where there is none.
fn set_name(rules: &mut Rules, name: &str, change: impl FnOnce(&mut Named)) {
    let found = rules
        .named
        .binary_search_by(|named| named.name.as_str().cmp(name));
    match found {
        Ok(index) => {
            if let Some(entry) = rules.named.get_mut(index) {
                change(entry);
            }
        }
        Err(index) => {
            let mut entry = Named {
                name: name.to_owned(),
                required: false,
                schema: None,
            };
            change(&mut entry);
            rules.named.insert(index, entry);
        }
    }
}

fn count(compiler: &mut Compiler, value: &Node) -> Option<u64> {
    compiler.whole(value, 0, u64::MAX)
}

fn bound(compiler: &mut Compiler, rules: &mut Rules, relation: Relation, value: &Node) {
    if let Some(number) = number(compiler, value) {
        rules.bounds.push(Bound {
            relation,
            value: number,
            written: value.to_string(),
        });
    }
}

#[inline(never)]
fn number(compiler: &mut Compiler, value: &Node) -> Option<Decimal> {
    let number = policy_number(value);
    if number.is_none() {
        compiler.unfit(
            value,
            "a number that is kept exactly: an integer of 64 bits, or at most 15 digits",
        );
    }
    number
}

/// A schema that nothing satisfies refuses every request: that is never meant.
fn refuse_contradictions(compiler: &mut Compiler, rules: &Rules) {
    let counts = [
        (rules.members, "minProperties", "maxProperties"),
        (rules.item_count, "minItems", "maxItems"),
        (rules.length, "minLength", "maxLength"),
    ];
    for (Count { min, max }, least, most) in counts {
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            compiler.fault(
                &format!("{least} {min} and {most} {max}"),
                &format!("{least} no more than {most}"),
            );
        }
    }
    for bound in &rules.bounds {
        let opposed = rules.bounds.iter().find(|other| bound.opposes(other));
        if let Some(other) = opposed {
            let found = format!(
                "{} {} and {} {}",
                bound.relation.phrase(),
                bound.written,
                other.relation.phrase(),
                other.written
            );
            compiler.fault(&found, "bounds that some number keeps");
        }
    }
    if rules.choices.as_ref().is_some_and(Vec::is_empty) {
        compiler.fault("enum and const that exclude each other", "one of them");
    }
    let closed = matches!(rules.unnamed, Some(Schema::Nothing));
    for named in rules.named.iter().filter(|named| named.required) {
        if named.schema.is_none() && closed || matches!(named.schema, Some(Schema::Nothing)) {
            let found = format!("{:?} required and not allowed", named.name);
            compiler.fault(&found, "a schema for it among `properties`");
        }
    }
}

#[cfg(test)]
mod tests;
