//! A WebSocket (RFC 6455) that sends back what it gets.
//!
//! Two texts are commands: `close CODE REASON` closes from this side, `reset` breaks the connection.

use std::io::{self, BufRead, Read, Write};

use sha1::{Digest, Sha1};

const MAX_FRAME: u64 = 16 * 1024 * 1024;
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By a closing handshake.
    Closed,
    /// By the command `reset`: the caller has to do it.
    Reset,
}

/// `Sec-WebSocket-Accept` for a client's key.
pub fn accept(key: &str) -> String {
    base64(&Sha1::digest(format!("{key}{GUID}")))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| {
            (bits << 8) | u32::from(three.get(i).copied().unwrap_or(0))
        });
        for i in 0..4 {
            let digit = (bits >> (18 - 6 * i)) & 63;
            text.push(if i <= three.len() {
                char::from(DIGITS[digit as usize])
            } else {
                '='
            });
        }
    }
    text
}

/// Echoes until the connection ends.
pub fn echo(reader: &mut impl BufRead, writer: &mut impl Write) -> io::Result<Ended> {
    loop {
        let (first, payload) = read_frame(reader)?;
        match first & 0x0f {
            CLOSE => {
                write_frame(writer, 0x80 | CLOSE, &payload)?;
                return Ok(Ended::Closed);
            }
            PING => write_frame(writer, 0x80 | PONG, &payload)?,
            PONG => {}
            TEXT if payload == b"reset" => return Ok(Ended::Reset),
            TEXT if payload.starts_with(b"close ") => {
                let text = String::from_utf8_lossy(&payload).into_owned();
                let mut words = text.splitn(3, ' ').skip(1);
                let code: u16 = words.next().and_then(|w| w.parse().ok()).unwrap_or(1000);
                let reason = words.next().unwrap_or_default();
                let payload: Vec<u8> = code
                    .to_be_bytes()
                    .into_iter()
                    .chain(reason.bytes())
                    .collect();
                write_frame(writer, 0x80 | CLOSE, &payload)?;
                // the peer answers with a closing frame of its own
                while read_frame(reader)?.0 & 0x0f != CLOSE {}
                return Ok(Ended::Closed);
            }
            _ => write_frame(writer, first, &payload)?,
        }
    }
}

fn read_frame(reader: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut two = [0; 2];
    reader.read_exact(&mut two)?;
    let [first, second] = two;
    let length = match second & 0x7f {
        126 => {
            let mut bytes = [0; 2];
            reader.read_exact(&mut bytes)?;
            u64::from(u16::from_be_bytes(bytes))
        }
        127 => {
            let mut bytes = [0; 8];
            reader.read_exact(&mut bytes)?;
            u64::from_be_bytes(bytes)
        }
        short => u64::from(short),
    };
    if length > MAX_FRAME {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a frame over 16 MiB",
        ));
    }
    let mut mask = [0; 4];
    if second & 0x80 != 0 {
        reader.read_exact(&mut mask)?;
    }
    let mut payload = Vec::new();
    reader.take(length).read_to_end(&mut payload)?;
    if payload.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    payload
        .iter_mut()
        .zip(mask.iter().cycle())
        .for_each(|(byte, mask)| *byte ^= mask);
    Ok((first, payload))
}

fn write_frame(writer: &mut impl Write, first: u8, payload: &[u8]) -> io::Result<()> {
    let mut frame = vec![first];
    match payload.len() {
        short @ 0..=125 => frame.push(short as u8),
        medium @ 126..=0xffff => {
            frame.push(126);
            frame.extend((medium as u16).to_be_bytes());
        }
        long => {
            frame.push(127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    frame.extend(payload);
    writer.write_all(&frame)
}
