//! Requests of a log as bytes: what is read once is judged elsewhere (in another thread, in another
//! worker of the browser) and kept, in a fifth of the log's size, for the next policy.
//!
//! A block stands for itself. Texts that come again (paths, browsers) are written once in each: they
//! have one of a fixed number of places, and whoever comes last has it.

use std::net::IpAddr;

use super::entry::Entry;
use crate::http::address::ClientAddress;

mod unpack;

pub use unpack::Unpacker;

/// A block is full from here on.
const FULL: usize = 240 << 10;

/// Places of texts that come again, a power of two.
const PLACES: usize = 1 << 10;

/// Texts as long as that are looked for among those.
const LONG: usize = 8;

/// Headers of one request; what claims to be more is none of ours.
const MOST_HEADERS: u64 = 70_000;

/// Where in a block a text is.
type Range = (u32, u32);

/// Writes blocks.
#[derive(Clone, Debug)]
pub struct Packer {
    block: Vec<u8>,
    places: Vec<Range>,
}

impl Default for Packer {
    fn default() -> Self {
        Packer {
            block: Vec::new(),
            places: vec![(0, 0); PLACES],
        }
    }
}

const STATUS: u64 = 1;
const SENT: u64 = 2;
const RECEIVED: u64 = 4;
const VERIFIED: u64 = 8;
const ADDRESS: u64 = 16;
const V6: u64 = 32;
const ASN: u64 = 64;
const COUNTRY: u64 = 128;
const CONTINENT: u64 = 256;
const COLO: u64 = 512;
const JA4: u64 = 1_024;

impl Packer {
    /// Writes an entry; true where the block is full now.
    pub fn push(&mut self, entry: &Entry<'_>) -> bool {
        let Entry {
            at,
            request,
            status,
            response_bytes,
        } = entry;
        if self.block.is_empty() {
            self.block.reserve_exact(FULL.saturating_add(4_096));
            self.places.fill((0, 0));
        }
        let address = request.address.map(ClientAddress::ip);
        let flag = |is: bool, flag| if is { flag } else { 0 };
        let flags = [
            flag(status.is_some(), STATUS),
            flag(response_bytes.is_some(), SENT),
            flag(request.body_length.is_some(), RECEIVED),
            flag(request.verified_bot, VERIFIED),
            flag(address.is_some(), ADDRESS),
            flag(matches!(address, Some(IpAddr::V6(_))), V6),
            flag(request.asn.is_some(), ASN),
            flag(request.country.is_some(), COUNTRY),
            flag(request.continent.is_some(), CONTINENT),
            flag(request.colo.is_some(), COLO),
            flag(request.ja4.is_some(), JA4),
        ];
        self.number(flags.into_iter().fold(0, |all, flag| all | flag));
        self.number(at.as_micros());
        match address {
            Some(IpAddr::V4(ip)) => self.block.extend_from_slice(&ip.octets()),
            Some(IpAddr::V6(ip)) => self.block.extend_from_slice(&ip.octets()),
            None => {}
        }
        let numbers = [
            status.map(u64::from),
            *response_bytes,
            request.body_length,
            request.asn.map(u64::from),
        ];
        for number in numbers.into_iter().flatten() {
            self.number(number);
        }
        self.rare(&request.method);
        self.often(&request.host);
        self.often(&request.path);
        self.rare(&request.query);
        self.number(request.target_bytes);
        let more = [
            &request.country,
            &request.continent,
            &request.colo,
            &request.ja4,
        ];
        for text in more.into_iter().flatten() {
            self.rare(text);
        }
        self.number(u64::try_from(request.headers.len()).unwrap_or(u64::MAX));
        for (name, value) in &request.headers {
            self.often(name);
            self.often(value);
        }
        self.block.len() >= FULL
    }

    /// What has been written since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.block)
    }

    /// LEB128.
    fn number(&mut self, number: u64) {
        let mut left = number;
        loop {
            let low = u8::try_from(left & 0x7f).unwrap_or(0);
            left >>= 7;
            if left == 0 {
                self.block.push(low);
                return;
            }
            self.block.push(low | 0x80);
        }
    }

    fn rare(&mut self, text: &str) {
        self.number(u64::try_from(text.len()).unwrap_or(u64::MAX));
        self.block.extend_from_slice(text.as_bytes());
    }

    /// A short text, or an even number for one that is new and belongs in a place, or an odd one for
    /// the place of one that is known.
    fn often(&mut self, text: &str) {
        let twice = u64::try_from(text.len()).unwrap_or(u64::MAX) << 1;
        if text.len() < LONG {
            self.number(twice);
            self.block.extend_from_slice(text.as_bytes());
            return;
        }
        let place = place(text.as_bytes());
        let number = u64::try_from(place).unwrap_or(0);
        let known = self.places.get(place).copied().unwrap_or_default();
        if within(&self.block, known) == Some(text.as_bytes()) {
            self.number(number << 1 | 1);
            return;
        }
        self.number(twice);
        self.number(number);
        let range = (short(self.block.len()), short(text.len()));
        self.block.extend_from_slice(text.as_bytes());
        if let Some(known) = self.places.get_mut(place) {
            *known = range;
        }
    }
}

fn within(block: &[u8], (from, length): Range) -> Option<&[u8]> {
    let from = usize::try_from(from).ok()?;
    block.get(from..from.checked_add(usize::try_from(length).ok()?)?)
}

/// Blocks are far shorter than 4 GiB.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// By its length and its ends, which tell most texts of logs apart, and what is between.
fn place(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let start = u64::try_from(bytes.len()).unwrap_or(0);
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let sum = words
        .iter()
        .fold(start, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest
        .iter()
        .fold(sum, |sum, byte| mix(sum, u64::from(*byte)));
    usize::try_from(sum >> 54).unwrap_or(0) & PLACES.saturating_sub(1)
}

#[cfg(test)]
mod tests;
