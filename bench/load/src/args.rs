//! `--name value` pairs.

use std::str::FromStr;

/// The command line after its first word.
pub struct Args(Vec<(String, String)>);

impl Args {
    /// Every name starts with two dashes and has a value.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut pairs = Vec::new();
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .ok_or_else(|| format!("\"{word}\" is no --name"))?;
            let value = words
                .next()
                .ok_or_else(|| format!("--{name} has no value"))?;
            pairs.push((name.to_owned(), value));
        }
        Ok(Args(pairs))
    }

    /// All values of a name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// The text of a name.
    pub fn text<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).last()
    }

    /// The value of a name, or what holds without one.
    pub fn get<T: FromStr>(&self, name: &str, otherwise: T) -> Result<T, String> {
        match self.text(name) {
            None => Ok(otherwise),
            Some(text) => text
                .parse()
                .map_err(|_| format!("--{name} cannot be \"{text}\"")),
        }
    }
}
