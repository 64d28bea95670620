//! Made-up traffic to try a policy with: the same every time.
//!
//! Ordinary visitors come all the time, each with an address and with whatever the policy's keys ask
//! for (cookies, API keys); the attack comes in the middle, against the first rule that it fits, and
//! brings nothing. Some visitors share the attacker's network. All addresses are set aside for
//! documentation and benchmarks (RFC 5737, RFC 3849, RFC 2544).

use super::entry::Entry;
use super::request::Request;
use crate::policy::{Action, KeySource, Policy, Rule};
use crate::time::{Span, Timestamp};

/// 2026-01-05 09:00:00 UTC, a Monday.
const BEGIN_S: u64 = 1_767_603_600;

/// Between two requests of visitors, on average: 20 a second.
const VISITOR_US: u64 = 50_000;

/// Visitors.
const VISITORS: u64 = 400;

/// Who attacks how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One address, 400 requests a second.
    Flood,
    /// The 256 addresses of an IPv4 /24 in turn, 400 requests a second.
    Network24,
    /// A new IPv6 /64 of one /48 for each request, 400 requests a second.
    Network48,
    /// One address that takes page after page, one every second, all the time.
    Scraper,
    /// 2,000 addresses that try passwords, 40 a second together.
    Stuffing,
}

/// Every kind, by its name.
pub const KINDS: [(&str, Kind); 5] = [
    ("flood", Kind::Flood),
    ("network24", Kind::Network24),
    ("network48", Kind::Network48),
    ("scraper", Kind::Scraper),
    ("stuffing", Kind::Stuffing),
];

impl Kind {
    /// By name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Kind> {
        KINDS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, kind)| *kind)
    }

    /// Between two requests of the attack.
    fn pause_us(self) -> u64 {
        match self {
            Kind::Flood | Kind::Network24 | Kind::Network48 => 2_500,
            Kind::Scraper => 1_000_000,
            Kind::Stuffing => 25_000,
        }
    }
}

/// A stream of requests.
#[derive(Clone, Debug)]
pub struct Attack {
    kind: Kind,
    target: Target,
    random: u64,
    visitor_us: u64,
    attacker_us: u64,
    /// The attack's part of the time.
    from_us: u64,
    to_us: u64,
    sent: u64,
    left: u64,
}

impl Attack {
    /// `requests` requests in all, against `policy`.
    #[must_use]
    pub fn new(kind: Kind, policy: &Policy, requests: u64) -> Attack {
        // Visitors come all the time, attackers for three fifths of it.
        let attack = 600_000_000_u64.checked_div(kind.pause_us()).unwrap_or(0);
        let visits = 1_000_000_000_u64.checked_div(VISITOR_US).unwrap_or(0);
        let per_1000_s = attack.saturating_add(visits).max(1);
        let length_us = requests
            .saturating_mul(1_000_000)
            .checked_div(per_1000_s)
            .unwrap_or(0)
            .saturating_mul(1_000);
        let (from_us, to_us) = if kind == Kind::Scraper {
            (0, u64::MAX)
        } else {
            (length_us / 5, length_us.saturating_mul(4) / 5)
        };
        Attack {
            kind,
            target: Target::of(policy, kind),
            random: 0x5EED,
            visitor_us: 0,
            attacker_us: from_us,
            from_us,
            to_us,
            sent: 0,
            left: requests,
        }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014), below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)).checked_rem(bound).unwrap_or(0)
    }

    fn visit(&mut self) -> Entry<'static> {
        let at = self.visitor_us;
        // Evenly spread about the mean, so that no window has an average number.
        let pause = self.below(VISITOR_US.saturating_mul(2));
        self.visitor_us = self.visitor_us.saturating_add(pause).saturating_add(1);
        let who = self.below(VISITORS);
        let ip = match who % 10 {
            // Neighbours of the attacker.
            0 => format!("203.0.113.{}", 100_u64.saturating_add(who / 10)),
            1..=3 => format!("2001:db8:1:{who:x}::{:x}", self.below(4)),
            _ => format!("198.51.100.{}", who % 250),
        };
        let number = self.below(50);
        let request = self.target.request(&ip, number);
        let request = self.target.known(request, who);
        self.entry(at, request, 200)
    }

    fn attack(&mut self) -> Entry<'static> {
        let at = self.attacker_us;
        self.attacker_us = self.attacker_us.saturating_add(self.kind.pause_us());
        let number = self.sent;
        let ip = match self.kind {
            Kind::Flood | Kind::Scraper => "203.0.113.66".to_owned(),
            Kind::Network24 => format!("203.0.113.{}", number % 256),
            Kind::Network48 => format!(
                "2001:db8:bad:{:x}::{:x}",
                self.below(65_536),
                self.below(65_536)
            ),
            Kind::Stuffing => {
                let who = self.below(2_000);
                format!("198.18.{}.{}", who / 250, who % 250)
            }
        };
        let request = self.target.request(&ip, number);
        let hit = self.kind != Kind::Stuffing || self.below(200) == 0;
        self.entry(at, request, if hit { 200 } else { 401 })
    }

    fn entry(&mut self, at_us: u64, request: Request<'static>, status: u16) -> Entry<'static> {
        self.sent = self.sent.saturating_add(1);
        Entry {
            at: Timestamp::from_millis(BEGIN_S.saturating_mul(1_000)) + Span::from_micros(at_us),
            request,
            status: Some(status),
            response_bytes: Some(2_000),
        }
    }
}

