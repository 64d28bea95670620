//! Any text as a policy: it loads or has faults that say something, what loads has one fingerprint
//! however it is written, and can be matched with a request.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use weir::policy::{self, Fault, Policy, RequestView};

/// More than these are not listed.
const MOST_FAULTS: usize = 1_000;

/// One input.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match policy::parse(&text) {
        Ok(policy) => {
            used(&policy);
            let node = policy::node_from_json(&text).expect("it was parsed before");
            let again = node.to_json().expect("it came from JSON").to_string();
            let again = policy::parse(&again).expect("the same document is as good");
            assert_eq!(again.fingerprint, policy.fingerprint);
        }
        Err(faults) => telling(&faults),
    }
    if let Ok(node) = policy::node_from_toml(&text) {
        match policy::check(&node) {
            Ok(policy) => used(&policy),
            Err(faults) => telling(&faults),
        }
    }
}

fn telling(faults: &[Fault]) {
    assert!(!faults.is_empty() && faults.len() <= MOST_FAULTS);
    for fault in faults {
        assert!(
            !fault.path.is_empty() && !fault.found.is_empty() && !fault.expected.is_empty(),
            "{fault}"
        );
    }
}

fn used(policy: &Policy) {
    for rule in &policy.rules {
        let _ = rule.matches.matches(&Sample);
        let _ = rule.skip.as_ref().map(|skip| skip.matches(&Sample));
    }
}

/// A request that has one of everything.
struct Sample;

impl RequestView for Sample {
    fn method(&self) -> &str {
        "HEAD"
    }
    fn host(&self) -> &str {
        "www.example.com"
    }
    fn path(&self) -> &str {
        "/api/v1/%E2%82%AC/7"
    }
    fn ip(&self) -> Option<IpAddr> {
        Some(IpAddr::V6(Ipv6Addr::LOCALHOST))
    }
    fn country(&self) -> Option<&str> {
        Some("DE")
    }
    fn asn(&self) -> Option<u32> {
        Some(64500)
    }
    fn header(&self, _name: &str) -> Option<Cow<'_, str>> {
        Some("a, b".into())
    }
    fn has_cookie(&self, _name: &str) -> bool {
        true
    }
    fn has_query(&self, name: &str) -> bool {
        name.starts_with("a")
    }
    fn is_verified_bot(&self) -> bool {
        true
    }
}
