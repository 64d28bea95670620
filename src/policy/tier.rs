//! What KV says of a caller's tier: a tier's name, or a JSON object.

use super::Numbers;
use super::fault::Faults;
use super::fields::{MAX_QUOTA, MAX_WINDOW};
use super::limit::Limit;
use super::node::Node;
use super::reader::Reader;
use crate::limit::Algorithm;
use crate::time::Span;

/// Most that an exact log or a set of values can hold in one counter.
const MAX_EXACT: u64 = 10_000;
/// Most characters of a name: longer ones are no name that a policy can have.
const MAX_NAME: usize = 200;

/// What is known of a caller's tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tier {
    /// It has to be looked up.
    Unknown,
    /// By name. One that the policy does not have is the default tier, as is the empty one.
    Named(String),
    /// A quota of its own.
    Own(OwnQuota),
}

/// A quota that stands in KV rather than in the policy; what is not given is the limit's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnQuota {
    /// Units per window.
    pub quota: u64,
    /// The window.
    pub window: Option<Span>,
    /// Units at once.
    pub burst: Option<u64>,
}

impl Tier {
    /// From a value in KV. What cannot be understood is the default tier.
    #[must_use]
    pub fn read(text: &str) -> Tier {
        let text = text.trim();
        if !text.starts_with('{') {
            return named(text);
        }
        let Some(node) = Node::read(text, &mut Faults::default()) else {
            return named("");
        };
        let top = Reader::top(&node);
        match top.field("quota").whole(1) {
            Some(quota) => Tier::Own(OwnQuota {
                quota,
                window: top.field("window").duration(),
                burst: top.field("burst").whole(1),
            }),
            None => named(top.field("tier").text().unwrap_or_default()),
        }
    }
}

fn named(name: &str) -> Tier {
    Tier::Named(if name.len() > MAX_NAME { "" } else { name }.to_owned())
}

impl OwnQuota {
    /// The numbers for a limit, cut to what its algorithm can count: nobody checks KV's values
    /// before they are used.
    #[must_use]
    pub fn numbers(self, limit: &Limit) -> Numbers {
        let most = match limit.algorithm {
            Algorithm::SlidingWindow | Algorithm::Distinct => MAX_EXACT,
            _ => MAX_QUOTA,
        };
        let quota = self.quota.clamp(1, most);
        let burst = match limit.algorithm {
            Algorithm::TokenBucket => self.burst.unwrap_or(quota).clamp(1, most),
            _ => quota,
        };
        let window = self.window.unwrap_or(limit.quota.window);
        Numbers {
            quota,
            window: window.clamp(Span::from_millis(1), MAX_WINDOW),
            burst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Tier) {
        assert_eq!(&Tier::read(text), expected, "{text:?}");
    }

    fn own(quota: u64, window: Option<u64>, burst: Option<u64>) -> Tier {
        Tier::Own(OwnQuota {
            quota,
            window: window.map(Span::from_secs),
            burst,
        })
    }

    #[test]
    fn a_value_is_a_name_or_an_object() {
        check("pro", &named("pro"));
        check("  pro\n", &named("pro"));
        check(r#"{"tier":"pro"}"#, &named("pro"));
        check(r#"{"tier":"pro","quota":600}"#, &own(600, None, None));
        check(
            r#"{"quota":600,"window":"60s","burst":50}"#,
            &own(600, Some(60), Some(50)),
        );
    }

    #[test]
    fn what_cannot_be_understood_is_the_default_tier() {
        for text in [
            "",
            "{",
            "{}",
            r#"{"tier":7}"#,
            r#"{"quota":0}"#,
            r#"{"quota":-1,"tier":null}"#,
            &"x".repeat(201),
        ] {
            check(text, &named(""));
        }
    }

    #[test]
    fn an_own_quota_is_cut_to_what_can_be_counted() {
        let policy = r#"{"rules":[{"name":"a","limits":[
            {"name":"log","key":["ip"],"algorithm":"sliding-window","quota":5,"window":"30s"},
            {"name":"bucket","key":["ip"],"algorithm":"token-bucket","quota":5,"window":"30s"}]}]}"#;
        let policy = crate::policy::parse(policy).expect("good");
        let [log, bucket] = &policy.rules[0].limits[..] else {
            panic!("two limits")
        };
        let own = OwnQuota {
            quota: u64::MAX,
            window: Some(Span::MAX),
            burst: Some(u64::MAX),
        };
        let cut = own.numbers(log);
        assert_eq!((cut.quota, cut.burst), (10_000, 10_000));
        assert_eq!(cut.window, MAX_WINDOW);
        assert_eq!(own.numbers(bucket).burst, MAX_QUOTA);
        let plain = OwnQuota {
            quota: 7,
            window: None,
            burst: None,
        };
        assert_eq!(
            plain.numbers(bucket),
            Numbers {
                quota: 7,
                window: Span::from_secs(30),
                burst: 7
            }
        );
    }
}