impl Iterator for Attack {
    type Item = Entry<'static>;

    fn next(&mut self) -> Option<Entry<'static>> {
        self.left = self.left.checked_sub(1)?;
        let over = self.attacker_us >= self.to_us;
        Some(
            if over || self.visitor_us <= self.attacker_us.max(self.from_us) {
                self.visit()
            } else {
                self.attack()
            },
        )
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
struct Target {
    method: String,
    /// Its URL; `{}` stands for a number.
    url: String,
    cookies: Vec<String>,
    headers: Vec<String>,
}

impl Target {
    /// The first rule that counts, for a try at passwords preferably one that counts answers.
    fn of(policy: &Policy, kind: Kind) -> Target {
        let counts = |rule: &&Rule| rule.action == Action::Limit && !rule.limits.is_empty();
        let tries = |rule: &&Rule| rule.limits.iter().any(|limit| limit.count.is_some());
        let mut rules = policy.rules.iter().filter(counts);
        let rule = match kind {
            Kind::Stuffing => rules.clone().find(tries).or_else(|| rules.next()),
            _ => rules.next(),
        };
        let Some(rule) = rule else {
            return Target {
                method: "GET".to_owned(),
                url: "https://www.example/".to_owned(),
                cookies: Vec::new(),
                headers: Vec::new(),
            };
        };
        let mut target = Target {
            method: first(rule.matches.methods.as_deref(), "GET"),
            url: String::new(),
            cookies: rule.matches.cookies.clone(),
            headers: Vec::new(),
        };
        let mut queries = rule.matches.queries.clone();
        let parts = rule
            .limits
            .iter()
            .flat_map(|limit| limit.key.iter().chain(&limit.distinct));
        for source in parts.flat_map(|part| &part.alternatives) {
            match source {
                KeySource::Cookie(name) => target.cookies.push(name.clone()),
                KeySource::Header(name) => target.headers.push(name.clone()),
                KeySource::Query(name) => queries.push(name.clone()),
                _ => {}
            }
        }
        for names in [&mut target.cookies, &mut target.headers, &mut queries] {
            names.sort();
            names.dedup();
        }
        let host = first(rule.matches.hosts.as_deref(), "www.example").replace('*', "www");
        let pattern = rule.matches.paths.as_deref().and_then(<[_]>::first);
        let pattern = pattern.map_or("/", |pattern| pattern.as_str());
        let segments = pattern.split('/').skip(1).map(|segment| {
            if segment.starts_with(':') || segment == "*" {
                "{}"
            } else {
                segment
            }
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let queries = queries.iter().map(|name| format!("{name}=v{{}}"));
        let query = queries.collect::<Vec<_>>().join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        target.url = format!("https://{host}/{path}{mark}{query}");
        target
    }

    fn request(&self, ip: &str, number: u64) -> Request<'static> {
        let url = self.url.replace("{}", &number.to_string());
        Request::new(self.method.clone().into(), None, url.into()).from_ip(ip)
    }

    /// What a known visitor brings.
    fn known(&self, request: Request<'static>, who: u64) -> Request<'static> {
        let mut request = request;
        if !self.cookies.is_empty() {
            let cookies = self
                .cookies
                .iter()
                .map(|name| format!("{name}=visitor{who}"));
            let cookies = cookies.collect::<Vec<_>>().join("; ");
            request = request.header("cookie".into(), cookies.into());
        }
        for name in &self.headers {
            request = request.header(name.clone().into(), format!("visitor{who}").into());
        }
        request
    }
}

fn first(list: Option<&[String]>, otherwise: &str) -> String {
    list.and_then(<[String]>::first)
        .map_or(otherwise, String::as_str)
        .to_owned()
}
