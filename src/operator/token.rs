//! Who may see the data: whoever has the token. Guessing it is itself limited.

use sha2::{Digest, Sha256};

use crate::admission::local::LocalLimits;
use crate::http::address::Caller;
use crate::http::refusal::Refusal;
use crate::limit::{Algorithm, Quota};
use crate::time::{Span, Timestamp};
use crate::wire::names::{Namer, Part};
use crate::wire::{CounterKey, Item};

/// Wrong tokens that one address may send at once, and in a minute. An isolate counts by itself:
/// against a token worth its name a few more guesses are nothing.
const GUESSES: u64 = 10;

/// Counts wrong tokens by address.
#[derive(Debug, Default)]
pub struct Guard {
    wrong: LocalLimits,
}

impl Guard {
    /// Lets pass whoever sends `secret` as a bearer token (RFC 6750).
    ///
    /// # Errors
    ///
    /// 401 without the token, 429 after too many wrong ones; then a right one is refused as well,
    /// or guessing would go on.
    pub fn check(
        &mut self,
        namer: &Namer,
        caller: Caller<'_>,
        authorization: Option<&str>,
        secret: &str,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let Some(given) = authorization.and_then(bearer) else {
            return Err(Refusal::unauthorized());
        };
        let mut item = item(namer, caller);
        let (standing, _) = self.wrong.charge(&item, now);
        if standing.remaining == 0 {
            return Err(Refusal::rate_limited(Vec::new(), standing.reset)
                .detailed("Too many wrong tokens have come from you."));
        }
        if is_same(given, secret) {
            return Ok(());
        }
        item.cost = 1;
        self.wrong.charge(&item, now);
        Err(Refusal::unauthorized())
    }
}

fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares digests, so that neither where the two differ nor how long either is shows in the time.
fn is_same(given: &str, secret: &str) -> bool {
    let digest = |text: &str| <[u8; 32]>::from(Sha256::digest(text.as_bytes()));
    let differing = digest(given)
        .iter()
        .zip(digest(secret))
        .fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differing) == 0
}

/// A look at the counter of an address: an IPv6 client is its /64, and a full table falls back to
/// the counter of the network.
fn item(namer: &Namer, caller: Caller<'_>) -> Item {
    let key = |name: &str| {
        let part = Part {
            source: "token",
            value: name.as_bytes(),
        };
        namer.counter_key("token", &[part])
    };
    let (own, network): (CounterKey, CounterKey) = match caller {
        Caller::Address(address) => (
            key(&address.client(64).to_string()),
            key(&address.network(24, 48).to_string()),
        ),
        Caller::Worker(zone) => (key(zone), key(zone)),
        Caller::Unknown => (key(""), key("")),
    };
    Item {
        key: own,
        spill: network,
        quota: Quota {
            algorithm: Algorithm::TokenBucket,
            limit: GUESSES,
            window: Span::from_secs(60),
            burst: GUESSES,
        },
        cost: 0,
        value: None,
        enforce: true,
        durable: false,
        block: Vec::new(),
        permits: 0,
        reserve: None,
        taken: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "correct horse battery staple";

    struct Bench {
        guard: Guard,
        namer: Namer,
        now_ms: u64,
    }

    impl Bench {
        fn new() -> Bench {
            Bench {
                guard: Guard::default(),
                namer: Namer::new(b"secret"),
                now_ms: 1_000_000,
            }
        }

        fn status(&mut self, ip: &str, authorization: Option<&str>) -> u16 {
            let caller = Caller::read(Some(ip), None);
            let now = Timestamp::from_millis(self.now_ms);
            self.guard
                .check(&self.namer, caller, authorization, SECRET, now)
                .map_or_else(|refusal| refusal.status, |()| 200)
        }
    }

    #[test]
    fn only_the_token_opens() {
        let mut bench = Bench::new();
        let right = format!("Bearer {SECRET}");
        for (authorization, status) in [
            (Some(right.as_str()), 200),
            (Some("bearer  correct horse battery staple "), 200),
            (None, 401),
            (Some(""), 401),
            (Some(SECRET), 401),
            (Some("Basic correct horse battery staple"), 401),
            (Some("Bearer correct horse battery stapl"), 401),
            (Some("Bearer "), 401),
        ] {
            let got = bench.status("192.0.2.1", authorization);
            assert_eq!(got, status, "{authorization:?}");
        }
    }

    #[test]
    fn guessing_is_limited_by_address_and_not_for_ever() {
        let mut bench = Bench::new();
        let right = format!("Bearer {SECRET}");
        for _ in 0..GUESSES {
            assert_eq!(bench.status("192.0.2.1", Some("Bearer x")), 401);
        }
        assert_eq!(bench.status("192.0.2.1", Some("Bearer x")), 429);
        assert_eq!(bench.status("192.0.2.1", Some(&right)), 429);
        assert_eq!(bench.status("192.0.2.2", Some(&right)), 200);
        bench.now_ms += 6_000;
        assert_eq!(bench.status("192.0.2.1", Some(&right)), 200);
    }

    #[test]
    fn asking_without_a_token_is_no_guess() {
        let mut bench = Bench::new();
        for _ in 0..100 {
            assert_eq!(bench.status("192.0.2.1", None), 401);
        }
        let right = format!("Bearer {SECRET}");
        assert_eq!(bench.status("192.0.2.1", Some(&right)), 200);
    }
}
