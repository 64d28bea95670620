//! Which counters a key given in clear values can be, and where they live.
//!
//! A value alone does not say where it came from: under `cookie:session|ip` it may be a cookie's or
//! an address, and where the part is absent the client's address stands in for it. Every
//! counter that it could be is forgotten; those that never existed are no loss.

use super::request::{Lift, fault};
use crate::admission::Question;
use crate::admission::keys::{Client, source_text};
use crate::http::address::Caller;
use crate::http::refusal::Refusal;
use crate::policy::{KeyPart, KeySource, Limit, Policy, Scope};
use crate::wire::names::{Home, Namer, Part};
use crate::wire::{Call, CounterKey, MAX_ITEMS};

/// Most readings of one key: three of each of four parts.
const MAX_READINGS: usize = 81;
/// Where a counter with `scope = "region"` may be.
const CONTINENTS: [&str; 7] = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"];

/// The counters to forget, by object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifting {
    /// One call per object.
    pub questions: Vec<Question>,
}

/// One way to read one value: where it came from, and what then is hashed.
#[derive(Clone)]
struct Reading<'a> {
    source: String,
    value: String,
    client: Option<Client<'a>>,
}

/// Finds them.
///
/// # Errors
///
/// 400 where the policy has no such limit, or its key another number of parts.
pub fn lifting(policy: &Policy, namer: &Namer, lift: &Lift) -> Result<Lifting, Refusal> {
    let limit = find(policy, lift)?;
    if limit.key.len() != lift.key.len() {
        let parts = limit.key.len();
        return Err(fault(
            "/key",
            &format!(
                "{} values; the key of this limit has {parts}",
                lift.key.len()
            ),
        ));
    }
    let mut all: Vec<Vec<Reading<'_>>> = vec![Vec::new()];
    for (part, value) in limit.key.iter().zip(&lift.key) {
        let readings = readings(policy, part, value);
        all = all
            .iter()
            .flat_map(|before| {
                readings.iter().map(|reading| {
                    let mut key = before.clone();
                    key.push(reading.clone());
                    key
                })
            })
            .take(MAX_READINGS)
            .collect();
    }
    let mut lifting = Lifting {
        questions: Vec::new(),
    };
    for key in &all {
        lifting.add(policy, namer, limit, key);
    }
    Ok(lifting)
}

fn find<'a>(policy: &'a Policy, lift: &Lift) -> Result<&'a Limit, Refusal> {
    if lift.rule == "preflight" && policy.rules.iter().all(|rule| rule.name != "preflight") {
        return Ok(&policy.preflight);
    }
    let rule = policy.rules.iter().find(|rule| rule.name == lift.rule);
    let rule = rule.ok_or_else(|| fault("/rule", "no rule of the policy in force"))?;
    let limit = rule.limits.iter().find(|limit| limit.name == lift.limit);
    limit.ok_or_else(|| fault("/limit", "no limit of this rule"))
}

fn readings<'a>(policy: &Policy, part: &KeyPart, value: &'a str) -> Vec<Reading<'a>> {
    let client = Client::of(client(value), policy);
    let stands_in = |source: &str| Reading {
        source: source.to_owned(),
        value: client.value().to_owned(),
        client: Some(client.clone()),
    };
    let mut out: Vec<Reading<'a>> = part
        .alternatives
        .iter()
        .map(|source| match source {
            KeySource::Ip => stands_in(client.source()),
            other => Reading {
                source: source_text(other).into_owned(),
                value: value.to_owned(),
                client: None,
            },
        })
        .collect();
    let is_client = matches!(client.caller(), Caller::Address(_));
    if is_client && !part.alternatives.contains(&KeySource::Ip) {
        out.push(stands_in("absent"));
    }
    out
}

/// An address, or the zone whose Workers call.
fn client(value: &str) -> Caller<'_> {
    // An address with its prefix, as `explain` shows it.
    let address = value.split_once('/').map_or(value, |(address, _)| address);
    match Caller::read(Some(address), None) {
        Caller::Unknown if !value.is_empty() => Caller::Worker(value),
        caller => caller,
    }
}

