use super::*;
use crate::admission::described::Described;
use proptest::prelude::*;

/// However it is taken apart here, it is what the edge would see.
#[track_caller]
fn same(host: Option<&str>, url: &str) {
    let request = Request::new("GET".into(), host, url.into());
    let absolute = match host {
        Some(host) if UrlParts::split(url).scheme.is_empty() => format!("https://{host}{url}"),
        _ => url.to_owned(),
    };
    let described = Described::new("GET", &absolute);
    assert_eq!(request.host(), described.host(), "{host:?} {url:?}");
    assert_eq!(request.path(), described.path(), "{host:?} {url:?}");
    assert_eq!(request.query, described.query_text(), "{host:?} {url:?}");
    assert_eq!(
        request.url_bytes(),
        described.url_bytes(),
        "{host:?} {url:?}"
    );
}

#[test]
fn a_path_is_the_hosts_even_where_a_url_stands_in_its_query() {
    let url = "/login?next=https://other.example/";
    let request = Request::new("GET".into(), Some("Shop.example:443"), url.into());
    assert_eq!(request.host(), "shop.example");
    assert_eq!(request.path(), "/login");
    same(Some("Shop.example:443"), url);
}

proptest! {
    #[test]
    fn taken_apart_as_at_the_edge(
        host in proptest::option::of(r"[ab:.@/#?\\\-\[\]]{0,8}"),
        url in r"/?[ab:/?#@.%\\é]{0,16}",
    ) {
        same(host.as_deref(), &url);
    }
}
