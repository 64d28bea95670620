//! Options and the file of a command.

/// What was written behind a command's name.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The arguments that are no options.
    pub files: Vec<String>,
    options: Vec<(String, String)>,
}

/// What about the arguments was not understood.
#[derive(Debug)]
pub struct Misuse(pub String);

impl Arguments {
    /// Sorts arguments into options with a value, options without, and at most so many files.
    pub fn parse(
        arguments: &[String],
        valued: &[&str],
        flags: &[&str],
        files: usize,
    ) -> Result<Self, Misuse> {
        let mut found = Arguments::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            if flags.contains(&name) && joined.is_none() {
                found.options.push((name.to_owned(), String::new()));
            } else if valued.contains(&name) {
                let value = joined.or_else(|| rest.next().cloned());
                let value = value.ok_or_else(|| Misuse(format!("{name} needs a value")))?;
                found.options.push((name.to_owned(), value));
            } else if argument.starts_with('-') && argument != "-" {
                return Err(Misuse(format!(
                    "\"{argument}\" is no option of this command"
                )));
            } else if found.files.len() >= files {
                return Err(Misuse(format!("\"{argument}\" is one file too many")));
            } else {
                found.files.push(argument.clone());
            }
        }
        Ok(found)
    }

    /// The first file.
    pub fn file(&self) -> Option<&str> {
        self.files.first().map(String::as_str)
    }

    /// The value of an option, where it was given.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// True where the option was given.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}
