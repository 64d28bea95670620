//! One connection: reads requests, writes them down, plays the answers.

use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::message::{self, Head};
use crate::pages;
use crate::record::{Paused, Shared};
use crate::script::{End, Framing, Piece, Script, hex};
use crate::websocket;

const IDLE: Duration = Duration::from_secs(120);

/// What becomes of the connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Next,
    Close,
    Reset,
}

/// Serves a connection until either side is done with it.
pub fn serve(stream: TcpStream, shared: &Shared, log: bool) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(head) = message::read_head(&mut reader)? {
        let id = shared.arrived(&head);
        if log {
            println!("origin: {} {}", head.method, head.target);
        }
        let played = exchange(&head, id, &mut reader, &stream, shared);
        shared.note(id, |r| {
            r.in_flight = false;
            r.held = false;
            r.aborted = played.is_err();
            if r.body == "reading" {
                r.body = if played.is_err() { "broken" } else { "unread" };
            }
        });
        match played? {
            Then::Next => {}
            Then::Close => break,
            Then::Reset => return socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)),
        }
    }
    Ok(())
}

fn exchange(
    head: &Head,
    id: u64,
    reader: &mut BufReader<TcpStream>,
    stream: &TcpStream,
    shared: &Shared,
) -> io::Result<Then> {
    let scripted = shared.change(|state| {
        let at = state.scripts.iter().position(|s| s.fits(head))?;
        let script = state.scripts.get_mut(at)?;
        let played = script.clone();
        match script.times.as_mut() {
            Some(1) => drop(state.scripts.remove(at)),
            Some(times) => *times = times.saturating_sub(1),
            None => {}
        }
        Some(played)
    });
    let mut seen = Vec::new();
    let read_body = scripted.as_ref().is_none_or(|s| s.read_body);
    if read_body {
        if head
            .header("expect")
            .is_some_and(|v| v.eq_ignore_ascii_case("100-continue"))
        {
            (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        receive(head, id, reader, shared, &mut seen)?;
    }
    let script = scripted.unwrap_or_else(|| pages::answer(head, &seen));
    let gone = || peer_is_gone(stream);
    let still_there = |paused: Paused| match paused {
        Paused::Over => Ok(()),
        Paused::Gone => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
    };
    if script.hold || shared.read(|state| state.hold_all) {
        still_there(shared.hold(id, gone))?;
    }
    still_there(shared.delay(Duration::from_millis(script.delay_ms), gone))?;
    if script.websocket {
        return upgrade(head, id, reader, stream, shared);
    }
    shared.note(id, |r| r.status = script.status);
    let mut out = io::BufWriter::new(stream);
    out.write_all(&opening(&script, head))?;
    if head.method != "HEAD" && script.framing != Framing::None {
        for piece in &script.body {
            out.flush()?;
            match piece {
                Piece::DelayMs(ms) => still_there(shared.delay(Duration::from_millis(*ms), gone))?,
                Piece::Hold => still_there(shared.hold(id, gone))?,
                piece => send(&mut out, piece, head, script.framing == Framing::Chunked)?,
            }
        }
        if script.end == End::Done && script.framing == Framing::Chunked {
            out.write_all(b"0\r\n\r\n")?;
        }
    }
    out.flush()?;
    let close = head
        .header("connection")
        .is_some_and(|v| v.eq_ignore_ascii_case("close"));
    Ok(match script.end {
        End::Reset => Then::Reset,
        End::Done if read_body && !close && script.framing != Framing::Close => Then::Next,
        End::Done | End::Close => Then::Close,
    })
}

/// Reads the body to its end, and keeps the beginning of it.
fn receive(
    head: &Head,
    id: u64,
    reader: &mut BufReader<TcpStream>,
    shared: &Shared,
    seen: &mut Vec<u8>,
) -> io::Result<()> {
    let mut hash = Sha256::new();
    let mut bytes = 0_u64;
    let read = message::read_body(reader, head.framing(), |piece| {
        hash.update(piece);
        bytes = bytes.saturating_add(piece.len() as u64);
        seen.extend(
            piece
                .iter()
                .take(pages::MAX_SEEN.saturating_sub(seen.len())),
        );
        shared.note(id, |r| r.body_bytes = bytes);
    });
    shared.note(id, |r| {
        r.body = if read.is_ok() { "ended" } else { "broken" };
        r.body_sha256 = hex(&hash.finalize());
    });
    read
}

fn opening(script: &Script, head: &Head) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {} {}\r\n", script.status, script.reason);
    for (name, value) in &script.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match script.framing {
        Framing::Length => {
            let whole: u64 = script.body.iter().map(|piece| piece.length(head)).sum();
            let missing = u64::from(script.end != End::Done);
            text.push_str(&format!("Content-Length: {}\r\n", whole + missing));
        }
        Framing::Chunked => text.push_str("Transfer-Encoding: chunked\r\n"),
        Framing::Close => text.push_str("Connection: close\r\n"),
        Framing::None => {}
    }
    text.push_str("\r\n");
    message::to_latin1(&text)
}

fn send(out: &mut impl Write, piece: &Piece, head: &Head, chunked: bool) -> io::Result<()> {
    if chunked {
        write!(out, "{:x}\r\n", piece.length(head))?;
    }
    match piece {
        Piece::Fill(length) => {
            let period: Vec<u8> = (0..251).collect();
            let mut left = *length;
            while left > 0 {
                let most = usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(period.len());
                out.write_all(&period[..most])?;
                left -= most as u64;
            }
        }
        piece => out.write_all(&piece.bytes(head))?,
    }
    if chunked {
        out.write_all(b"\r\n")
    } else {
        Ok(())
    }
}

/// Whether the other side has closed or reset. Costs nothing where it has sent nothing.
fn peer_is_gone(stream: &TcpStream) -> bool {
    let look = || {
        stream.set_nonblocking(true)?;
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        peeked
    };
    match look() {
        Ok(read) => read == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

fn upgrade(
    head: &Head,
    id: u64,
    reader: &mut BufReader<TcpStream>,
    mut stream: &TcpStream,
    shared: &Shared,
) -> io::Result<Then> {
    let Some(key) = head.header("sec-websocket-key") else {
        shared.note(id, |r| r.status = 426);
        stream.write_all(
            b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",
        )?;
        return Ok(Then::Next);
    };
    shared.note(id, |r| r.status = 101);
    let first_protocol = head
        .header("sec-websocket-protocol")
        .and_then(|v| v.split(',').next());
    let protocol = first_protocol
        .map(|p| format!("Sec-WebSocket-Protocol: {}\r\n", p.trim()))
        .unwrap_or_default();
    let accept = websocket::accept(key);
    stream.write_all(
        format!("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n{protocol}\r\n")
            .as_bytes(),
    )?;
    match websocket::echo(reader, &mut stream)? {
        websocket::Ended::Closed => Ok(Then::Close),
        websocket::Ended::Reset => Ok(Then::Reset),
    }
}
