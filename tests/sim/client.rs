//! Who asks, and how: clients that differ in their pace and in how many they pretend to be.

use weir::admission::described::Described;

use super::rng::Rng;
use super::scenario::{MS, SECOND};

#[derive(Clone, Copy, Debug)]
enum Pace {
    Steady {
        every: u64,
    },
    Bursts {
        of: u64,
        every: u64,
    },
    Flood {
        every: u64,
        until: u64,
    },
    /// Waits as long as it is told.
    Obedient {
        every: u64,
    },
}

#[derive(Clone, Copy, Debug)]
enum Address {
    One,
    WithinNetwork,
    AcrossNetworks,
    WithinV6,
}

#[derive(Clone, Debug)]
pub struct Client {
    number: u64,
    pace: Pace,
    address: Address,
    /// In thousandths: how often it goes away before it has its answer.
    impatience: u64,
    left_in_burst: u64,
    /// Told to stay away until then.
    pub away_until: u64,
    /// How many requests it made.
    pub asked: u64,
}

impl Client {
    pub fn new(number: u64, busy: bool, rng: &mut Rng) -> Client {
        let pace = match rng.range(0, 4) {
            0..2 if busy => Pace::Steady {
                every: rng.range(8 * MS, 60 * MS),
            },
            2 if busy => Pace::Bursts {
                of: rng.range(2, 10),
                every: rng.range(50 * MS, 400 * MS),
            },
            0 => Pace::Steady {
                every: rng.range(300 * MS, 3 * SECOND),
            },
            1 => Pace::Bursts {
                of: rng.range(3, 30),
                every: rng.range(4 * SECOND, 20 * SECOND),
            },
            2 => Pace::Flood {
                every: rng.range(20 * MS, 200 * MS),
                until: rng.range(SECOND, 5 * SECOND),
            },
            _ => Pace::Obedient {
                every: rng.range(200 * MS, 2 * SECOND),
            },
        };
        let address = match rng.range(0, 8) {
            0 => Address::WithinNetwork,
            1 => Address::AcrossNetworks,
            2 => Address::WithinV6,
            _ => Address::One,
        };
        let impatience = if rng.permille(250) {
            rng.range(10, 200)
        } else {
            0
        };
        Client {
            number,
            pace,
            address,
            impatience,
            left_in_burst: 0,
            away_until: 0,
            asked: 0,
        }
    }

    /// From now until its next request.
    pub fn next_in(&mut self, now: u64, rng: &mut Rng) -> u64 {
        match self.pace {
            Pace::Steady { every } => rng.range(every / 2, every * 3 / 2),
            Pace::Bursts { of, every } => {
                if self.left_in_burst == 0 {
                    self.left_in_burst = of;
                    return rng.range(every / 2, every * 3 / 2);
                }
                self.left_in_burst -= 1;
                rng.range(0, 3 * MS)
            }
            Pace::Flood { every, until } if now < until => rng.range(1, every),
            Pace::Flood { .. } => rng.range(SECOND, 20 * SECOND),
            Pace::Obedient { every } => {
                rng.range(1, every).max(self.away_until.saturating_sub(now))
            }
        }
    }

    /// How long it waits for its answer, if not for ever.
    pub fn patience(&self, rng: &mut Rng) -> Option<u64> {
        rng.permille(self.impatience)
            .then(|| rng.range(0, 3 * SECOND))
    }

    pub fn request(&self, rng: &mut Rng) -> Described {
        let path = *rng.pick(&["/a", "/b/c", "/"]);
        let url = format!("https://site.example{path}?u={}", rng.range(0, 12));
        let number = self.number;
        let ip = match self.address {
            Address::One => format!("192.0.{number}.7"),
            Address::WithinNetwork => format!("192.0.{number}.{}", rng.range(1, 255)),
            Address::AcrossNetworks => format!("10.{}.{number}.1", rng.range(0, 40)),
            Address::WithinV6 => {
                format!("2001:db8:{:x}:{:x}::1", rng.range(0, 20), rng.range(0, 4))
            }
        };
        let posts = rng.permille(500);
        let method = if posts { "POST" } else { "GET" };
        let mut request = Described::new(method, &url).from_ip(&ip);
        request.body_to_come = posts;
        if number.is_multiple_of(2) {
            request = request.header("x-api-key", &format!("key{}", number / 4));
        }
        if number.is_multiple_of(3) {
            request = request.header("cookie", &format!("session=s{number}"));
        }
        request
    }
}
