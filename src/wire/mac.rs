//! HMAC-SHA-256 (RFC 2104, FIPS 180-4), cut to 128 bits, its key taken in once.
//!
//! Put together here from the compression function alone: a name is two or three blocks of it, and
//! what general interfaces put around these costs a third as much again.

use sha2::block_api::compress256;
use sha2::{Digest, Sha256};

/// Bytes of a block.
const BLOCK: usize = 64;

/// The state before the first block (FIPS 180-4, section 5.3.3).
const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// A key, as the states after its block.
#[derive(Clone)]
pub(super) struct Mac {
    inner: [u32; 8],
    outer: [u32; 8],
}

impl Mac {
    /// For a secret of any length.
    pub(super) fn new(secret: &[u8]) -> Mac {
        let mut key = [0; BLOCK];
        if secret.len() > BLOCK {
            copy(&mut key, &Sha256::digest(secret));
        } else {
            copy(&mut key, secret);
        }
        let keyed = |pad: u8| {
            let mut state = START;
            compress256(&mut state, &[key.map(|byte| byte ^ pad)]);
            state
        };
        Mac {
            inner: keyed(0x36),
            outer: keyed(0x5c),
        }
    }

    /// The first half of the message's code.
    pub(super) fn tag(&self, message: &[u8]) -> [u8; 16] {
        let digest = behind_the_key(self.inner, message);
        let code = behind_the_key(self.outer, &digest);
        code.first_chunk().copied().unwrap_or_default()
    }
}

/// The digest of the key's block and a message (padded as in FIPS 180-4, section 5.1.1).
fn behind_the_key(mut state: [u32; 8], message: &[u8]) -> [u8; 32] {
    let (blocks, rest) = message.as_chunks();
    compress256(&mut state, blocks);
    let mut last = [0; 2 * BLOCK];
    copy(&mut last, rest);
    if let Some(end) = last.get_mut(rest.len()) {
        *end = 0x80;
    }
    let (mut last, spare) = last.as_chunks_mut();
    debug_assert!(spare.is_empty());
    // The length has to fit behind the message and its mark.
    if rest.len() < BLOCK - 8 {
        last = last.get_mut(..1).unwrap_or_default();
    }
    let bytes = u64::try_from(BLOCK.saturating_add(message.len())).unwrap_or(u64::MAX);
    if let Some(length) = last.last_mut().and_then(|block| block.last_chunk_mut()) {
        *length = bytes.wrapping_mul(8).to_be_bytes();
    }
    compress256(&mut state, last);
    let mut digest = [0; 32];
    for (to, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *to = word.to_be_bytes();
    }
    digest
}

fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hmac::{Hmac, KeyInit, Mac as _};

    #[track_caller]
    fn check(secret: &[u8], message: &[u8]) {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
        mac.update(message);
        let whole: [u8; 32] = mac.finalize().into_bytes().into();
        let lengths = (secret.len(), message.len());
        assert_eq!(Mac::new(secret).tag(message), whole[..16], "{lengths:?}");
    }

    #[test]
    fn every_length_of_message_and_secret_ends_where_it_should() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=bytes.len() {
            check(b"secret", &bytes[..length]);
            check(&bytes[..length], b"message");
        }
    }

    /// RFC 4231, test case 2.
    #[test]
    fn a_published_code() {
        let tag = Mac::new(b"Jefe").tag(b"what do ya want for nothing?");
        let expected = 0x5bdc_c146_bf60_754e_6a04_2426_0895_75c7_u128;
        assert_eq!(tag, expected.to_be_bytes());
    }
}
