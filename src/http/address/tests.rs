use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, client: Option<&str>) {
    let found = ClientAddress::parse(text).map(|address| address.client(64).to_string());
    assert_eq!(found.as_deref(), client, "{text:?}");
}

/// The case "IPv4-mapped IPv6 collapses to one bucket, or disguises the client's own choice of
/// key": other limiters looked at the spelling.
#[test]
fn mapped_is_decided_by_range() {
    check("::ffff:192.0.2.1", Some("192.0.2.1"));
    check("::ffff:192.0.2.2", Some("192.0.2.2"));
    check("::ffff:c000:201", Some("192.0.2.1"));
    check("::FFFF:C000:0201", Some("192.0.2.1"));
    check("0:0:0:0:0:ffff:c000:201", Some("192.0.2.1"));
    check("192.0.2.1", Some("192.0.2.1"));
    check("2001:db8:1:2::192.0.2.9", Some("2001:db8:1:2::/64"));
    check("2001:db8:1:2::192.0.2.10", Some("2001:db8:1:2::/64"));
    // Compatible, translated and NAT64 addresses are IPv6.
    check("::192.0.2.1", Some("::/64"));
    check("::ffff:0:192.0.2.1", Some("::/64"));
    check("64:ff9b::192.0.2.1", Some("64:ff9b::/64"));
}

#[test]
fn what_surrounds_an_address_is_dropped() {
    check(" 192.0.2.1\t", Some("192.0.2.1"));
    check("192.0.2.1:8080", Some("192.0.2.1"));
    check("[2001:db8::1]", Some("2001:db8::/64"));
    check("[2001:db8::1]:443", Some("2001:db8::/64"));
    check("[::ffff:192.0.2.1]:443", Some("192.0.2.1"));
}

#[test]
fn whatever_could_mean_several_things_is_refused() {
    for text in [
        "",
        " ",
        "unknown",
        "192.0.2.1, 198.51.100.7",
        "192.0.2.01",
        "192.0.2",
        "0xc0000201",
        "3221225985",
        "192.0.2.1/24",
        "fe80::1%eth0",
        "[fe80::1%3]:80",
        "[192.0.2.1]",
        "2001:db8::1:",
        "192.0.2.1:99999",
        "::ffff:192.0.2.256",
    ] {
        check(text, None);
    }
    check(&"1".repeat(100_000), None);
}

#[test]
fn a_client_has_one_home() {
    let home = |text, prefix| {
        let address = ClientAddress::parse(text).unwrap();
        address.home(prefix).to_string()
    };
    assert_eq!(home("192.0.2.77", 64), "192.0.2.0/24");
    assert_eq!(home("2001:db8:1:2::3", 64), "2001:db8:1::/48");
    assert_eq!(home("2001:db8:1:2::3", 32), "2001:db8::/32");
    assert_eq!(home("2001:db8:1:2::3", 0), "::/0");
}

#[test]
fn prefixes_at_their_ends() {
    let address = ClientAddress::parse("2001:db8::1").unwrap();
    assert_eq!(address.client(128).to_string(), "2001:db8::1");
    assert_eq!(address.client(255).bits(), 128);
    let address = ClientAddress::parse("255.255.255.255").unwrap();
    assert_eq!(address.network(0, 0).to_string(), "0.0.0.0/0");
    assert_eq!(address.network(33, 0).to_string(), "255.255.255.255");
}

#[test]
fn workers_of_other_zones_go_by_their_name() {
    let shared = Some("2a06:98c0:3600::103");
    assert_eq!(
        Caller::read(shared, Some("example.com")),
        Caller::Worker("example.com")
    );
    let address = ClientAddress::parse("2a06:98c0:3600:0:0:0:0:103").unwrap();
    assert_eq!(Caller::read(shared, None), Caller::Address(address));
    assert_eq!(Caller::read(shared, Some(" ")), Caller::Address(address));
    // Anybody may send the header; only the edge's own word counts.
    let other = ClientAddress::parse("192.0.2.1").unwrap();
    assert_eq!(
        Caller::read(Some("192.0.2.1"), Some("example.com")),
        Caller::Address(other)
    );
    assert_eq!(Caller::read(None, Some("example.com")), Caller::Unknown);
    assert_eq!(Caller::read(Some("x"), None), Caller::Unknown);
}

proptest! {
    #[test]
    fn every_spelling_is_one_client(v4 in any::<u32>(), v6 in any::<u128>(), bits in any::<u8>()) {
        let v4 = Ipv4Addr::from_bits(v4);
        let plain = ClientAddress::from(IpAddr::V4(v4));
        for text in [v4.to_string(), format!("::ffff:{v4}"), format!("[{}]:1", v4.to_ipv6_mapped())] {
            prop_assert_eq!(ClientAddress::parse(&text), Some(plain));
        }
        let v6 = Ipv6Addr::from_bits(v6);
        let address = ClientAddress::from(IpAddr::V6(v6));
        let full: Vec<String> = v6.segments().iter().map(|part| format!("{part:04X}")).collect();
        prop_assert_eq!(ClientAddress::parse(&full.join(":")), Some(address));
        // A network is the same from wherever in it one looks.
        let network = address.client(bits);
        prop_assert_eq!(ClientAddress::from(network.first()).client(bits), network);
        for network in [network, plain.network(bits, bits), plain.network(24, 48)] {
            prop_assert_eq!(network.text(), network.to_string());
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC*|[0-9a-f:.%\\[\\]]{0,48}") {
        let _ = ClientAddress::parse(&text).map(|address| address.home(64).to_string());
    }
}
