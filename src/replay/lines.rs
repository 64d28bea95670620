//! Pieces of text, cut into lines of bounded length.

/// A longer line is no line of a log.
const MOST: usize = 65_536;

/// What is left of the last piece.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    rest: Vec<u8>,
    /// The line that is being read is too long already.
    overlong: bool,
}

impl Lines {
    /// Takes a piece; `each` gets every line that it ends, or None for one that is too long.
    pub fn feed(&mut self, piece: &[u8], mut each: impl FnMut(Option<&[u8]>)) {
        let mut parts = piece.split_inclusive(|byte| *byte == b'\n');
        // Whole lines inside the piece are not copied.
        if !self.rest.is_empty() || self.overlong {
            let Some(part) = parts.next() else { return };
            self.keep(part);
            if part.last() != Some(&b'\n') {
                return;
            }
            self.flush(&mut each);
        }
        for part in parts {
            if part.last() != Some(&b'\n') {
                self.keep(part);
            } else if part.len() > MOST {
                each(None);
            } else {
                each(Some(part));
            }
        }
    }

    /// The last line, where it has no end.
    pub fn finish(&mut self, mut each: impl FnMut(Option<&[u8]>)) {
        if !self.rest.is_empty() || self.overlong {
            self.flush(&mut each);
        }
    }

    fn keep(&mut self, part: &[u8]) {
        if self.rest.len().saturating_add(part.len()) > MOST {
            self.overlong = true;
            self.rest.clear();
        }
        if !self.overlong {
            self.rest.extend_from_slice(part);
        }
    }

    fn flush(&mut self, each: &mut impl FnMut(Option<&[u8]>)) {
        let line = std::mem::take(&mut self.rest);
        each((!std::mem::take(&mut self.overlong)).then_some(line.as_slice()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(pieces: &[&[u8]]) -> Vec<Option<usize>> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.feed(piece, |line| found.push(line.map(<[u8]>::len)));
        }
        lines.finish(|line| found.push(line.map(<[u8]>::len)));
        found
    }

    #[test]
    fn a_line_that_is_too_long_is_one_line_however_it_comes() {
        let long = vec![b'x'; MOST + 1];
        assert_eq!(cut(&[&long, b"y\nab\n"]), [None, Some(3)]);
        assert_eq!(cut(&[&long, b"\n"]), [None]);
        let mut ended = long.clone();
        ended.push(b'\n');
        assert_eq!(cut(&[&ended, b"a"]), [None, Some(1)]);
        assert_eq!(cut(&[&long, &long, &long]), [None]);
    }

    proptest! {
        #[test]
        fn where_it_is_cut_does_not_matter(text in "[a\n]{0,40}", at in 0..40_usize, and in 0..40_usize) {
            let bytes = text.as_bytes();
            let (at, and) = (at.min(bytes.len()), and.min(bytes.len()));
            let (one, two) = (at.min(and), at.max(and));
            prop_assert_eq!(
                cut(&[&bytes[..one], &bytes[one..two], &bytes[two..]]),
                cut(&[bytes])
            );
        }
    }
}
