//! HTTP/1.1 requests as they came over the wire: nothing is normalised, renamed, joined or reordered.
//!
//! Text is Latin-1, one character a byte, so that any header bytes survive into the record.

use std::io::{self, BufRead, Read};

/// Most bytes of a request's head.
const MAX_HEAD: u64 = 256 * 1024;

/// Request line and header lines.
#[derive(Clone, Debug)]
pub struct Head {
    /// As sent.
    pub method: String,
    /// As sent: path and query, or whatever else stood there.
    pub target: String,
    /// Names and values in the order and the case in which they came.
    pub headers: Vec<(String, String)>,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// So many bytes.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

impl Head {
    /// The first value under a name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The first value of a query parameter, as it stands.
    pub fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.target.split_once('?')?;
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// How the body ends.
    pub fn framing(&self) -> Framing {
        let chunked = self
            .header("transfer-encoding")
            .is_some_and(|v| v.to_ascii_lowercase().contains("chunked"));
        let length = self.header("content-length").and_then(|v| v.parse().ok());
        if chunked {
            Framing::Chunked
        } else {
            Framing::Length(length.unwrap_or(0))
        }
    }

    /// Request line and header lines in one text, as [`read_head`] got them.
    pub fn text(&self) -> String {
        let lines: String = self
            .headers
            .iter()
            .map(|(n, v)| format!("{n}: {v}\r\n"))
            .collect();
        format!("{} {} HTTP/1.1\r\n{lines}\r\n", self.method, self.target)
    }
}

/// One character a byte.
pub fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// One byte a character; what is no Latin-1 becomes `?`.
pub fn to_latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect()
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// The next request's head; None where the peer has closed between requests.
pub fn read_head(reader: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut limited = reader.take(MAX_HEAD);
    let Some(first) = read_line(&mut limited)? else {
        return Ok(None);
    };
    let mut words = first.splitn(3, ' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Err(malformed("a request line of three words"));
    };
    if !version.starts_with("HTTP/1.") {
        return Err(malformed("HTTP/1"));
    }
    let mut headers = Vec::new();
    loop {
        let line = read_line(&mut limited)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if line.is_empty() {
            return Ok(Some(Head {
                method: method.to_owned(),
                target: target.to_owned(),
                headers,
            }));
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| malformed("a header line with a colon"))?;
        headers.push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
    }
}

/// A line without its end; None at the end of the stream.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    match line.pop() {
        None => return Ok(None),
        Some(b'\n') => {}
        Some(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(from_latin1(&line)))
}

/// Reads a body piece by piece to its end; an error where it never came.
pub fn read_body(
    reader: &mut impl BufRead,
    framing: Framing,
    mut sink: impl FnMut(&[u8]),
) -> io::Result<()> {
    match framing {
        Framing::Length(length) => exactly(reader, length, &mut sink),
        Framing::Chunked => loop {
            let line = read_line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(digits, 16).map_err(|_| malformed("a chunk size"))?;
            if size == 0 {
                // trailers, which nobody here asks about
                while !read_line(reader)?
                    .ok_or(io::ErrorKind::UnexpectedEof)?
                    .is_empty()
                {}
                return Ok(());
            }
            exactly(reader, size, &mut sink)?;
            read_line(reader)?;
        },
    }
}

fn exactly(reader: &mut impl Read, mut left: u64, sink: &mut impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    while left > 0 {
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let piece = buffer.get_mut(..most).unwrap_or_default();
        let read = reader.read(piece)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        sink(piece.get(..read).unwrap_or_default());
        left = left.saturating_sub(read as u64);
    }
    Ok(())
}
