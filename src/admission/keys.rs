//! From the parts of a key to values, and from values to the object that counts them.
//!
//! Every value carries the source it came from, so that one source's values are never another's: the
//! address that stands in for a missing cookie is no address of a limit on addresses, and no cookie.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::Facts;
use crate::http::address::Caller;
use crate::http::pattern::Captures;
use crate::policy::{KeyPart, KeySource, Policy};
use crate::wire::CounterKey;
use crate::wire::names::{Home, Namer, Part};

/// The values of a key's parts, in order, each with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValues<'a> {
    parts: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    home: HomeOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HomeOf {
    /// The client's network: its address is somewhere in the key.
    Client,
    /// The first part.
    First,
}

/// The body has to be read before the key is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedsBody;

/// Who is calling, as a key part: an address cut to what one client has, or the zone whose Workers
/// all share one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client<'a> {
    caller: Caller<'a>,
    value: String,
    /// What stands for its network, once a limit has asked.
    network: OnceCell<String>,
    /// The name of its home, likewise.
    object: OnceCell<String>,
}

impl<'a> Client<'a> {
    /// The client of a request. Without any address there is one shared unknown client.
    #[must_use]
    pub fn of(caller: Caller<'a>, policy: &Policy) -> Client<'a> {
        let value = match caller {
            Caller::Address(address) => address.client(policy.ipv6_prefix).text(),
            Caller::Worker(zone) => zone.to_owned(),
            Caller::Unknown => String::new(),
        };
        Client {
            caller,
            value,
            network: OnceCell::new(),
            object: OnceCell::new(),
        }
    }

    /// Who it is.
    #[must_use]
    pub fn caller(&self) -> Caller<'a> {
        self.caller
    }

    /// What is hashed for it.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Where that value came from, as it is hashed.
    #[must_use]
    pub fn source(&self) -> &'static str {
        match self.caller {
            Caller::Address(_) => "ip",
            Caller::Worker(_) => "worker",
            Caller::Unknown => "unknown",
        }
    }

    /// The object of everything that is counted by this client.
    #[must_use]
    pub fn home(&self, namer: &Namer, shards: u32) -> Home {
        match self.caller {
            Caller::Address(address) => namer.network(address.ip()),
            Caller::Worker(_) => namer.shard(&[self.part()], shards),
            Caller::Unknown => Home::NoNetwork,
        }
    }

    fn part(&self) -> Part<'_> {
        Part {
            source: self.source(),
            value: self.value.as_bytes(),
        }
    }

    /// The counter that a full object uses instead of a new one for `key`: the client's network's.
    #[must_use]
    pub fn spill(&self, namer: &Namer, policy_name: &str, key: CounterKey) -> CounterKey {
        if !namer.spills() {
            return key;
        }
        let network = self.network.get_or_init(|| match self.caller {
            Caller::Address(address) => address.network(24, 48).text(),
            Caller::Worker(_) | Caller::Unknown => self.value.clone(),
        });
        let part = Part {
            source: "spill",
            value: network.as_bytes(),
        };
        namer.counter_key(policy_name, &[part])
    }
}

