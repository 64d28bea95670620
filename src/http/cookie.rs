//! Cookies, as RFC 6265 section 5.4 has clients send them, read as leniently as origins read them.

/// The value of a cookie as it stands in the header: quotes and `=` in it are part of it. Names
/// compare exactly.
///
/// `None` where it is absent, and where it appears more than once: origins differ in which one they
/// take, and a decoy must not choose the key. Linear in the header.
#[must_use]
pub fn lookup<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let mut found = pairs(header).filter(|(own, _)| *own == name);
    let (_, value) = found.next()?;
    found.next().is_none().then_some(value)
}

/// True where a cookie appears, once or more.
#[must_use]
pub fn contains(header: &str, name: &str) -> bool {
    pairs(header).any(|(own, _)| own == name)
}

/// Names and values in order. A segment without `=` or without a name is no cookie.
///
/// The runtime joins several Cookie lines with `", "`. The grammar of cookies has neither comma nor
/// space in a value, so that where what follows looks like the start of a cookie, a new line began.
/// A value that holds such a text after all is cut there: the part that is left is still the same
/// for the same client, and the rest can at worst make a name ambiguous.
fn pairs(header: &str) -> impl Iterator<Item = (&str, &str)> {
    header.split(';').flat_map(Lines).filter_map(|segment| {
        let (name, value) = segment.split_once('=')?;
        let name = trim(name);
        (!name.is_empty()).then(|| (name, trim(value)))
    })
}

/// Parts of one segment, cut where lines were joined.
struct Lines<'a>(&'a str);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let joint = self.0.match_indices(',').find_map(|(at, _)| {
            let (before, rest) = self.0.split_at_checked(at)?;
            let after = rest.strip_prefix(", ")?;
            starts_cookie(after).then_some((before, after))
        });
        let (line, rest) = joint.unwrap_or((self.0, ""));
        self.0 = rest;
        Some(line)
    }
}

/// True for a name and `=`. Stops at the first comma, so that a whole header is read once.
fn starts_cookie(text: &str) -> bool {
    let name = text.bytes().take_while(|byte| is_token(*byte)).count();
    name > 0 && text.as_bytes().get(name) == Some(&b'=')
}

/// RFC 9110, section 5.6.2, and the brackets that some frameworks put into names.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~[]:@".contains(&byte)
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests;
