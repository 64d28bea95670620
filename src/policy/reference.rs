//! Every field of a policy as a page, made from [`fields`](super::fields): `docs/fields.md`.

use super::fields::POLICY;
use super::kind::{Kind, Table};
use crate::time::Span;

const HEAD: &str = "\
# Every field of a policy

Made by `weir fields` from what the check itself knows; `docs/policy.md` explains an example line by line.
A field in **bold** must be there. Where a list may stand, a single value may stand too.
";

/// The page as it is committed.
#[must_use]
pub fn text() -> String {
    let mut page = HEAD.to_owned();
    let mut told: Vec<&str> = Vec::new();
    // A table is told of once, behind the first that holds it.
    let mut next = vec![&POLICY];
    while let Some(table) = next.pop() {
        if told.contains(&table.name) {
            continue;
        }
        told.push(table.name);
        page.push_str(&section(table));
        let mut inner = Vec::new();
        for field in table.fields {
            tables(&field.kind, &mut inner);
        }
        next.extend(inner.into_iter().rev());
    }
    page
}

fn section(table: &Table) -> String {
    let mut out = format!(
        "\n## {}\n\n{}\n\n| field | is | meaning |\n| --- | --- | --- |\n",
        table.name, table.doc
    );
    for field in table.fields {
        let name = match field.needed {
            true => format!("**`{}`**", field.name),
            false => format!("`{}`", field.name),
        };
        // A bar would end the cell.
        let cells =
            [name, is(&field.kind), field.doc.to_owned()].map(|cell| cell.replace('|', "\\|"));
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

/// The tables that a value may hold.
fn tables(kind: &'static Kind, found: &mut Vec<&'static Table>) {
    match kind {
        Kind::Table(table) => found.push(table),
        Kind::Many(of, _) | Kind::Map(_, of, _) => tables(of, found),
        Kind::Either(kinds) => kinds.iter().for_each(|kind| tables(kind, found)),
        _ => {}
    }
}

/// What may be written, as a phrase.
fn is(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Whole(min, max) => format!("a whole number, {min} to {max}"),
        Kind::Duration(min, max) => format!("a duration, {} to {}", span(*min), span(*max)),
        Kind::Size(min, max) => format!("a number of bytes or a size, {min} to {max}"),
        Kind::Word(words) => words
            .iter()
            .map(|word| format!("`\"{word}\"`"))
            .collect::<Vec<_>>()
            .join(" or "),
        Kind::Text(syntax) => syntax.what.to_owned(),
        Kind::Many(of, count) if count.least > 0 => {
            format!("a list of {} to {}: {}", count.least, count.most, is(of))
        }
        Kind::Many(of, count) => format!("a list of at most {}: {}", count.most, is(of)),
        Kind::Map(names, of, most) => {
            format!(
                "a table of at most {most}, each under {}: {}",
                names.what,
                is(of)
            )
        }
        Kind::Table(table) => format!("a table: [{0}](#{0})", table.name),
        Kind::Either(kinds) => kinds.iter().map(is).collect::<Vec<_>>().join("; or "),
        Kind::Free => "a table".to_owned(),
        Kind::Later => "not supported yet".to_owned(),
    }
}

/// In the largest unit that says it whole.
fn span(span: Span) -> String {
    let ms = span.as_millis_ceil();
    let units = [
        (86_400_000, "d"),
        (3_600_000, "h"),
        (60_000, "m"),
        (1_000, "s"),
    ];
    let fits = |unit: &u64| ms.checked_rem(*unit) == Some(0);
    match units.into_iter().find(|(unit, _)| ms > 0 && fits(unit)) {
        Some((unit, name)) => format!("`{}{name}`", ms.checked_div(unit).unwrap_or(0)),
        None => format!("`{ms}ms`"),
    }
}
