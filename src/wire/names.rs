//! What objects and counters are called: HMAC-SHA-256 (RFC 2104, FIPS 180-4) over the key, cut to
//! 128 bits.
//!
//! A name shows nothing of the address, cookie or API key behind it. The parts of a key are hashed
//! with their type and their length in front, so that two different keys are different messages
//! whatever their values contain; the cut to 128 bits leaves collisions to chance, and the secret
//! keeps a client from looking for one.

use super::CounterKey;
use super::mac::Mac;
use super::text::name_text;
use crate::memo::Memo;
use std::cell::RefCell;
#[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
use std::hash::{DefaultHasher, Hasher};
use std::net::IpAddr;

/// Objects for one IPv6 /32, the least that a network operator is given: whoever owns one could
/// otherwise have 65,536.
const HOMES_PER_V6_32: u64 = 1_024;

/// What is hashed, as the first byte of the message: no name of one kind is one of another.
#[derive(Clone, Copy)]
enum Purpose {
    Home = 1,
    Counter = 2,
    Value = 3,
    Shard = 4,
    Fold = 5,
}

/// One part of a key: where the value came from, and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The source as the policy writes it (`ip`, `cookie:session`). A value that stands in for an
    /// absent one has a source of its own.
    pub source: &'a str,
    /// The value, of any length and content.
    pub value: &'a [u8],
}

/// Which object a key lives in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Home {
    /// An IPv4 /24.
    NetworkV4([u8; 3]),
    /// An IPv6 /48, folded: the /32, and one of 1,024.
    NetworkV6([u8; 4], u16),
    /// Callers without any address.
    NoNetwork,
    /// A value that clients cannot mint has an object of its own.
    Own(Vec<u8>),
    /// One of a fixed number of objects for everything else.
    Shard(u32),
}

/// Names that are remembered, of some 100 bytes each. A name costs several blocks of SHA-256, which
/// is most of what deciding costs, and those who call at all call again.
const REMEMBERED: usize = 16_384;

/// Names things with one secret. Keying costs two SHA-256 blocks and is done once.
#[derive(Clone)]
pub struct Namer {
    /// What takes a message to its tag.
    keyed: Keyed,
    /// By the message that was hashed.
    names: RefCell<Memo<[u8; 16]>>,
    /// Where messages are put together.
    scratch: RefCell<Vec<u8>>,
}

impl Namer {
    /// For `secret`, of any length.
    #[must_use]
    pub fn new(secret: &[u8]) -> Namer {
        Namer {
            keyed: Keyed::Secret(Mac::new(secret)),
            names: RefCell::new(Memo::new(REMEMBERED)),
            scratch: RefCell::default(),
        }
    }

    /// For a replay, whose names nobody sees: without a secret, by SipHash-1-3, in a twentieth of
    /// the time. The Worker has no such thing. `spills`: objects may be full.
    #[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
    #[must_use]
    pub fn open(spills: bool) -> Namer {
        Namer {
            keyed: Keyed::Open { spills },
            // To look a name up would take as long as to make it.
            names: RefCell::new(Memo::new(0)),
            scratch: RefCell::default(),
        }
    }

    /// Counters need a second name, for objects that are full.
    #[must_use]
    pub fn spills(&self) -> bool {
        match self.keyed {
            Keyed::Secret(_) => true,
            #[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
            Keyed::Open { spills } => spills,
        }
    }

