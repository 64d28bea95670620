//! Patterns for header values.

/// A pattern with `*` for any run of characters and `?` for one. Compares without regard to ASCII
/// case, as nginx's maps and Cloudflare's wildcards do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(pub String);

impl Glob {
    /// True where the whole value fits. At most pattern times value steps: of several `*` only the
    /// last one ever has to be tried again, since the ones before it took as little as they could.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.chars(), value.chars());
        let mut again: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
        loop {
            let (mut next_pattern, mut next_rest) = (pattern.clone(), rest.clone());
            match (next_pattern.next(), next_rest.next()) {
                (Some('*'), _) => again = Some((next_pattern.clone(), rest.clone())),
                (None, None) => return true,
                (Some(p), Some(c)) if p == '?' || p.eq_ignore_ascii_case(&c) => rest = next_rest,
                _ => {
                    let Some((after_star, taken)) = &mut again else {
                        return false;
                    };
                    if taken.next().is_none() {
                        return false;
                    }
                    (pattern, rest) = (after_star.clone(), taken.clone());
                    continue;
                }
            }
            pattern = next_pattern;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, fits: &[&str], differs: &[&str]) {
        let glob = Glob(pattern.to_owned());
        for value in fits {
            assert!(glob.matches(value), "{pattern} should fit {value:?}");
        }
        for value in differs {
            assert!(!glob.matches(value), "{pattern} should not fit {value:?}");
        }
    }

    #[test]
    fn fits_whole_values_without_regard_to_case() {
        check("abc", &["abc", "ABC"], &["", "ab", "abcd", "xabc"]);
        check("*", &["", "a", "äöü"], &[]);
        check("a*c", &["ac", "abc", "abcbc"], &["a", "ab", "xac"]);
        check("?", &["a", "ü"], &["", "ab"]);
        check("*bot*", &["GoogleBot/2.1", "bot"], &["bo", "b-o-t"]);
        check("a**b*?", &["abx", "a-b-x"], &["ab", "a"]);
        check("*ab*ab", &["abab", "aababab", "ab-ab"], &["ab", "abba"]);
    }

    /// Naive backtracking takes longer than the universe for this one.
    #[test]
    fn many_stars_cost_no_more_than_their_product() {
        let pattern = "a*".repeat(500) + "b";
        check(&pattern, &[], &[&"a".repeat(8_192)]);
    }
}
