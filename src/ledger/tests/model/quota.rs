//! What a quota allows, of a plain list of moments and units.

use super::*;

pub(super) fn check_quota(quota: &Quota, used: &[(u64, u64)]) {
    let window_ms = quota.window.as_millis_ceil();
    for (first, (start, _)) in used.iter().enumerate() {
        let mut sum = 0;
        for (moment, units) in &used[first..] {
            sum += units;
            let elapsed = moment - start;
            let most = match quota.algorithm {
                Algorithm::TokenBucket => quota.burst + (elapsed * quota.limit).div_ceil(window_ms),
                Algorithm::FixedWindow => {
                    let index = |ms: u64| (START_MS + ms) / window_ms;
                    quota.limit * (index(*moment) - index(*start) + 1)
                }
                _ => quota.limit * (elapsed / window_ms + 1),
            };
            assert!(
                sum <= most,
                "{sum} of {most} units in {elapsed} ms: {quota:?} {used:?}"
            );
        }
    }
}
