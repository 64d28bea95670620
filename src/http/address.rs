//! Who is calling, by address.
//!
//! Whether an address is IPv4 is decided by its range (`::ffff:0:0/96`, RFC 4291 section 2.5.5.2),
//! never by how it is spelt: the same caller always has the same key, and no caller chooses one.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The one address that Cloudflare gives to all Workers of other zones.
const CROSS_ZONE_WORKERS: Ipv6Addr = Ipv6Addr::new(0x2a06, 0x98c0, 0x3600, 0, 0, 0, 0, 0x103);

/// Longest text that can be an address: IPv6 in full with brackets and port is 48 bytes.
const MAX_TEXT_BYTES: usize = 64;

/// Bits of an address that make the network its counters live with.
const HOME_V4_BITS: u8 = 24;
const HOME_V6_BITS: u8 = 48;

/// A client's address; an IPv4-mapped one is held as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// Reads an address, in any spelling that has one meaning. Space around it, brackets, and a
    /// port are dropped: they say nothing about who is calling.
    ///
    /// `None` for whatever else: a list (which entry is true is not known here), a zone id (it has
    /// a meaning on one link only), octets with leading zeros (read as octal by some).
    #[must_use]
    pub fn parse(text: &str) -> Option<ClientAddress> {
        let text = text.trim_matches([' ', '\t']);
        if text.len() > MAX_TEXT_BYTES || crate::text::has(text, b'%') {
            return None;
        }
        let bare = text
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .and_then(|inner| inner.parse::<Ipv6Addr>().ok())
            .map(IpAddr::V6);
        let ip = bare
            .or_else(|| text.parse::<IpAddr>().ok())
            .or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()))?;
        Some(ClientAddress::from(ip))
    }

    /// The address; never an IPv4-mapped one.
    #[must_use]
    pub fn ip(self) -> IpAddr {
        self.0
    }

    /// The client that the address belongs to: an IPv4 address by itself, an IPv6 address with the
    /// others that share its first `ipv6_prefix` bits.
    #[must_use]
    pub fn client(self, ipv6_prefix: u8) -> Network {
        self.network(32, ipv6_prefix)
    }

    /// The network that counters on this client live with: IPv4 /24, IPv6 /48, or wider where a
    /// client itself is, so that one client always has one home.
    #[must_use]
    pub fn home(self, ipv6_prefix: u8) -> Network {
        self.network(HOME_V4_BITS, HOME_V6_BITS.min(ipv6_prefix))
    }

    /// The network of the first bits, by family. More bits than there are mean all.
    #[must_use]
    pub fn network(self, ipv4_bits: u8, ipv6_bits: u8) -> Network {
        match self.0 {
            IpAddr::V4(ip) => {
                let bits = ipv4_bits.min(32);
                let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits.into()));
                let first = Ipv4Addr::from_bits(ip.to_bits() & mask.unwrap_or(0));
                Network {
                    first: first.into(),
                    bits,
                }
            }
            IpAddr::V6(ip) => {
                let bits = ipv6_bits.min(128);
                let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits.into()));
                let first = Ipv6Addr::from_bits(ip.to_bits() & mask.unwrap_or(0));
                Network {
                    first: first.into(),
                    bits,
                }
            }
        }
    }

    /// True for the address that all Workers of other zones share.
    #[must_use]
    pub fn is_cross_zone_worker(self) -> bool {
        self.0 == IpAddr::V6(CROSS_ZONE_WORKERS)
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(ip: IpAddr) -> Self {
        ClientAddress(ip.to_canonical())
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The addresses that share their first bits. Displays as the address where it is a single one,
/// else as `2001:db8::/64`; each network has one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// The lowest address.
    #[must_use]
    pub fn first(self) -> IpAddr {
        self.first
    }

    /// How many leading bits are shared.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.bits
    }

    /// As it displays. IPv4 without what formatting costs: every request's address becomes a key.
    #[must_use]
    pub fn text(self) -> String {
        let IpAddr::V4(ip) = self.first else {
            return self.to_string();
        };
        let mut text = Vec::with_capacity(18);
        for (place, octet) in ip.octets().into_iter().enumerate() {
            if place > 0 {
                text.push(b'.');
            }
            push_decimal(&mut text, octet);
        }
        if self.bits != 32 {
            text.push(b'/');
            push_decimal(&mut text, self.bits);
        }
        String::from_utf8(text).unwrap_or_default()
    }
}

fn push_decimal(text: &mut Vec<u8>, number: u8) {
    if number >= 10 {
        push_decimal(text, number / 10);
    }
    text.push(b'0' | (number % 10));
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = if self.first.is_ipv4() { 32 } else { 128 };
        if self.bits == all {
            self.first.fmt(f)
        } else {
            write!(f, "{}/{}", self.first, self.bits)
        }
    }
}

/// Who is calling, as far as the edge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller<'a> {
    /// A client with an address.
    Address(ClientAddress),
    /// A Worker of another zone, by the name in `CF-Worker`: they all share one address.
    Worker(&'a str),
    /// No address at all, or nothing that is one.
    Unknown,
}

impl<'a> Caller<'a> {
    /// From the header that holds the client's address, and `CF-Worker`, which is looked at only
    /// where the address is the one of Workers: the edge itself sets it there, and anybody else
    /// could write anything.
    #[must_use]
    pub fn read(client_ip: Option<&str>, cf_worker: Option<&'a str>) -> Caller<'a> {
        match client_ip.and_then(ClientAddress::parse) {
            Some(address) => Caller::at(address, cf_worker),
            None => Caller::Unknown,
        }
    }

    /// The same where the address has been read already.
    #[must_use]
    pub fn at(address: ClientAddress, cf_worker: Option<&'a str>) -> Caller<'a> {
        match cf_worker.map(str::trim) {
            Some(name) if address.is_cross_zone_worker() && !name.is_empty() => {
                Caller::Worker(name)
            }
            _ => Caller::Address(address),
        }
    }
}

#[cfg(test)]
mod tests;
