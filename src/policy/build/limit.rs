//! Limits and slots.

use super::key::{self, Around};
use super::numbers::numbers;
use super::{precision, scope, unknown_tier};
use crate::limit::Algorithm;
use crate::policy::cost::{self, Cost};
use crate::policy::fault::{Faults, Wrong};
use crate::policy::key::part;
use crate::policy::limit::{CountWhen, Limit, Numbers, TierSource, TierUse};
use crate::policy::reader::Reader;
use crate::time::Span;

const ALGORITHMS: &str =
    "write \"token-bucket\", \"sliding-window\", \"sliding-counter\" or \"fixed-window\"";

/// One entry of `limits`.
pub fn limit(
    reader: &Reader<'_>,
    rule: &str,
    around: &Around,
    tiers: &[TierSource],
    faults: &mut Faults,
) -> Limit {
    let name = reader.field("name").text().unwrap_or_default();
    let mut limit = bare(reader, name, format!("{rule}.{name}"));
    limit.key = key::key(&reader.field("key"), around, faults);
    limit.distinct = key::one(&reader.field("distinct"), around, faults);
    check_algorithm(reader, faults);
    let window = limit.quota.window;
    limit.tier = tier_use(reader, limit.algorithm, window, tiers, faults);
    limit.quota = if reader.field("quota").is_given() {
        numbers(reader, limit.algorithm, window, 1, faults)
    } else {
        without_quota(reader, &limit, tiers, faults)
    };
    limit.cost = cost(&reader.field("cost"), faults);
    check_cost(reader, &limit, around, faults);
    let status = reader.field("count").field("status");
    if reader.field("count").is_given() {
        let status = status.items().iter().filter_map(|s| s.whole(1)).collect();
        limit.count = Some(CountWhen { status });
    }
    limit
}

/// A limit with what needs no other table.
pub fn bare(reader: &Reader<'_>, name: &str, policy_name: String) -> Limit {
    let spans = reader.field("block").items();
    Limit {
        name: name.to_owned(),
        policy_name,
        key: reader.field("key").texts(part).unwrap_or_default(),
        algorithm: algorithm(reader),
        quota: Numbers {
            quota: 1,
            window: reader
                .field("window")
                .duration()
                .unwrap_or(Span::from_secs(1)),
            burst: 1,
        },
        cost: Cost::Fixed(1),
        count: None,
        distinct: None,
        block: spans.iter().filter_map(Reader::duration).collect(),
        jitter: reader.field("jitter").duration().unwrap_or(Span::ZERO),
        tier: None,
        precision: precision(&reader.field("precision")),
        scope: scope(&reader.field("scope")),
    }
}

fn algorithm(reader: &Reader<'_>) -> Algorithm {
    if reader.field("distinct").is_given() {
        return Algorithm::Distinct;
    }
    match reader.field("algorithm").text() {
        Some("sliding-window") => Algorithm::SlidingWindow,
        Some("sliding-counter") => Algorithm::SlidingCounter,
        Some("fixed-window") => Algorithm::FixedWindow,
        _ => Algorithm::TokenBucket,
    }
}

fn check_algorithm(reader: &Reader<'_>, faults: &mut Faults) {
    let written = reader.field("algorithm");
    let distinct = reader.field("distinct").is_given();
    if !distinct && !written.is_given() {
        faults.add(&written.at, Wrong::new("missing", ALGORITHMS));
    }
    if distinct && written.text().is_some_and(|text| text != "sliding-window") {
        let found = "an algorithm beside \"distinct\", which has its own";
        faults.add(&written.at, Wrong::new(found, "leave it out"));
    }
    for field in ["cost", "count"] {
        let other = reader.field(field);
        if distinct && other.is_given() {
            let found = format!("\"{field}\" beside \"distinct\", which counts values");
            faults.add(&other.at, Wrong::new(found, "leave one of them out"));
        }
    }
}

