//! The expected names were computed with another implementation of HMAC-SHA-256. They are frozen:
//! a name that changes starts every counter afresh.

use super::*;
use std::collections::BTreeSet;

fn namer() -> Namer {
    Namer::new(b"secret")
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[track_caller]
fn check_home(home: Home, region: Option<&str>, name: &str) {
    assert_eq!(namer().home_name(&home, region), name);
}

#[test]
fn home_names_unchanged() {
    check_home(
        namer().network(ip("192.0.2.77")),
        None,
        "0UKZM0MsE7twy0EMttzmrA",
    );
    check_home(
        namer().network(ip("2001:db8:1:2::3")),
        None,
        "F4nifLaidpq9n9Scwprr_A",
    );
    check_home(
        Home::NetworkV6([0x20, 1, 0x0d, 0xb8], 251),
        None,
        "F4nifLaidpq9n9Scwprr_A",
    );
    check_home(Home::NoNetwork, None, "3WI0nwPWPTaHVHK_HQCcug");
    check_home(Home::Own(b"v".to_vec()), None, "7u6eUNQc09EHYpZDO51ysg");
    check_home(Home::Shard(7), None, "y9Uj0X4Y-rKwMsL00OBZVg");
    check_home(Home::Shard(7), Some("EU"), "kAyhmASKyReCIxaJfbbsqg");
}

#[test]
fn counter_and_value_names_unchanged() {
    let namer = namer();
    let address = [Part {
        source: "ip",
        value: b"192.0.2.1",
    }];
    assert_eq!(
        namer.counter_key("rule.limit", &address).to_text(),
        "7KtJW78bdMRJZVNOmOFSQA"
    );
    assert_eq!(
        namer.counter_key("rule.limit", &[]).to_text(),
        "L1eNs8e38bvBNcwiIPnIqQ"
    );
    assert_eq!(
        namer.value_hash(&[Part {
            source: "query:u",
            value: b"bob"
        }]),
        6_683_272_137_851_172_852
    );
    assert_eq!(
        namer.shard(
            &[Part {
                source: "cookie:sid",
                value: b"abc"
            }],
            64
        ),
        Home::Shard(15)
    );
}

#[track_caller]
fn check_same_network(one: &str, other: &str, same: bool) {
    let namer = namer();
    assert_eq!(
        namer.network(ip(one)) == namer.network(ip(other)),
        same,
        "{one} and {other}"
    );
}

#[test]
fn networks() {
    check_same_network("192.0.2.1", "192.0.2.254", true);
    check_same_network("192.0.2.1", "192.0.3.1", false);
    check_same_network("192.0.2.1", "::ffff:192.0.2.9", true);
    check_same_network("192.0.2.1", "::ffff:c000:201", true);
    check_same_network("2001:db8:1::1", "2001:db8:1:ffff::1", true);
    check_same_network("2001:db8:1::1", "2001:db9:1::1", false);
    // Not IPv4-mapped, whatever the notation.
    check_same_network("2001:db8:1:2::192.0.2.9", "192.0.2.9", false);
}

#[test]
fn one_v6_allocation_has_a_bounded_number_of_homes() {
    let namer = namer();
    let homes: BTreeSet<Home> = (0..=u16::MAX)
        .map(|subnet| {
            let [high, low] = subnet.to_be_bytes();
            let mut octets = [0; 16];
            octets[..6].copy_from_slice(&[0x20, 1, 0x0d, 0xb8, high, low]);
            namer.network(octets.into())
        })
        .collect();
    assert_eq!(homes.len(), 1_024);
}

#[test]
fn composite_keys_never_run_into_each_other() {
    let namer = namer();
    let key = |parts: &[(&str, &str)]| {
        let parts: Vec<Part<'_>> = parts
            .iter()
            .map(|(source, value)| Part {
                source,
                value: value.as_bytes(),
            })
            .collect();
        namer.counter_key("r.l", &parts)
    };
    let keys = [
        key(&[]),
        key(&[("a", "bc")]),
        key(&[("ab", "c")]),
        key(&[("a", "b"), ("c", "")]),
        key(&[("a", ""), ("b", "c")]),
        key(&[("a", "b"), ("a", "c")]),
        key(&[("a", "c"), ("a", "b")]),
        key(&[("", "abc")]),
        namer.counter_key(
            "r.la",
            &[Part {
                source: "",
                value: b"bc",
            }],
        ),
    ];
    assert_eq!(BTreeSet::from(keys).len(), keys.len());
}

#[test]
fn long_values_that_differ_in_the_last_byte_stay_apart() {
    let namer = namer();
    let (mut one, mut other) = (vec![b'x'; 8_192], vec![b'x'; 8_192]);
    one[8_191] = b'1';
    other[8_191] = b'2';
    let key = |value: &[u8]| {
        namer.counter_key(
            "r.l",
            &[Part {
                source: "header:x-tenant",
                value,
            }],
        )
    };
    assert_ne!(key(&one), key(&other));
}

#[test]
fn no_shards_is_no_panic() {
    assert_eq!(namer().shard(&[], 0), Home::Shard(0));
    assert_eq!(namer().shard(&[], 1), Home::Shard(0));
}

#[test]
fn the_secret_matters_and_may_have_any_length() {
    let names: BTreeSet<CounterKey> = [&b""[..], b"a", b"b", &[7; 64], &[7; 65], &[7; 4_096]]
        .iter()
        .map(|secret| Namer::new(secret).counter_key("r.l", &[]))
        .collect();
    assert_eq!(names.len(), 6);
}

#[test]
fn open_names_tell_apart_what_the_keyed_ones_do() {
    let part = |source, value: &'static str| Part {
        source,
        value: value.as_bytes(),
    };
    let keys: [&[Part<'_>]; 7] = [
        &[],
        &[part("ip", "a")],
        &[part("ipa", "")],
        &[part("ip", ""), part("a", "")],
        &[part("ip", "a"), part("ip", "")],
        &[part("ip", "a\0")],
        &[part("", "ipa")],
    ];
    let namer = Namer::open(true);
    let names: BTreeSet<_> = ["r.l", "r.m"]
        .iter()
        .flat_map(|name| keys.map(|parts| namer.counter_key(name, parts).0))
        .collect();
    assert_eq!(names.len(), 14);
    let halves = names.iter().flat_map(|name| [&name[..8], &name[8..]]);
    assert_eq!(halves.collect::<BTreeSet<_>>().len(), 28);
}
