//! What one limit asks for a request: its key, its object, its cost, its tier.

use super::{Applied, Context, LimitRef, Plan, Settle, SlotUse, TierWanted};
use crate::admission::Facts;
use crate::admission::keys::{Client, KeyValues, NeedsBody};
use crate::admission::region::location_hint;
use crate::http::pattern::Captures;
use crate::limit::Quota;
use crate::policy::tier::Tier;
use crate::policy::{Cost, Limit, Mode, Numbers, Scope, TierUse};
use crate::time::Span;
use crate::wire::names::Part;
use crate::wire::{CounterKey, Item};

/// Reservations that the head of the response decides live as long as an origin may take for it.
const RESERVE: Span = Span::from_secs(120);
/// Those that its body decides, as long as one may take that is still counted whole.
const RESERVE_FOR_BODY: Span = crate::admission::settle::LONGEST_BODY;

impl Plan {
    pub(super) fn add_limit<'a>(
        &mut self,
        context: &Context<'a>,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        at: LimitRef,
        captures: Option<Captures<'a>>,
    ) {
        let Some(limit) = at.of(context.policy) else {
            return;
        };
        match self.applied(context, facts, client, at, limit, captures) {
            Ok(Some(applied)) => self.applied.push(applied),
            Ok(None) => {}
            Err(NeedsBody) => self.waiting_for_body.push(at),
        }
    }

    /// `Ok(None)` where the tier has to be looked up first.
    fn applied<'a>(
        &mut self,
        context: &Context<'a>,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        at: LimitRef,
        limit: &'a Limit,
        captures: Option<Captures<'a>>,
    ) -> Result<Option<Applied>, NeedsBody> {
        let Context { policy, namer, .. } = *context;
        let values = KeyValues::resolve(&limit.key, facts, client, captures)?;
        let value = match &limit.distinct {
            None => None,
            Some(part) => {
                let part = std::slice::from_ref(part);
                let values = KeyValues::resolve(part, facts, client, captures)?;
                Some(namer.value_hash(&values.parts()))
            }
        };
        let (cost, settle) = cost_of(limit, facts)?;
        let (tier, numbers) = match &limit.tier {
            None => (None, limit.quota),
            Some(tier) => match self.tier_of(context, facts, client, limit, tier)? {
                Some((name, numbers)) => (Some(name), numbers),
                None => return Ok(None),
            },
        };
        let region = (limit.scope == Scope::Region)
            .then(|| facts.continent())
            .flatten();
        let mut parts = values.parts();
        // What this isolate remembers of one continent is not true of another.
        parts.extend(region.as_deref().map(|region| Part {
            source: "region",
            value: region.as_bytes(),
        }));
        let key = namer.counter_key(&limit.policy_name, &parts);
        let name = &limit.policy_name;
        let object = values.object(client, name, namer, policy.shards, region.as_deref());
        let enforce = enforces(context, at, key);
        let announced = at.rule(policy).is_none_or(|rule| rule.announce);
        Ok(Some(Applied {
            limit: at,
            object,
            hint: region.as_deref().map_or("", location_hint).to_owned(),
            item: Item {
                key,
                spill: client.spill(namer, &limit.policy_name, key),
                quota: quota(limit, numbers),
                cost,
                value,
                enforce,
                durable: limit.precision == crate::policy::Precision::Exact,
                block: limit.block.clone(),
                permits: 0,
                reserve: settle.as_ref().map(|settle| match settle {
                    Settle::Cost(Cost::ResponseBytes) => RESERVE_FOR_BODY,
                    Settle::Count(_) | Settle::Cost(_) => RESERVE,
                }),
                taken: None,
            },
            tier,
            settle,
            shown: enforce || announced,
        }))
    }

    fn tier_of<'a>(
        &mut self,
        context: &Context<'a>,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        limit: &Limit,
        tier: &TierUse,
    ) -> Result<Option<(String, Numbers)>, NeedsBody> {
        let Some(source) = context.policy.tiers.get(tier.source) else {
            return Ok(Some((String::new(), limit.quota)));
        };
        let key = std::slice::from_ref(&source.key);
        let values = KeyValues::resolve(key, facts, client, None)?;
        let named = |name: &str| {
            tier.quotas
                .iter()
                .find(|(known, _)| known == name)
                .map(|(known, numbers)| (known.clone(), *numbers))
        };
        let default = || named(&source.default).unwrap_or((source.default.clone(), limit.quota));
        let Some(value) = values.own_value() else {
            return Ok(Some(default()));
        };
        Ok(match (context.tiers)(tier.source, value) {
            Tier::Named(name) => Some(named(&name).unwrap_or_else(default)),
            Tier::Own(own) => Some(("own".to_owned(), own.numbers(limit))),
            Tier::Unknown => {
                let wanted = TierWanted {
                    source: tier.source,
                    value: value.to_owned(),
                };
                if !self.tiers_wanted.contains(&wanted) {
                    self.tiers_wanted.push(wanted);
                }
                None
            }
        })
    }

    pub(super) fn add_slot<'a>(
        &mut self,
        context: &Context<'a>,
        facts: &'a dyn Facts,
        client: &'a Client<'a>,
        (rule, concurrency): (usize, usize),
        captures: Option<Captures<'a>>,
    ) {
        let Context { policy, namer, .. } = *context;
        let Some(limit) = policy
            .rules
            .get(rule)
            .and_then(|rule| rule.concurrency.get(concurrency))
        else {
            return;
        };
        // A concurrency key cannot name the body: the check refuses it.
        let Ok(values) = KeyValues::resolve(&limit.key, facts, client, captures) else {
            return;
        };
        let fair = KeyValues::resolve(&limit.fair_by, facts, client, captures).ok();
        let fair = fair.filter(|_| !limit.fair_by.is_empty());
        let key = namer.counter_key(&limit.policy_name, &values.parts());
        let name = &limit.policy_name;
        let object = values.object(client, name, namer, policy.shards, None);
        let enforce = enforces(context, LimitRef::Rule { rule, limit: 0 }, key);
        self.before_slots |= enforce;
        self.slots.push(SlotUse {
            rule,
            concurrency,
            object,
            slot: crate::wire::Slot {
                key,
                running: limit.running,
                waiting: limit.waiting,
                max_wait: limit.max_wait,
                fair: fair.map(|values| namer.value_hash(&values.parts())),
                enforce,
            },
        });
    }
}

