//! The strings that say where something is: hosts, networks, countries, origins, paths.

use super::{bounded, is_token};
use crate::policy::fault::Wrong;
use crate::policy::kind::Syntax;

/// Hosts.
pub static HOST: Syntax = Syntax {
    what: "a host such as \"example.com\" or \"*.example.com\"",
    check: |text| host(text).map(drop),
    pattern: "",
};

/// Address ranges.
pub static NETWORK: Syntax = Syntax {
    what: "an address or a range such as \"192.0.2.0/24\"",
    check: |text| network(text).map(drop),
    pattern: "",
};

/// Countries.
pub static COUNTRY: Syntax = Syntax {
    what: "a country code of two letters (ISO 3166-1)",
    check: country,
    pattern: "^[A-Za-z][A-Za-z0-9]$",
};

/// Origins in the sense of the Fetch standard.
pub static ORIGIN: Syntax = Syntax {
    what: "an origin such as \"https://example.com\", or \"*\"",
    check: |text| origin(text).map(drop),
    pattern: "",
};

/// Where Weir's own pages live.
pub static PREFIX: Syntax = Syntax {
    what: "a path such as \"/_weir\"",
    check: |text| prefix(text).map(drop),
    pattern: "^/[A-Za-z0-9._~/-]+$",
};

/// Lower case, without port and final dot; `*.` may stand in front.
pub fn host(text: &str) -> Result<String, Wrong> {
    bounded(text, 255)?;
    let lower = text.to_ascii_lowercase();
    let bare = match lower.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !host.ends_with(':') => {
            host
        }
        _ => &lower,
    };
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    let rest = bare.strip_prefix("*.").unwrap_or(bare);
    let label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let literal = rest
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok());
    if literal || rest.split('.').all(label) {
        return Ok(bare.to_owned());
    }
    let expected = if text.is_ascii() {
        "write a host such as \"example.com\" or \"*.example.com\", without scheme and path"
    } else {
        "write it in its ASCII form (\"xn--…\")"
    };
    Err(Wrong::text(text, "is no host", expected))
}

/// An address is a range of one; an IPv4-mapped IPv6 range is the IPv4 range.
pub fn network(text: &str) -> Result<ipnet::IpNet, Wrong> {
    use ipnet::{IpNet, Ipv4Net};
    // Not ipnet's own parser: the standard one is in the Worker already.
    let (address, bits) = text
        .split_once('/')
        .map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address = address.parse::<std::net::IpAddr>();
    let parsed = match (address, bits) {
        (Ok(address), None) => Some(IpNet::from(address)),
        (Ok(address), Some(bits)) if bits.bytes().all(|byte| byte.is_ascii_digit()) => bits
            .parse()
            .ok()
            .and_then(|bits| IpNet::new(address, bits).ok()),
        _ => None,
    };
    let Some(net) = parsed else {
        let expected = "write an address or a range such as \"192.0.2.0/24\" or \"2001:db8::/32\"";
        return Err(Wrong::text(text, "is no address range", expected));
    };
    let mapped = match net {
        IpNet::V6(v6) => v6
            .addr()
            .to_ipv4_mapped()
            .zip(v6.prefix_len().checked_sub(96)),
        IpNet::V4(_) => None,
    };
    let net = match mapped.map(|(address, bits)| Ipv4Net::new(address, bits)) {
        Some(Ok(v4)) => IpNet::V4(v4),
        _ => net,
    };
    Ok(net.trunc())
}

fn country(text: &str) -> Result<(), Wrong> {
    match text.as_bytes() {
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok(()),
        _ => Err(Wrong::text(
            text,
            "is no country code",
            "write two letters, such as \"DE\"",
        )),
    }
}

/// Scheme, host and port in lower case; `*` stays.
pub fn origin(text: &str) -> Result<String, Wrong> {
    let lower = text.to_ascii_lowercase();
    let good = crate::text::split_once(&lower, "://").is_some_and(|(scheme, authority)| {
        is_token(scheme) && !crate::text::has(authority, b'*') && host(authority).is_ok()
    });
    if lower == "*" || good {
        return Ok(lower);
    }
    let expected = "write scheme and host such as \"https://example.com\", without a path";
    Err(Wrong::text(text, "is no origin", expected))
}

/// Without trailing slash.
pub fn prefix(text: &str) -> Result<String, Wrong> {
    bounded(text, 255)?;
    let trimmed = text.strip_suffix('/').unwrap_or(text);
    let segment = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    };
    match trimmed.strip_prefix('/') {
        Some(rest) if rest.split('/').all(segment) => Ok(trimmed.to_owned()),
        _ => {
            let expected = "write a path of plain segments, such as \"/_weir\"";
            Err(Wrong::text(text, "is no path for Weir's pages", expected))
        }
    }
}
