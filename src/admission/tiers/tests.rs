use super::*;
use crate::policy::{KeyPart, KeySource};

fn source() -> TierSource {
    TierSource {
        name: "plan".into(),
        key: KeyPart {
            alternatives: vec![KeySource::Header("x-api-key".into())],
        },
        kv: "TIERS".into(),
        cache: Span::from_secs(300),
        default: "free".into(),
    }
}

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + ms)
}

fn pro() -> Tier {
    Tier::Named("pro".into())
}

fn text(text: &str) -> Read {
    Read::Text(text.into())
}

#[test]
fn the_key_is_a_sha_256_in_lower_case() {
    // FIPS 180-4, the example for "abc".
    assert_eq!(
        kv_key("abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn a_tier_is_used_for_its_time_and_then_refreshed_by_one() {
    let (mut tiers, source) = (Tiers::default(), source());
    assert_eq!(tiers.find(&source, "k", at(0)), (Tier::Unknown, false));
    assert!(!tiers.claim(&source, "k", at(0)), "nothing to refresh");
    tiers.take_in(&source, "k", &text("pro"), at(0));
    assert_eq!(tiers.find(&source, "k", at(299_999)), (pro(), false));
    assert_eq!(tiers.find(&source, "k", at(300_000)), (pro(), true));
    assert!(tiers.claim(&source, "k", at(300_000)));
    assert!(!tiers.claim(&source, "k", at(300_001)));
    assert!(tiers.claim(&source, "k", at(302_000)), "never reported");
    tiers.take_in(&source, "k", &text("{\"tier\":\"free\"}"), at(302_001));
    let free = Tier::Named("free".into());
    assert_eq!(tiers.find(&source, "k", at(302_002)), (free, false));
}

#[test]
fn when_kv_fails_the_last_known_tier_holds_else_the_default() {
    let (mut tiers, source) = (Tiers::default(), source());
    tiers.take_in(&source, "k", &text("pro"), at(0));
    tiers.take_in(&source, "k", &Read::Failed, at(300_000));
    assert_eq!(tiers.find(&source, "k", at(300_001)), (pro(), false));
    assert_eq!(tiers.find(&source, "k", at(302_000)), (pro(), true));
    tiers.gave_up(&source, "new", at(0));
    let default = Tier::Named(String::new());
    assert_eq!(tiers.find(&source, "new", at(1)), (default.clone(), false));
    assert_eq!(tiers.find(&source, "new", at(2_000)), (default, true));
    tiers.take_in(&source, "new", &text("pro"), at(150));
    assert_eq!(tiers.find(&source, "new", at(2_000)), (pro(), false));
}

#[test]
fn a_late_failure_does_not_shorten_what_is_known() {
    let (mut tiers, source) = (Tiers::default(), source());
    tiers.take_in(&source, "k", &text("pro"), at(0));
    tiers.take_in(&source, "k", &Read::Failed, at(1));
    assert_eq!(tiers.find(&source, "k", at(200_000)), (pro(), false));
}

#[test]
fn made_up_values_push_no_known_one_out() {
    let (mut tiers, source) = (Tiers::default(), source());
    tiers.take_in(&source, "k", &text("pro"), at(0));
    for n in 0..20_000 {
        tiers.take_in(&source, &n.to_string(), &Read::Absent, at(1));
    }
    assert!(tiers.known.len() <= CAPACITY);
    assert_eq!(tiers.find(&source, "k", at(2)), (pro(), false));
}

#[test]
fn two_sources_do_not_share_what_is_known() {
    let (mut tiers, one) = (Tiers::default(), source());
    let other = TierSource {
        kv: "OTHER".into(),
        ..source()
    };
    tiers.take_in(&one, "k", &text("pro"), at(0));
    assert_eq!(tiers.find(&other, "k", at(1)), (Tier::Unknown, false));
}