fn quota(limit: &Limit, numbers: Numbers) -> Quota {
    Quota {
        algorithm: limit.algorithm,
        limit: numbers.quota,
        window: numbers.window,
        burst: numbers.burst,
    }
}

/// Whether the verdict on this key counts: by mode, and by the key's place in `enforce_percent`.
/// The key is a keyed hash, so its first bytes are as good as random and always the same.
fn enforces(context: &Context<'_>, at: LimitRef, key: CounterKey) -> bool {
    let Some(rule) = at.rule(context.policy) else {
        return context.mode == Mode::Enforce;
    };
    let [high, low, ..] = key.0;
    let place = u16::from_be_bytes([high, low])
        .checked_rem(100)
        .unwrap_or(0);
    rule.mode.min(context.mode) == Mode::Enforce && place < u16::from(rule.enforce_percent)
}

/// What is charged before the request, and what decides afterwards.
fn cost_of(limit: &Limit, facts: &dyn Facts) -> Result<(u64, Option<Settle>), NeedsBody> {
    let (units, after) = match &limit.cost {
        Cost::Fixed(units) => (*units, None),
        Cost::Body if facts.body_known() => (facts.body_cost().unwrap_or(1), None),
        Cost::Body => return Err(NeedsBody),
        Cost::Bytes => match facts.body_bytes() {
            Some(bytes) => (bytes, None),
            None => return Err(NeedsBody),
        },
        cost @ (Cost::ResponseBytes | Cost::ResponseHeader(_)) => {
            (0, Some(Settle::Cost(cost.clone())))
        }
        Cost::Reserve { reserve, settle } => {
            (*reserve, Some(Settle::Cost(settle.as_ref().clone())))
        }
    };
    let after = match &limit.count {
        Some(count) => Some(Settle::Count(count.clone())),
        None => after,
    };
    Ok((units, after))
}
