//! As much of HTTP/1.1 as two programs that know each other need: a head, and how its body ends.

use std::io::{self, Read};

const LONGEST_HEAD: usize = 64 * 1024;

/// A connection's bytes as they come.
pub struct Reader<S> {
    stream: S,
    buffer: Vec<u8>,
    from: usize,
    to: usize,
}

/// What a head says of the message.
pub struct Head {
    /// The three digits of a response's status; 0 in a request.
    pub status: u16,
    framing: Framing,
}

#[derive(Clone, Copy)]
enum Framing {
    Length(u64),
    Chunked,
}

impl<S: Read> Reader<S> {
    pub fn new(stream: S) -> Self {
        Reader {
            stream,
            buffer: vec![0; LONGEST_HEAD],
            from: 0,
            to: 0,
        }
    }

    /// The next head; none where the connection ends before it begins.
    pub fn head(&mut self) -> io::Result<Option<Head>> {
        let mut seen = 0;
        loop {
            let fresh = &self.buffer[self.from..self.to];
            if let Some(at) = find(fresh, b"\r\n\r\n", seen) {
                let head = parse(&fresh[..at + 2])?;
                self.from += at + 4;
                return Ok(Some(head));
            }
            seen = fresh.len().saturating_sub(3);
            let is_empty = fresh.is_empty();
            if !self.more()? {
                return if is_empty {
                    Ok(None)
                } else {
                    Err(io::ErrorKind::UnexpectedEof.into())
                };
            }
        }
    }

    /// Reads a body to its end and forgets it; gives its bytes.
    pub fn skip_body(&mut self, head: &Head) -> io::Result<u64> {
        match head.framing {
            Framing::Length(length) => self.skip(length).map(|()| length),
            Framing::Chunked => self.skip_chunks(),
        }
    }

    fn skip_chunks(&mut self) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let line = self.line()?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(digits, 16)
                .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(total);
            }
            total += size;
            self.skip(size + 2)?;
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = find(&self.buffer[self.from..self.to], b"\r\n", 0) {
                let line =
                    String::from_utf8_lossy(&self.buffer[self.from..self.from + at]).into_owned();
                self.from += at + 2;
                return Ok(line);
            }
            self.need()?;
        }
    }

    fn skip(&mut self, mut bytes: u64) -> io::Result<()> {
        loop {
            let here = bytes.min((self.to - self.from) as u64);
            self.from += here as usize;
            bytes -= here;
            if bytes == 0 {
                return Ok(());
            }
            self.need()?;
        }
    }

    fn need(&mut self) -> io::Result<()> {
        if self.more()? {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// Reads once; false at the end of the connection.
    fn more(&mut self) -> io::Result<bool> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if self.to == self.buffer.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let count = self.stream.read(&mut self.buffer[self.to..])?;
        self.to += count;
        Ok(count > 0)
    }
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(what.len())
        .position(|window| window == what)
        .map(|at| at + from)
}

/// `head` ends with its last line's end.
fn parse(head: &[u8]) -> io::Result<Head> {
    let text =
        std::str::from_utf8(head).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let status = match first.strip_prefix("HTTP/1.1 ") {
        Some(rest) => rest
            .get(..3)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0),
        None => 0,
    };
    let mut framing = Framing::Length(0);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            let length = value
                .trim()
                .parse()
                .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            framing = Framing::Length(length);
        } else if name.eq_ignore_ascii_case("transfer-encoding")
            && value.trim().eq_ignore_ascii_case("chunked")
        {
            framing = Framing::Chunked;
        }
    }
    if matches!(status, 204 | 304) {
        framing = Framing::Length(0);
    }
    Ok(Head { status, framing })
}
