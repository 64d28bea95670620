//! What compiling a table of the policy needs: the place, and every fault found.

use crate::json::Node;

/// Something in the policy's `body.json` or `body.graphql` that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundsFault {
    /// Where, as a JSON Pointer (RFC 6901) below the table.
    pub pointer: String,
    /// What is there.
    pub found: String,
    /// What would do.
    pub expected: String,
}

/// Collects faults while it walks down a table.
#[derive(Default)]
pub(crate) struct Compiler {
    at: String,
    faults: Vec<BoundsFault>,
}

impl Compiler {
    /// The result, or all the faults.
    pub(crate) fn finish<T>(self, result: T) -> Result<T, Vec<BoundsFault>> {
        if self.faults.is_empty() {
            Ok(result)
        } else {
            Err(self.faults)
        }
    }

    // Cold and not generic, like all that only words faults: the Worker carries it once.
    #[cold]
    pub(crate) fn fault(&mut self, found: &str, expected: &str) {
        self.faults.push(BoundsFault {
            pointer: self.at.clone(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        });
    }

    /// Faults of `value` for not being what is `expected`.
    #[cold]
    pub(crate) fn unfit(&mut self, value: &Node, expected: &str) {
        self.fault(&describe(value), expected);
    }

    /// Runs `f` one step further down.
    pub(crate) fn below<T>(&mut self, token: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.at.len();
        self.at.push('/');
        self.at
            .push_str(&token.replace('~', "~0").replace('/', "~1"));
        let result = f(self);
        self.at.truncate(mark);
        result
    }

    /// The table, or a fault and none.
    #[inline(never)]
    pub(crate) fn table<'v>(
        &mut self,
        value: &'v Node,
        expected: &str,
    ) -> Option<&'v [(String, Node)]> {
        let table = value.as_table();
        if table.is_none() {
            self.unfit(value, expected);
        }
        table
    }

    /// A whole number from `least` to `most`, or a fault and none. `10.0` is one.
    #[inline(never)]
    pub(crate) fn whole(&mut self, value: &Node, least: u64, most: u64) -> Option<u64> {
        let whole = super::json::whole_number(value).filter(|n| (least..=most).contains(n));
        if whole.is_none() {
            let expected = if most == u64::MAX {
                format!("a whole number, at least {least}")
            } else {
                format!("a whole number from {least} to {most}")
            };
            self.unfit(value, &expected);
        }
        whole
    }
}

/// A value in few words.
fn describe(value: &Node) -> String {
    match value {
        Node::Text(s) if s.chars().count() > 40 => {
            format!("{:?}…", s.chars().take(40).collect::<String>())
        }
        Node::Text(s) => format!("{s:?}"),
        Node::List(items) => format!("a list of {}", items.len()),
        other => other.shown(),
    }
}
