//! JSON Pointers (RFC 6901), parsed once and followed into documents.

use super::document::{Document, Kind};

/// A parsed pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// None where it is no pointer: it neither is empty nor starts with `/`, or a `~` is not
    /// followed by 0 or 1.
    #[inline(never)]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Pointer { tokens: Vec::new() });
        }
        let tokens = text.strip_prefix('/')?.split('/').map(unescape);
        Some(Pointer {
            tokens: tokens.collect::<Option<_>>()?,
        })
    }

    /// The value that the pointer names, if the document has it.
    #[inline(never)]
    pub(crate) fn follow(&self, document: &Document<'_>) -> Option<u32> {
        self.tokens
            .iter()
            .try_fold(Document::ROOT, |at, token| match document.kind(at) {
                Kind::Object => document.member(at, token),
                Kind::Array => document.items(at).nth(index(token)?),
                _ => None,
            })
    }
}

fn unescape(token: &str) -> Option<String> {
    let mut pieces = token.split('~');
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        out.push(match piece.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        out.push_str(piece.get(1..)?);
    }
    Some(out)
}

/// An index is `0` or has no leading zero; `-` names the place after the last item: nothing.
fn index(token: &str) -> Option<usize> {
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let plain = token == "0" || !token.starts_with('0');
    if digits && plain {
        token.parse().ok()
    } else {
        None
    }
}