    /// The object of callers in the network of `address`. An IPv4-mapped address (RFC 4291
    /// section 2.5.5.2) is the IPv4 address, however it was written.
    #[must_use]
    pub fn network(&self, address: IpAddr) -> Home {
        match address.to_canonical() {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                Home::NetworkV4([a, b, c])
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, e, f, ..] = v6.octets();
                let fold =
                    self.start(Purpose::Fold).part(&[a, b, c, d, e, f]).word() % HOMES_PER_V6_32;
                Home::NetworkV6([a, b, c, d], u16::try_from(fold).unwrap_or(0))
            }
        }
    }

    /// The object of a key that a client can mint: one of `shards` (at least one).
    #[must_use]
    pub fn shard(&self, parts: &[Part<'_>], shards: u32) -> Home {
        let word = self.start(Purpose::Shard).parts(parts).word();
        let shard = word.checked_rem(u64::from(shards)).unwrap_or(0);
        Home::Shard(u32::try_from(shard).unwrap_or(0))
    }

    /// The name of an object, as 22 characters of base64url. `region` is the continent's code for
    /// limits with `scope = "region"`.
    #[must_use]
    pub fn home_name(&self, home: &Home, region: Option<&str>) -> String {
        let message = self.start(Purpose::Home);
        let message = match home {
            Home::NetworkV4(network) => message.part(b"4").part(network),
            Home::NetworkV6(network, fold) => {
                message.part(b"6").part(network).part(&fold.to_be_bytes())
            }
            Home::NoNetwork => message.part(b"0"),
            Home::Own(value) => message.part(b"o").part(value),
            Home::Shard(shard) => message.part(b"s").part(&shard.to_be_bytes()),
        };
        let message = match region {
            None => message,
            Some(region) => message.part(b"region").part(region.as_bytes()),
        };
        name_text(message.name())
    }

    /// The name of a counter inside its object. `policy_name` is `rule.limit`.
    #[must_use]
    pub fn counter_key(&self, policy_name: &str, parts: &[Part<'_>]) -> CounterKey {
        CounterKey(
            self.start(Purpose::Counter)
                .part(policy_name.as_bytes())
                .parts(parts)
                .name(),
        )
    }

    /// 64 bits for a value: of a `distinct` part, of `fair_by`, or to choose a stable share of keys.
    #[must_use]
    pub fn value_hash(&self, parts: &[Part<'_>]) -> u64 {
        self.start(Purpose::Value).parts(parts).word()
    }

    fn start(&self, purpose: Purpose) -> Message<'_> {
        let mut bytes = self.scratch.take();
        bytes.clear();
        bytes.push(purpose as u8);
        Message { namer: self, bytes }
    }

    fn tag(&self, message: &[u8]) -> [u8; 16] {
        if let Some(known) = self.names.borrow().get(message) {
            return known;
        }
        let tag = self.keyed.tag(message);
        self.names.borrow_mut().put(message, tag);
        tag
    }
}

impl std::fmt::Debug for Namer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Namer(..)")
    }
}

#[derive(Clone)]
enum Keyed {
    Secret(Mac),
    #[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
    Open {
        spills: bool,
    },
}

impl Keyed {
    /// 128 bits that depend on every bit of the message.
    fn tag(&self, message: &[u8]) -> [u8; 16] {
        match self {
            Keyed::Secret(mac) => mac.tag(message),
            #[cfg(any(not(target_arch = "wasm32"), feature = "lab"))]
            Keyed::Open { .. } => {
                let mut hasher = DefaultHasher::new();
                hasher.write(message);
                let first = hasher.finish();
                // Its state is 256 bits, so that this half is not the other one over again.
                hasher.write_u8(0);
                (u128::from(first) << 64 | u128::from(hasher.finish())).to_be_bytes()
            }
        }
    }
}

struct Message<'a> {
    namer: &'a Namer,
    bytes: Vec<u8>,
}

impl Message<'_> {
    fn part(mut self, bytes: &[u8]) -> Self {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn parts(self, parts: &[Part<'_>]) -> Self {
        parts.iter().fold(self, |message, part| {
            message.part(part.source.as_bytes()).part(part.value)
        })
    }

    fn name(self) -> [u8; 16] {
        let tag = self.namer.tag(&self.bytes);
        self.namer.scratch.replace(self.bytes);
        tag
    }

    fn word(self) -> u64 {
        let tag = self.name();
        u64::from_be_bytes(tag.first_chunk().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