fn tier_use(
    reader: &Reader<'_>,
    algorithm: Algorithm,
    window: Span,
    tiers: &[TierSource],
    faults: &mut Faults,
) -> Option<TierUse> {
    let tier = reader.field("tier");
    let quotas = reader.field("quotas");
    if quotas.is_given() && !tier.is_given() {
        let found = "quotas by tier without \"tier\"";
        let expected = "write tier = \"NAME\" of an entry of \"tiers\"";
        faults.add(&quotas.at, Wrong::new(found, expected));
    }
    let mut by_name: Vec<_> = quotas
        .entries()
        .into_iter()
        .map(|(name, entry)| {
            (
                name.to_owned(),
                numbers(&entry, algorithm, window, 1, faults),
            )
        })
        .collect();
    crate::map::sort_by(&mut by_name, |one, other| one.0 < other.0);
    let name = tier.text()?;
    let Some(source) = tiers.iter().position(|source| source.name == name) else {
        faults.add(&tier.at, unknown_tier(name, tiers));
        return None;
    };
    Some(TierUse {
        source,
        quotas: by_name,
    })
}

/// Without `quota`, the default tier's numbers stand for whatever no tier says.
fn without_quota(
    reader: &Reader<'_>,
    limit: &Limit,
    tiers: &[TierSource],
    faults: &mut Faults,
) -> Numbers {
    let at = reader.field("quota").at;
    let Some(used) = &limit.tier else {
        if !reader.field("tier").is_given() {
            faults.add(
                &at,
                Wrong::new("missing", "write how many units each window has"),
            );
        }
        return limit.quota;
    };
    let default = tiers.get(used.source).map_or("", |source| &source.default);
    match used.quotas.iter().find(|(name, _)| name == default) {
        Some((_, numbers)) => *numbers,
        None => {
            let found = format!("missing, and \"quotas\" lacks the default tier \"{default}\"");
            faults.add(&at, Wrong::new(found, "write one of them"));
            limit.quota
        }
    }
}

fn cost(reader: &Reader<'_>, faults: &mut Faults) -> Cost {
    let reserve = reader.field("reserve").whole(1);
    let settle = reader.field("settle").text();
    if let (Some(reserve), Some(settle)) = (reserve, settle) {
        let settle = faults.keep(&reader.field("settle").at, cost::settle(settle));
        return settle.map_or(Cost::Fixed(reserve), |settle| Cost::Reserve {
            reserve,
            settle: Box::new(settle),
        });
    }
    match reader.text() {
        Some(text) => cost::cost(text).unwrap_or(Cost::Fixed(1)),
        None => Cost::Fixed(reader.whole(1).unwrap_or(1)),
    }
}

fn check_cost(reader: &Reader<'_>, limit: &Limit, around: &Around, faults: &mut Faults) {
    let written = reader.field("cost");
    let (least, at) = match &limit.cost {
        Cost::Fixed(units) => (*units, &written.at),
        Cost::Reserve { reserve, .. } => (*reserve, &written.field("reserve").at),
        _ => (1, &written.at),
    };
    let room = |numbers: &Numbers| numbers.burst;
    let tiers = limit.tier.iter().flat_map(|tier| &tier.quotas);
    let most = tiers
        .map(|(_, numbers)| room(numbers))
        .chain([room(&limit.quota)])
        .min();
    if let Some(most) = most.filter(|most| least > *most && reader.field("quota").is_given()) {
        let found = format!("{least} is more than the quota ever has at once");
        faults.add(
            at,
            Wrong::new(found, format!("write at most {most}, or a larger quota")),
        );
    }
    if limit.cost.needs_body() && !around.body_is_bounded {
        let expected = "write the rule's body.max_bytes, such as \"16KiB\"";
        faults.add(at, Wrong::new("\"body\" needs the body read", expected));
    } else if limit.cost.needs_body() && !around.has_body_cost {
        let expected = "write the rule's body.json.cost or body.graphql";
        faults.add(
            at,
            Wrong::new("\"body\" needs a cost to be computed", expected),
        );
    }
    if limit.cost.is_settled() && reader.field("count").is_given() {
        let found = "\"count\" beside a cost that the response tells";
        faults.add(
            &reader.field("count").at,
            Wrong::new(found, "leave one of them out"),
        );
    }
}
