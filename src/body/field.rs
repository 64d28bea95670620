//! Fields that keys are made of: `body:name` and `body:/json/pointer`.

mod multipart;

use std::borrow::Cow;

use super::json::{Document, Kind, MAX_DEPTH, Pointer, read};
use crate::http::{media, query};

/// The fields of a body, read once however many keys ask.
///
/// A body that is none of the three kinds, or damaged, has no fields: nor has a JSON document with a
/// name twice in one object, or one deeper than 128 levels. Use `body.json` to refuse those.
#[derive(Debug)]
pub struct Fields<'a>(Source<'a>);

#[derive(Debug)]
enum Source<'a> {
    Nothing,
    Json(Document<'a>),
    Form(Cow<'a, str>),
    Multipart { bytes: &'a [u8], boundary: String },
}

impl<'a> Fields<'a> {
    /// `content_type` decides how the body is read, `bytes` are all of it, decoded.
    #[must_use]
    pub fn read(content_type: Option<&str>, bytes: &'a [u8]) -> Self {
        let content_type = content_type.unwrap_or_default();
        let essence = media::essence(content_type);
        Fields(if media::is_json(content_type) {
            let max_depth = usize::try_from(MAX_DEPTH).unwrap_or(usize::MAX);
            read(bytes, max_depth).map_or(Source::Nothing, Source::Json)
        } else if essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            Source::Form(String::from_utf8_lossy(bytes))
        } else if essence.eq_ignore_ascii_case("multipart/form-data") {
            match media::parameter(content_type, "boundary") {
                Some(boundary) => Source::Multipart {
                    bytes,
                    boundary: boundary.into_owned(),
                },
                None => Source::Nothing,
            }
        } else {
            Source::Nothing
        })
    }

    /// The value of a field: a form's field of that name, a JSON object's top-level member of that
    /// name, or where `name` starts with `/` what this JSON Pointer (RFC 6901) names. Strings are
    /// decoded, numbers and booleans are their exact text.
    ///
    /// `None` where it is absent, null, an object, an array or a file, and where a form has it more
    /// than once: which one the origin reads is unknown here, and a decoy must not choose the key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        match &self.0 {
            Source::Nothing => None,
            Source::Json(document) => json_field(document, name),
            _ if name.starts_with('/') => None,
            Source::Form(text) => query::lookup(text, name).map(Cow::into_owned),
            Source::Multipart { bytes, boundary } => multipart::lookup(bytes, boundary, name),
        }
    }
}

/// One field of a body: see [`Fields::get`].
#[must_use]
pub fn field(content_type: Option<&str>, bytes: &[u8], name: &str) -> Option<String> {
    Fields::read(content_type, bytes).get(name)
}

/// Can a policy's `body:` name this? It is not empty and, where it starts with `/`, a JSON Pointer.
#[must_use]
pub fn is_field_name(name: &str) -> bool {
    !name.is_empty() && (!name.starts_with('/') || Pointer::parse(name).is_some())
}

fn json_field(document: &Document<'_>, name: &str) -> Option<String> {
    let at = if name.starts_with('/') {
        Pointer::parse(name)?.follow(document)?
    } else {
        document.member(Document::ROOT, name)?
    };
    match document.kind(at) {
        Kind::String => Some(document.string(at).into_owned()),
        Kind::Number | Kind::True | Kind::False => Some(document.raw(at).to_owned()),
        Kind::Null | Kind::Array | Kind::Object => None,
    }
}

#[cfg(test)]
mod tests;
