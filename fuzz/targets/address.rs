//! Any bytes as a client's address: nothing panics, one address has one text, and no spelling chooses
//! another network.

use std::net::IpAddr;

use weir::http::address::{Caller, ClientAddress};

/// One input.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let caller = Caller::read(Some(&text), Some(&text));
    let Some(address) = ClientAddress::parse(&text) else {
        assert_eq!(caller, Caller::Unknown);
        return;
    };
    assert_ne!(caller, Caller::Unknown);
    assert_eq!(address.ip(), address.ip().to_canonical());
    assert_eq!(ClientAddress::parse(&address.to_string()), Some(address));
    assert_eq!(
        ClientAddress::parse(&format!(" [{}]\t", v6(address))),
        Some(address)
    );
    for prefix in 0..=u8::MAX {
        let client = address.client(prefix);
        let again = ClientAddress::from(client.first()).client(prefix);
        assert_eq!(
            client, again,
            "the lowest address of a client is the same client"
        );
        assert!(client.first() <= address.ip());
        // Everybody of one client has one home.
        assert_eq!(
            ClientAddress::from(client.first()).home(prefix),
            address.home(prefix)
        );
    }
}

/// As IPv6 writes it.
fn v6(address: ClientAddress) -> String {
    match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped().to_string(),
        IpAddr::V6(ip) => ip.to_string(),
    }
}
