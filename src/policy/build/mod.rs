//! From a document whose shapes are right to the checked policy, with the faults that only show
//! where several fields are seen together.

mod body;
mod homes;
mod key;
mod limit;
mod matching;
mod numbers;
mod rule;

use super::fault::{Faults, Place, Wrong, quoted};
use super::fields::MAX_RULES;
use super::index::Index;
use super::limit::{Limit, Precision, Scope, TierSource};
use super::near::near;
use super::node::Node;
use super::reader::Reader;
use super::{Dialect, Mode, Policy, key::part, syntax};
use crate::map::Sorted;
use crate::text;
use crate::time::Span;
use sha2::{Digest, Sha256};

/// Where the platform itself writes the client's address.
const CLIENT_IP_HEADER: &str = "cf-connecting-ip";

/// Builds the policy; where faults are found it is of no use.
pub fn policy(node: &Node, faults: &mut Faults) -> Policy {
    let top = Reader::top(node);
    let tiers = tiers(&top.field("tiers"), faults);
    let mut names = Names::default();
    let mut rules = Vec::new();
    let mut written = top.field("rules").items();
    if written.len() > MAX_RULES {
        written.clear();
    }
    for rule in written {
        if let Some(name) = rule.field("name").text() {
            names.claim(name, &rule.field("name").at, faults);
        }
        rules.push(rule::rule(&rule, &tiers, faults));
    }
    homes::check(&rules, faults);
    let headers = top.field("headers").items();
    let mut chosen = Vec::new();
    for item in headers {
        let Some(dialect) = item.text().and_then(dialect) else {
            continue;
        };
        if chosen.contains(&dialect) {
            faults.add(&item.at, Wrong::new(twice(item.text()), "name each once"));
        }
        chosen.push(dialect);
    }
    if !top.field("headers").is_given() {
        chosen.push(Dialect::Draft8);
    }
    Policy {
        headers: chosen,
        ipv6_prefix: top.field("ipv6_prefix").whole(1).unwrap_or(64),
        client_ip_header: top
            .field("client_ip_header")
            .text()
            .map(str::to_ascii_lowercase)
            .filter(|name| name != CLIENT_IP_HEADER),
        mode: mode(&top.field("mode")),
        counter_timeout: top
            .field("counter_timeout")
            .duration()
            .unwrap_or(Span::from_millis(300)),
        policy_cache: top
            .field("policy_cache")
            .duration()
            .unwrap_or(Span::from_secs(30)),
        shards: top.field("objects").field("shards").whole(1).unwrap_or(64),
        admin_path: top
            .field("admin_path")
            .text()
            .and_then(|text| syntax::prefix(text).ok())
            .unwrap_or("/_weir".to_owned()),
        preflight: preflight(&top.field("preflight"), faults),
        log_key: top.field("log_key").flag().unwrap_or(false),
        tiers,
        index: Index::new(&rules),
        rules,
        fingerprint: fingerprint(node),
    }
}

fn mode(reader: &Reader<'_>) -> Mode {
    match reader.text() {
        Some("off") => Mode::Off,
        Some("shadow") => Mode::Shadow,
        _ => Mode::Enforce,
    }
}

fn dialect(text: &str) -> Option<Dialect> {
    match text {
        "draft-8" => Some(Dialect::Draft8),
        "draft-6" => Some(Dialect::Draft6),
        "x-ratelimit" => Some(Dialect::XRateLimit),
        _ => None,
    }
}

fn twice(text: Option<&str>) -> String {
    format!("{} stands twice", quoted(text.unwrap_or_default()))
}

fn tiers(reader: &Reader<'_>, faults: &mut Faults) -> Vec<TierSource> {
    let mut sources = Vec::new();
    for (name, tier) in reader.entries() {
        let key_at = tier.field("key");
        let Some(key) = key_at.text().and_then(|text| part(text).ok()) else {
            continue;
        };
        if let Some(what) = key::tied_to_a_rule(&key) {
            let expected = "use a part that every request has, such as \"header:x-api-key\"";
            faults.add(&key_at.at, Wrong::new(what, expected));
        }
        sources.push(TierSource {
            name: name.to_owned(),
            key,
            kv: tier.field("kv").text().unwrap_or_default().to_owned(),
            cache: tier
                .field("cache")
                .duration()
                .unwrap_or(Span::from_secs(300)),
            default: tier.field("default").text().unwrap_or_default().to_owned(),
        });
    }
    sources
}

/// The limit on preflights: ten a second and address, a hundred at once, unless written otherwise.
fn preflight(reader: &Reader<'_>, faults: &mut Faults) -> Limit {
    let mut limit = limit::bare(reader, "preflight", String::from("preflight"));
    if !reader.field("key").is_given() {
        limit.key = part("ip").into_iter().collect();
    }
    let given = reader.field("quota").is_given();
    limit.quota = numbers::numbers(reader, limit.algorithm, Span::from_secs(1), 10, faults);
    if !given
        && !reader.field("burst").is_given()
        && limit.algorithm == crate::limit::Algorithm::TokenBucket
    {
        limit.quota.burst = 100;
    }
    for (index, part) in limit.key.iter().enumerate() {
        if let Some(what) = key::tied_to_a_rule(part) {
            let at = reader.field("key").at.item(index);
            faults.add(&at, Wrong::new(what, "use a part that every request has"));
        }
    }
    limit
}

fn precision(reader: &Reader<'_>) -> Precision {
    match reader.text() {
        Some("exact") => Precision::Exact,
        Some("optimistic") => Precision::Optimistic,
        _ => Precision::Leased,
    }
}

fn scope(reader: &Reader<'_>) -> Scope {
    match reader.text() {
        Some("region") => Scope::Region,
        _ => Scope::Global,
    }
}

/// Names that may be given once only.
#[derive(Default)]
struct Names(Sorted<String, ()>);

impl Names {
    fn claim(&mut self, name: &str, at: &Place, faults: &mut Faults) {
        if self.0.insert(name.to_owned(), ()).is_some() {
            let found = format!("{} is taken", quoted(name));
            faults.add(at, Wrong::new(found, "give each a name of its own"));
        }
    }
}

/// What to say about a tier that is not there.
fn unknown_tier(name: &str, tiers: &[TierSource]) -> Wrong {
    let known: Vec<&str> = tiers.iter().map(|tier| tier.name.as_str()).collect();
    let expected = match near(name, known.iter().copied()) {
        Some(known) => format!("did you mean \"{known}\"?"),
        None if known.is_empty() => format!("write [tiers.{name}] first"),
        None => format!("use any of {}", text::join(&known, ", ")),
    };
    Wrong::text(name, "is no entry of \"tiers\"", expected)
}

/// The same for every spelling of the same document.
fn fingerprint(node: &Node) -> String {
    let mut text = String::new();
    node.canonical(&mut text);
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
