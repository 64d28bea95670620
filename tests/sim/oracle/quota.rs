//! No window holds more than its quota.

use weir::limit::{Algorithm, Quota};

use super::{Entry, Fate, Log, NO_ROW, Oracle, Place, RELAXED, UNFLUSHED};

impl Oracle {
    /// Checks one counter's promise, at the moments at which units were charged and at those at which
    /// they were used.
    pub fn check_quota(&mut self, place: &Place, shadow: u64) {
        let Some(log) = self.logs.get_mut(place) else {
            return;
        };
        let window = log.item.quota.window.as_micros();
        log.entries
            .retain(|entry| entry.to.max(entry.from) + 4 * window + 4 * NO_ROW > shadow);
        let quota = Quota {
            limit: log.most,
            burst: log
                .item
                .quota
                .burst
                .max(if log.most > log.item.quota.limit {
                    log.most
                } else {
                    0
                }),
            ..log.item.quota
        };
        if !log.item.enforce || log.optimistic {
            return;
        }
        let counts =
            |entry: &&Entry| entry.fate == Fate::Admitted && !entry.forgiven && entry.units > 0;
        let moments: [fn(&Entry) -> u64; 2] = [|entry| entry.from, |entry| entry.to];
        for moment in moments {
            let mut used: Vec<(u64, u64, Option<u64>)> = log
                .entries
                .iter()
                .filter(counts)
                .map(|entry| (moment(entry), entry.units, entry.value))
                .collect();
            used.sort_unstable();
            if let Some(fault) = exceeds(&quota, &used) {
                let text = format!("quota exceeded: {}: {fault}; {quota:?}", self.name(place.1));
                return self.violate(text);
            }
        }
    }
}

pub fn exceeds(quota: &Quota, used: &[(u64, u64, Option<u64>)]) -> Option<String> {
    let window = quota.window.as_micros();
    match quota.algorithm {
        Algorithm::TokenBucket => {
            // Levels in units of a token divided by the window.
            let (mut level, mut last) = (0_u128, 0_u64);
            for (at, units, _) in used {
                let drained = u128::from(at - last) * u128::from(quota.limit);
                level = level.saturating_sub(drained) + u128::from(*units) * u128::from(window);
                last = *at;
                // A microsecond's worth for rounding.
                if level
                    > u128::from(quota.burst) * u128::from(window) + 2 * u128::from(quota.limit)
                {
                    return Some(format!(
                        "the bucket is at {} of {}",
                        level / u128::from(window),
                        quota.burst
                    ));
                }
            }
            None
        }
        Algorithm::FixedWindow | Algorithm::SlidingCounter => {
            let (mut index, mut sum) = (0, 0);
            for (at, units, _) in used {
                if at / window != index {
                    (index, sum) = (at / window, 0);
                }
                sum += units;
                if sum > quota.limit {
                    return Some(format!("{sum} units in the window of {at}"));
                }
            }
            None
        }
        Algorithm::SlidingWindow => {
            let (mut first, mut sum) = (0, 0);
            for (at, units, _) in used {
                sum += units;
                while used[first].0 + window <= *at {
                    sum -= used[first].1;
                    first += 1;
                }
                if sum > quota.limit {
                    return Some(format!("{sum} units in the window up to {at}"));
                }
            }
            None
        }
        Algorithm::Distinct => used.iter().enumerate().find_map(|(last, (at, _, _))| {
            let inside = used[..=last]
                .iter()
                .filter(|(earlier, _, _)| earlier + window > *at);
            let mut values: Vec<_> = inside.map(|(_, _, value)| *value).collect();
            values.sort_unstable();
            values.dedup();
            (values.len() as u64 > quota.limit)
                .then(|| format!("{} values up to {at}", values.len()))
        }),
    }
}

/// Marks what an object may have forgotten that has just left memory.
///
/// `failing`: since when its disk fails, and since when what it wrote behind did.
pub fn forgive(log: &mut Log, shadow: u64, idle: bool, failing: [Option<u64>; 2]) {
    let [broken, unwritten] = failing;
    let quota = log.item.quota;
    let window = quota.window.as_micros();
    let rate = |span: u64| u128::from(quota.limit) * u128::from(span) / u128::from(window);
    // At most 5 % of the quota, and at most what comes back in five seconds.
    let mut units = u128::from(quota.limit / 20).min(rate(5_000_000)) as u64;
    if !idle && matches!(quota.algorithm, Algorithm::TokenBucket) {
        // A bucket that is full again before the object can leave memory has no row.
        units += rate(NO_ROW) as u64 + 1;
    }
    // Half and what comes back meanwhile, if it came in the longer interval; of aligned windows half
    // of two.
    let halves = match quota.algorithm {
        Algorithm::FixedWindow | Algorithm::SlidingCounter => 2,
        _ => 1,
    };
    let full = log.most.max(quota.limit).max(quota.burst);
    let mut relaxed = u128::from(full.div_ceil(2) * halves) + rate(RELAXED);
    let short = window <= NO_ROW + UNFLUSHED;
    for entry in log.entries.iter_mut().rev().filter(|entry| !entry.forgiven) {
        let since_broken =
            broken.is_some_and(|since| entry.from.max(entry.to.min(shadow)) >= since);
        if since_broken {
            entry.forgiven = true;
        }
        if entry.durable {
            continue;
        }
        let lately = entry.from.max(entry.to.min(shadow));
        if unwritten.is_some_and(|since| lately >= since) {
            entry.forgiven = true;
        }
        let ends_soon = match quota.algorithm {
            Algorithm::FixedWindow => {
                (entry.from / window + 1) * window <= entry.from + NO_ROW + UNFLUSHED
            }
            Algorithm::SlidingCounter => {
                (entry.from / window + 2) * window <= entry.from + NO_ROW + UNFLUSHED
            }
            _ => short,
        };
        // What was let through before it was told of was written no sooner than that.
        let told = entry.from + if log.optimistic { entry.span } else { 0 };
        let unflushed = told + UNFLUSHED > shadow;
        let units_of = u128::from(entry.units);
        if !idle && (ends_soon || unflushed) {
            entry.forgiven = true;
        } else if !idle
            && told + RELAXED > shadow
            && entry.fate != Fate::Refunded
            && relaxed >= units_of
        {
            relaxed -= units_of;
            entry.forgiven = true;
        } else if entry.fate != Fate::Refunded && units >= entry.units {
            units -= entry.units;
            entry.forgiven = true;
        }
    }
}
