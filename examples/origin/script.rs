//! How to answer: what a test registers for a path, and what the demo's own pages are made of.

use serde::Deserialize;

use crate::message::Head;

/// An answer, step by step. Unknown fields are refused, so that a typing error in a test shows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// The path that it is for; with `*` at the end, everything that starts so.
    pub path: String,
    /// The method that it is for; any where absent.
    pub method: Option<String>,
    /// How often it is played before it is forgotten; for ever where absent.
    pub times: Option<u32>,
    /// Read the whole body before answering.
    pub read_body: bool,
    /// Wait for a release before the status line.
    pub hold: bool,
    /// Wait before the status line, milliseconds.
    pub delay_ms: u64,
    /// Any three digits.
    pub status: u16,
    /// The rest of the status line.
    pub reason: String,
    /// Header lines, Latin-1, in order. None is added but what `framing` needs.
    pub headers: Vec<(String, String)>,
    /// How the end of the body is told.
    pub framing: Framing,
    /// The body.
    pub body: Vec<Piece>,
    /// What comes after the last piece.
    pub end: End,
    /// Answer an upgrade with a WebSocket that echoes.
    pub websocket: bool,
}

/// How the end of the body is told.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Content-Length, the sum of the pieces (one more where the answer breaks off).
    Length,
    /// Every piece is a chunk.
    Chunked,
    /// By closing the connection.
    Close,
    /// Not at all: for statuses without a body.
    None,
}

/// A piece of the body, or a wait inside it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// This text, in UTF-8.
    Text(String),
    /// These bytes.
    Hex(String),
    /// So many bytes of filler: byte number i is i modulo 251.
    Fill(u64),
    /// The request's head as it came, Latin-1.
    EchoHead,
    /// Milliseconds of silence.
    DelayMs(u64),
    /// Silence until released.
    Hold,
}

/// What comes after the last piece.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The proper end.
    Done,
    /// The connection is reset where the end should have been.
    Reset,
    /// The connection is closed where the end should have been.
    Close,
}

impl Default for Script {
    fn default() -> Self {
        Script {
            path: "/*".to_owned(),
            method: None,
            times: None,
            read_body: true,
            hold: false,
            delay_ms: 0,
            status: 200,
            reason: "OK".to_owned(),
            headers: Vec::new(),
            framing: Framing::Length,
            body: Vec::new(),
            end: End::Done,
            websocket: false,
        }
    }
}

impl Script {
    /// A whole answer of one piece.
    pub fn page(status: u16, content_type: &str, text: impl Into<String>) -> Self {
        Script {
            status,
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body: vec![Piece::Text(text.into())],
            ..Script::default()
        }
    }

    /// Whether it is for this request.
    pub fn fits(&self, head: &Head) -> bool {
        let method = self.method.as_ref().is_none_or(|m| *m == head.method);
        let path = match self.path.strip_suffix('*') {
            Some(prefix) => head.path().starts_with(prefix),
            None => head.path() == self.path,
        };
        method && path
    }
}

impl Piece {
    /// The bytes of it, but for filler.
    pub fn bytes(&self, head: &Head) -> Vec<u8> {
        match self {
            Piece::Text(text) => text.clone().into_bytes(),
            Piece::Hex(digits) => from_hex(digits),
            Piece::EchoHead => crate::message::to_latin1(&head.text()),
            Piece::Fill(_) | Piece::DelayMs(_) | Piece::Hold => Vec::new(),
        }
    }

    /// How many bytes it puts into the body.
    pub fn length(&self, head: &Head) -> u64 {
        match self {
            Piece::Fill(length) => *length,
            piece => piece.bytes(head).len() as u64,
        }
    }
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .chars()
        .filter_map(|c| c.to_digit(16))
        .filter_map(|d| u8::try_from(d).ok())
        .collect();
    digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| (byte << 4) | digit))
        .collect()
}

/// Bytes as digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