impl Lifting {
    fn add(&mut self, policy: &Policy, namer: &Namer, limit: &Limit, key: &[Reading<'_>]) {
        let parts: Vec<Part<'_>> = key
            .iter()
            .map(|reading| Part {
                source: &reading.source,
                value: reading.value.as_bytes(),
            })
            .collect();
        let client = key.iter().find_map(|reading| reading.client.as_ref());
        let home = match (client, parts.first()) {
            (Some(client), _) => client.home(namer, policy.shards),
            (None, Some(first)) => namer.shard(&[*first], policy.shards),
            (None, None) => shared(namer, &limit.policy_name, policy.shards),
        };
        let counter = |parts: &[Part<'_>]| namer.counter_key(&limit.policy_name, parts);
        self.ask(namer.home_name(&home, None), counter(&parts));
        if limit.scope == Scope::Region {
            for continent in CONTINENTS {
                let region = Part {
                    source: "region",
                    value: continent.as_bytes(),
                };
                let parts: Vec<_> = parts.iter().copied().chain([region]).collect();
                self.ask(namer.home_name(&home, Some(continent)), counter(&parts));
            }
        }
    }

    fn ask(&mut self, object: String, counter: CounterKey) {
        let known = self
            .questions
            .iter_mut()
            .find(|question| question.object == object);
        if let Some(question) = known {
            if let Call::Forget { keys } = &mut question.call
                && keys.len() < MAX_ITEMS
            {
                keys.push(counter);
            }
            return;
        }
        self.questions.push(Question {
            object,
            hint: String::new(),
            call: Call::Forget {
                keys: vec![counter],
            },
            covers: Vec::new(),
        });
    }
}

fn shared(namer: &Namer, policy_name: &str, shards: u32) -> Home {
    let part = Part {
        source: "shared",
        value: policy_name.as_bytes(),
    };
    namer.shard(&[part], shards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::described::Described;
    use crate::admission::plan::{Context, Tier, plan};
    use crate::policy::Mode;

    fn policy(key: &str) -> Policy {
        let text = format!(
            r#"{{"rules":[{{"name":"r","limits":[{{"name":"l","key":{key},"algorithm":"sliding-window","quota":5,"window":"60s"}}]}}]}}"#
        );
        crate::policy::parse(&text).unwrap()
    }

    /// Unblocking `values` reaches the counter that `request` is counted in, where it is.
    #[track_caller]
    fn check(key: &str, request: &Described, values: &[&str], reached: bool) {
        let policy = policy(key);
        let namer = Namer::new(b"secret");
        let tiers = |_: usize, _: &str| Tier::Named(String::new());
        let context = Context {
            policy: &policy,
            namer: &namer,
            mode: Mode::Enforce,
            tiers: &tiers,
        };
        let plan = plan(&context, request);
        let applied = &plan.applied[0];
        let lift = Lift {
            rule: "r".to_owned(),
            limit: "l".to_owned(),
            key: values.iter().map(|&value| value.to_owned()).collect(),
        };
        let lifting = lifting(&policy, &namer, &lift).unwrap();
        let found = lifting.questions.iter().any(|question| {
            question.object == applied.object
                && matches!(&question.call, Call::Forget { keys } if keys.contains(&applied.item.key))
        });
        assert_eq!(found, reached, "{key} {values:?}");
    }

    #[test]
    fn a_key_is_found_whichever_way_its_values_came() {
        let bare = Described::new("GET", "/").from_ip("192.0.2.1");
        let cookie = bare.clone().header("cookie", "s=abc");
        check("[\"ip\"]", &bare, &["192.0.2.1"], true);
        check("[\"ip\"]", &bare, &["192.0.2.2"], false);
        check("[\"cookie:s|ip\"]", &cookie, &["abc"], true);
        check("[\"cookie:s|ip\"]", &bare, &["192.0.2.1"], true);
        check("[\"cookie:s\"]", &bare, &["192.0.2.1"], true);
        check("[\"cookie:s\"]", &cookie, &["abc"], true);
        check(
            "[\"ip\",\"cookie:s\"]",
            &cookie,
            &["192.0.2.1", "abc"],
            true,
        );
        check(
            "[\"cookie:s\",\"ip\"]",
            &cookie,
            &["abc", "192.0.2.1"],
            true,
        );
        check("[]", &bare, &[], true);
        let v6 = Described::new("GET", "/").from_ip("2001:db8:1:2:3::4");
        check("[\"ip\"]", &v6, &["2001:db8:1:2::9"], true);
        check("[\"ip\"]", &v6, &["2001:db8:1:2::/64"], true);
    }

    #[test]
    fn a_regional_counter_is_found_on_its_continent() {
        let mut request = Described::new("GET", "/").from_ip("192.0.2.1");
        check(r#"["ip"],"scope":"region""#, &request, &["192.0.2.1"], true);
        request.continent = Some("EU".to_owned());
        check(r#"["ip"],"scope":"region""#, &request, &["192.0.2.1"], true);
        check(
            r#"["ip"],"scope":"region""#,
            &request,
            &["192.0.2.2"],
            false,
        );
    }

    #[test]
    fn what_the_policy_does_not_have_is_a_fault() {
        let policy = policy("[\"ip\"]");
        let namer = Namer::new(b"secret");
        for (rule, limit, key, says) in [
            ("x", "l", vec!["1"], "/rule"),
            ("r", "x", vec!["1"], "/limit"),
            ("r", "l", vec![], "/key"),
        ] {
            let lift = Lift {
                rule: rule.to_owned(),
                limit: limit.to_owned(),
                key: key.into_iter().map(str::to_owned).collect(),
            };
            let refusal = lifting(&policy, &namer, &lift).unwrap_err();
            assert!(refusal.message().starts_with(says), "{}", refusal.message());
        }
    }
}