impl<'a> KeyValues<'a> {
    /// The values of `key` for this request. `captures` are those of the path pattern that matched.
    ///
    /// # Errors
    /// [`NeedsBody`] where a part is a field of a body that has not been read.
    pub fn resolve(
        key: &'a [KeyPart],
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        captures: Option<Captures<'a>>,
    ) -> Result<KeyValues<'a>, NeedsBody> {
        let mut values = KeyValues {
            parts: Vec::with_capacity(key.len()),
            home: HomeOf::First,
        };
        for part in key {
            values.push(part, facts, client, captures)?;
        }
        Ok(values)
    }

    fn push(
        &mut self,
        part: &'a KeyPart,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        captures: Option<Captures<'a>>,
    ) -> Result<(), NeedsBody> {
        for source in &part.alternatives {
            if *source == KeySource::Ip {
                self.home = HomeOf::Client;
                self.parts.push((
                    Cow::Borrowed(client.source()),
                    Cow::Borrowed(client.value.as_str()),
                ));
                return Ok(());
            }
            if let Some(value) =
                value_of(source, facts, captures)?.filter(|value| !value.is_empty())
            {
                self.parts.push((source_text(source), value));
                return Ok(());
            }
        }
        self.home = HomeOf::Client;
        self.parts.push((
            Cow::Borrowed("absent"),
            Cow::Borrowed(client.value.as_str()),
        ));
        Ok(())
    }

    /// The parts, as they are hashed.
    #[must_use]
    pub fn parts(&self) -> Vec<Part<'_>> {
        self.parts
            .iter()
            .map(|(source, value)| Part {
                source,
                value: value.as_bytes(),
            })
            .collect()
    }

    /// The object that counts this key: the client's network where its address is in the key, else
    /// a shard chosen by the first part, so that all limits on one value meet in one object. A key
    /// without parts is a counter that everybody shares, `policy_name` its first part.
    #[must_use]
    pub fn home(&self, client: &Client<'_>, policy_name: &str, namer: &Namer, shards: u32) -> Home {
        match (self.home, self.parts.first()) {
            (HomeOf::Client, _) => client.home(namer, shards),
            (HomeOf::First, Some((source, value))) => {
                let first = Part {
                    source,
                    value: value.as_bytes(),
                };
                namer.shard(&[first], shards)
            }
            (HomeOf::First, None) => {
                let shared = Part {
                    source: "shared",
                    value: policy_name.as_bytes(),
                };
                namer.shard(&[shared], shards)
            }
        }
    }

    /// The name of that object, in one region or everywhere.
    #[must_use]
    pub fn object(
        &self,
        client: &Client<'_>,
        policy_name: &str,
        namer: &Namer,
        shards: u32,
        region: Option<&str>,
    ) -> String {
        let name = || namer.home_name(&self.home(client, policy_name, namer, shards), region);
        if self.home == HomeOf::Client && region.is_none() {
            client.object.get_or_init(name).clone()
        } else {
            name()
        }
    }

    /// The only part's value, unless the client's address stands in for it.
    #[must_use]
    pub fn own_value(&self) -> Option<&str> {
        match self.parts.first() {
            Some((source, value)) if source != "absent" => Some(value),
            _ => None,
        }
    }

    /// The values as a person reads them, for `explain` and, with `log_key`, the log.
    #[must_use]
    pub fn in_clear(&self) -> Vec<String> {
        self.parts
            .iter()
            .map(|(_, value)| value.clone().into_owned())
            .collect()
    }
}

/// A source as the policy writes it: part of what is hashed, so that it never changes.
#[must_use]
pub fn source_text(source: &KeySource) -> Cow<'static, str> {
    let named = |kind: &str, name: &str| Cow::Owned(format!("{kind}:{name}"));
    match source {
        KeySource::Ip => Cow::Borrowed("ip"),
        KeySource::Cookie(name) => named("cookie", name),
        KeySource::Header(name) => named("header", name),
        KeySource::Query(name) => named("query", name),
        KeySource::Path(name) => named("path", name),
        KeySource::Body(name) => named("body", name),
        KeySource::Method => Cow::Borrowed("method"),
        KeySource::Host => Cow::Borrowed("host"),
        KeySource::Route => Cow::Borrowed("route"),
        KeySource::Asn => Cow::Borrowed("asn"),
        KeySource::Country => Cow::Borrowed("country"),
        KeySource::Colo => Cow::Borrowed("colo"),
        KeySource::Ja4 => Cow::Borrowed("ja4"),
    }
}

fn value_of<'a>(
    source: &'a KeySource,
    facts: &'a dyn Facts,
    captures: Option<Captures<'a>>,
) -> Result<Option<Cow<'a, str>>, NeedsBody> {
    Ok(match source {
        KeySource::Ip => None,
        KeySource::Cookie(name) => facts.cookie(name),
        KeySource::Header(name) => facts.header(name),
        KeySource::Query(name) => facts.query(name),
        KeySource::Path(name) => captures.and_then(|captures| captures.get(name)),
        KeySource::Body(name) => {
            if !facts.body_known() {
                return Err(NeedsBody);
            }
            facts.body_field(name)
        }
        KeySource::Method => Some(Cow::Borrowed(facts.method())),
        KeySource::Host => Some(Cow::Borrowed(facts.host())),
        KeySource::Route => captures.map(|captures| Cow::Borrowed(captures.pattern().as_str())),
        KeySource::Asn => facts.asn().map(|asn| Cow::Owned(asn.to_string())),
        KeySource::Country => facts.country().map(Cow::Borrowed),
        KeySource::Colo => facts.colo(),
        KeySource::Ja4 => facts.ja4(),
    })
}
