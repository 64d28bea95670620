//! How many counter objects one hostile client can have made.

use std::collections::BTreeSet;

use weir::admission::described::Described;
use weir::admission::plan::{Context, Tier, plan};
use weir::policy::{self, Mode};
use weir::wire::names::Namer;

/// The names of the objects that requests meet under a limit on `key`.
fn objects(key: &str, requests: impl Iterator<Item = Described>) -> BTreeSet<String> {
    let policy = format!(
        r#"{{"rules":[{{"name":"r","match":{{"path":"/*"}},"limits":[
            {{"name":"l","key":{key},"algorithm":"sliding-window","quota":5,"window":"60s"}}]}}]}}"#
    );
    let policy = policy::parse(&policy).unwrap();
    let context = Context {
        policy: &policy,
        namer: &Namer::new(b"secret"),
        mode: Mode::Enforce,
        tiers: &|_, _| Tier::Unknown,
    };
    let applied = requests.flat_map(|request| plan(&context, &request).applied);
    applied.map(|applied| applied.object).collect()
}

fn from(ip: &str) -> Described {
    Described::new("GET", "/").from_ip(ip)
}

#[test]
fn an_ipv6_allocation_meets_at_most_1_024_objects() {
    let addresses = (0..8_000).map(|n| from(&format!("2001:db8:{:x}:{n:x}::1", n % 65_536)));
    let met = objects(r#"["ip"]"#, addresses).len();
    assert!((1_000..=1_024).contains(&met), "{met}");
}

#[test]
fn addresses_of_one_network_share_an_object() {
    let addresses = (0..256).map(|n| from(&format!("192.0.2.{n}")));
    assert_eq!(objects(r#"["ip"]"#, addresses).len(), 1);
    let addresses = (0..5_000).map(|n| from(&format!("2001:db8:1:{n:x}::1")));
    assert_eq!(objects(r#"["ip"]"#, addresses).len(), 1);
}

#[test]
fn made_up_values_meet_at_most_the_shards() {
    let cookies = (0..5_000).map(|n| from("192.0.2.1").header("cookie", &format!("session=s{n}")));
    let met = objects(r#"["cookie:session|ip"]"#, cookies).len();
    assert!((60..=64).contains(&met), "{met}");
    // What a client leaves out counts under its own address.
    let without = (0..256).map(|n| from(&format!("192.0.2.{n}")));
    assert_eq!(objects(r#"["header:x-api-key"]"#, without).len(), 1);
}
