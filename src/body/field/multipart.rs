//! `multipart/form-data` (RFC 7578), strictly: lines end in CRLF, nothing is folded, every part has
//! one `Content-Disposition` and the last boundary is there. A body that strays from this is read
//! differently by different servers, so it has no fields at all. One pass, nothing copied.

use crate::http::media;
use crate::text::split_once;

/// Most bytes of a boundary (RFC 2046 section 5.1.1).
const BOUNDARY_BYTES: usize = 70;
/// Most bytes of one part's headers.
const HEADER_BYTES: usize = 4_096;

/// The value of the one part of this name; bytes that are no UTF-8 become U+FFFD. None where there
/// is none or more than one, where it is a file, and where the body is damaged anywhere.
pub(super) fn lookup(body: &[u8], boundary: &str, name: &str) -> Option<String> {
    if boundary.is_empty() || boundary.len() > BOUNDARY_BYTES {
        return None;
    }
    let delimiter = format!("\r\n--{boundary}");
    let delimiter = delimiter.as_bytes();
    let mut rest = match body.strip_prefix(delimiter.get(2..)?) {
        Some(rest) => rest,
        // A preamble is allowed, and ignored.
        None => split(body, delimiter)?.1,
    };
    let mut found = None;
    loop {
        if rest.starts_with(b"--") {
            return found.flatten();
        }
        let (content, after) = split(rest, delimiter)?;
        let part = Part::read(content)?;
        if part.name == name {
            if found.is_some() {
                return None;
            }
            found = Some(part.value);
        }
        rest = after;
    }
}

struct Part {
    name: String,
    /// None for a file.
    value: Option<String>,
}

impl Part {
    /// `content` begins after the boundary, on its line, and ends before the next one's line.
    fn read(content: &[u8]) -> Option<Part> {
        let padding = content
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'));
        let content = content.get(padding.count()..)?;
        let (head, value) = split(content, b"\r\n\r\n")?;
        if head.len() > HEADER_BYTES {
            return None;
        }
        let head = std::str::from_utf8(head.strip_prefix(b"\r\n")?).ok()?;
        let mut disposition = None;
        let mut plain = true;
        let mut lines = Some(head);
        while let Some(rest) = lines {
            let (line, rest) =
                split_once(rest, "\r\n").map_or((rest, None), |(line, rest)| (line, Some(rest)));
            lines = rest;
            let (field, value) = line.split_once(':')?;
            let is_token = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_token || value.contains(['\r', '\n', '\0']) {
                return None;
            }
            if field.eq_ignore_ascii_case("content-disposition")
                && disposition.replace(value).is_some()
            {
                return None;
            }
            // An encoded value would have to be decoded; nobody who follows RFC 7578 sends one.
            plain = plain && !field.eq_ignore_ascii_case("content-transfer-encoding");
        }
        let disposition = disposition?;
        if !media::essence(disposition).eq_ignore_ascii_case("form-data") {
            return None;
        }
        let has = |parameter| media::parameter(disposition, parameter).is_some();
        plain = plain && !has("filename") && !has("filename*");
        Some(Part {
            name: media::parameter(disposition, "name")?.into_owned(),
            value: plain.then(|| String::from_utf8_lossy(value).into_owned()),
        })
    }
}

/// What comes before and after the first `needle`.
fn split<'a>(bytes: &'a [u8], needle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let first = needle.first();
    let at = bytes
        .windows(needle.len())
        .position(|window| window.first() == first && window == needle)?;
    Some((
        bytes.get(..at)?,
        bytes.get(at.saturating_add(needle.len())..)?,
    ))
}

#[cfg(test)]
mod tests;
