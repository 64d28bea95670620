//! Requests of a log as bytes: what is read once is judged elsewhere (in another thread, in another
//! worker of the browser) and kept, in a fifth of the log's size, for the next policy.
//!
//! A block stands for itself. Texts that come again (paths, browsers) are written once in each: they
//! have one of a fixed number of places, and whoever comes last has it.

use std::borrow::Cow;
use std::net::IpAddr;

use super::entry::Entry;
use super::request::{Request, Text};
use crate::http::address::ClientAddress;
use crate::time::Timestamp;

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

/// Reads blocks.
#[derive(Clone, Debug, Default)]
pub struct Unpacker {
    at: usize,
    places: Vec<Range>,
}

impl Unpacker {
    /// The next entry of a block; None at its end, and where the bytes are none of ours. Then it is
    /// ready for another.
    pub fn next<'a>(&mut self, block: &'a [u8]) -> Option<Entry<'a>> {
        if self.at == 0 {
            self.places.clear();
            self.places.resize(PLACES, (0, 0));
        }
        let entry = (self.at < block.len()).then(|| self.entry(block)).flatten();
        if entry.is_none() {
            self.at = 0;
        }
        entry
    }

    fn entry<'a>(&mut self, block: &'a [u8]) -> Option<Entry<'a>> {
        let flags = self.number(block)?;
        let has = |flag: u64| flags & flag != 0;
        let at = Timestamp::from_micros(self.number(block)?);
        let address: Option<IpAddr> = match (has(ADDRESS), has(V6)) {
            (false, _) => None,
            (true, false) => Some((*self.bytes(block, 4)?.first_chunk::<4>()?).into()),
            (true, true) => Some((*self.bytes(block, 16)?.first_chunk::<16>()?).into()),
        };
        let mut number = |flag| {
            let read = has(flag).then(|| self.number(block));
            // Outer None: torn. Inner None: not there.
            read.map_or(Some(None), |number| number.map(Some))
        };
        let (status, response_bytes) = (number(STATUS)?, number(SENT)?);
        let (body_length, asn) = (number(RECEIVED)?, number(ASN)?);
        let mut request = Request {
            method: self.rare(block)?,
            host: self.often(block)?,
            path: self.often(block)?,
            query: self.rare(block)?,
            target_bytes: self.number(block)?,
            address: address.map(ClientAddress::from),
            asn: asn.and_then(|asn| asn.try_into().ok()),
            verified_bot: has(VERIFIED),
            body_length,
            ..Request::default()
        };
        let mut text = |flag| {
            let read = has(flag).then(|| self.rare(block));
            read.map_or(Some(None), |text| text.map(Some))
        };
        request.country = text(COUNTRY)?;
        request.continent = text(CONTINENT)?;
        request.colo = text(COLO)?;
        request.ja4 = text(JA4)?;
        let headers = self.number(block)?;
        if headers > MOST_HEADERS {
            return None;
        }
        request.headers.reserve(usize::try_from(headers).ok()?);
        for _ in 0..headers {
            let header = (self.often(block)?, self.often(block)?);
            request.headers.push(header);
        }
        Some(Entry {
            at,
            request,
            status: status.and_then(|status| status.try_into().ok()),
            response_bytes,
        })
    }

    fn bytes<'a>(&mut self, block: &'a [u8], length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let bytes = block.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    fn number(&mut self, block: &[u8]) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *block.get(self.at)?;
            self.at = self.at.saturating_add(1);
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn rare<'a>(&mut self, block: &'a [u8]) -> Option<Text<'a>> {
        let length = usize::try_from(self.number(block)?).ok()?;
        text(self.bytes(block, length)?)
    }

    fn often<'a>(&mut self, block: &'a [u8]) -> Option<Text<'a>> {
        let number = usize::try_from(self.number(block)?).ok()?;
        if number & 1 == 1 {
            let known = self.places.get(number >> 1).copied()?;
            return text(within(block, known)?);
        }
        let length = number >> 1;
        if length >= LONG {
            let place = usize::try_from(self.number(block)?).ok()?;
            *self.places.get_mut(place)? = (short(self.at), short(length));
        }
        text(self.bytes(block, length)?)
    }
}

fn text(bytes: &[u8]) -> Option<Text<'_>> {
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
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
