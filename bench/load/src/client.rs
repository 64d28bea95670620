//! One keep-alive connection and what was seen over it.

use crate::http::Reader;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
const MOST_ERRORS: u32 = 20;

/// What is the same in all requests of a run.
pub struct Asking {
    pub port: u16,
    pub method: String,
    pub path: String,
    pub body: Vec<u8>,
}

/// What came back.
#[derive(Default)]
pub struct Seen {
    /// Status, and microseconds from when the request was due to the end of its answer.
    pub answers: Vec<(u16, u32)>,
    pub errors: u32,
}

pub struct Client<'a> {
    asking: &'a Asking,
    connection: Option<(TcpStream, Reader<TcpStream>)>,
    head: String,
}

impl<'a> Client<'a> {
    pub fn new(asking: &'a Asking) -> Self {
        Client {
            asking,
            connection: None,
            head: String::new(),
        }
    }

    /// Asks as client number `number`; the latency counts from `due`. False: too much has failed.
    pub fn ask(&mut self, number: u32, path: &str, due: Instant, seen: &mut Seen) -> bool {
        match self.exchange(number, path) {
            Ok(status) => {
                let took = u32::try_from(due.elapsed().as_micros()).unwrap_or(u32::MAX);
                seen.answers.push((status, took));
                true
            }
            Err(_) => {
                self.connection = None;
                seen.errors += 1;
                seen.errors < MOST_ERRORS
            }
        }
    }

    fn exchange(&mut self, number: u32, path: &str) -> io::Result<u16> {
        let asking = self.asking;
        let (stream, reader) = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(connect(asking.port)?),
        };
        self.head.clear();
        let address = address(number);
        let path = if path.is_empty() { &asking.path } else { path };
        // A String takes whatever is written to it.
        let _ = write!(
            self.head,
            "{} {path} HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: load\r\nAccept: application/json\r\nCF-Connecting-IP: {address}\r\n",
            asking.method
        );
        if !asking.body.is_empty() {
            let _ = write!(
                self.head,
                "Content-Type: application/octet-stream\r\nContent-Length: {}\r\n",
                asking.body.len()
            );
        }
        self.head.push_str("\r\n");
        stream.write_all(self.head.as_bytes())?;
        stream.write_all(&asking.body)?;
        let head = reader.head()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        reader.skip_body(&head)?;
        Ok(head.status)
    }
}

fn connect(port: u16) -> io::Result<(TcpStream, Reader<TcpStream>)> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let reader = Reader::new(stream.try_clone()?);
    Ok((stream, reader))
}

/// A header's text and nothing else: no packet ever goes there.
fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0000 | (number & 0x00ff_ffff))
}
