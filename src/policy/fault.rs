//! What is wrong with a document, and where.

use std::fmt;

/// Faults beyond this many are not listed: whoever has so many has one cause.
const MOST: usize = 1_000;

/// Characters of a found value that a message shows.
const SHOWN: usize = 60;

/// One thing that is wrong: the place, what stands there, and what would do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The place in the document, such as `rules[2].limits[0].window`; `policy` for the whole.
    pub path: String,
    /// What was found there, as a phrase.
    pub found: String,
    /// What would do, as a phrase.
    pub expected: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.found, self.expected)
    }
}

/// A [`Fault`] that does not know its place yet: what a parser of one value returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What was found, as a phrase.
    pub found: String,
    /// What would do, as a phrase.
    pub expected: String,
}

impl Wrong {
    /// Both phrases.
    pub fn new(found: impl Into<String>, expected: impl Into<String>) -> Wrong {
        Wrong {
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// The text itself and what is the matter with it.
    pub fn text(text: &str, matter: &str, expected: impl Into<String>) -> Wrong {
        Wrong::new(format!("{} {matter}", quoted(text)), expected)
    }
}

/// The text in double quotes, shortened to what a message can bear.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// A place in the document.
#[derive(Clone, Debug, Default)]
pub struct Place(String);

impl Place {
    /// The field `name` of the table at this place.
    #[must_use]
    pub fn field(&self, name: &str) -> Place {
        let plain = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        let name = if plain { name.to_owned() } else { quoted(name) };
        if self.0.is_empty() {
            Place(name)
        } else {
            Place(format!("{}.{name}", self.0))
        }
    }

    /// The entry `index` of the list at this place.
    #[must_use]
    pub fn item(&self, index: usize) -> Place {
        Place(format!("{}[{index}]", self.0))
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Notes one. The first complaint about a place stands: later ones follow from it.
    pub fn add(&mut self, at: &Place, wrong: Wrong) {
        let path = if at.0.is_empty() { "policy" } else { &at.0 };
        if self.0.len() < MOST && !self.0.iter().any(|f| f.path == path) {
            self.0.push(Fault {
                path: path.to_owned(),
                found: wrong.found,
                expected: wrong.expected,
            });
        }
    }

    /// True where a complaint was made about something inside this place.
    #[must_use]
    pub fn any_inside(&self, at: &Place) -> bool {
        self.0.iter().any(|fault| {
            let rest = fault.path.strip_prefix(&at.0);
            rest.is_some_and(|rest| rest.starts_with(['.', '[']))
        })
    }

    /// Notes one, and goes on without the value.
    pub fn keep<T>(&mut self, at: &Place, result: Result<T, Wrong>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(wrong) => {
                self.add(at, wrong);
                None
            }
        }
    }

    /// True where nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order in which they were found.
    #[must_use]
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }
}
