//! Quota, window and burst, together.

use crate::limit::Algorithm;
use crate::policy::fault::{Faults, Wrong};
use crate::policy::fields::MAX_WINDOW;
use crate::policy::limit::Numbers;
use crate::policy::reader::Reader;
use crate::policy::unit::show_duration;
use crate::time::Span;

/// Most that an exact log or a set of values can hold in one counter.
const MAX_EXACT: u64 = 10_000;

/// `quota`, `window` and `burst` of a limit or a tier.
pub fn numbers(
    reader: &Reader<'_>,
    algorithm: Algorithm,
    window: Span,
    default: u64,
    faults: &mut Faults,
) -> Numbers {
    let quota = reader.field("quota").whole(1).unwrap_or(default);
    let window = reader.field("window").duration().unwrap_or(window);
    let burst = reader.field("burst");
    let numbers = Numbers {
        quota,
        window,
        burst: burst.whole(1).unwrap_or(quota),
    };
    let at = reader.field("quota").at;
    match algorithm {
        Algorithm::SlidingWindow | Algorithm::Distinct if quota > MAX_EXACT => {
            let (what, instead) = if algorithm == Algorithm::Distinct {
                ("\"distinct\"", "")
            } else {
                ("\"sliding-window\"", ", or algorithm = \"sliding-counter\"")
            };
            let found = format!("{quota} is more than {what} can keep");
            let expected = format!("write at most {MAX_EXACT}{instead}");
            faults.add(&at, Wrong::new(found, expected));
        }
        Algorithm::TokenBucket if window <= MAX_WINDOW => check_bucket(&numbers, reader, faults),
        _ => {}
    }
    if burst.is_given() && algorithm != Algorithm::TokenBucket {
        let found = "a burst, which only \"token-bucket\" has";
        faults.add(&burst.at, Wrong::new(found, "leave it out"));
    }
    numbers
}

/// A bucket counts whole microseconds for each unit, rounded up; where that would change the rate
/// by more than one part in a hundred, it would not be what was written.
fn check_bucket(numbers: &Numbers, reader: &Reader<'_>, faults: &mut Faults) {
    let (quota, window) = (
        u128::from(numbers.quota),
        u128::from(numbers.window.as_micros()),
    );
    let each = window.div_ceil(quota.max(1));
    let rounded = each.saturating_mul(quota);
    let error = rounded.saturating_sub(window);
    if error.saturating_mul(100) > window {
        let found = format!(
            "{} in {} is too fast for \"token-bucket\", which counts in microseconds",
            numbers.quota,
            show_duration(numbers.window)
        );
        let expected = "write algorithm = \"sliding-counter\", or fewer units";
        faults.add(&reader.field("quota").at, Wrong::new(found, expected));
        return;
    }
    let fill = each.saturating_mul(u128::from(numbers.burst));
    if fill > u128::from(MAX_WINDOW.as_micros()) {
        let found = format!("{} units take longer than a year to fill", numbers.burst);
        let at = if reader.field("burst").is_given() {
            "burst"
        } else {
            "quota"
        };
        faults.add(&reader.field(at).at, Wrong::new(found, "write less"));
    }
}
