//! Reading what [`Packer`](super::Packer) wrote.

use std::borrow::Cow;
use std::net::IpAddr;

use super::{
    ADDRESS, ASN, COLO, CONTINENT, COUNTRY, JA4, LONG, MOST_HEADERS, PLACES, RECEIVED, Range, SENT,
    STATUS, V6, VERIFIED, short, within,
};
use crate::http::address::ClientAddress;
use crate::replay::entry::Entry;
use crate::replay::request::{Request, Text};
use crate::time::Timestamp;

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
