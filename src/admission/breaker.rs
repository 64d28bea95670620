//! An object that keeps failing is left alone for a while.
//!
//! After three failures in a row its callers go straight to `on_error` for one second, doubling to
//! ten, with one probe at a time. A failure is no answer in time or an error, never a refusal.

use crate::map::Sorted;
use crate::time::{Span, Timestamp};

/// Failures in a row before an object is left alone.
const TOLERATED: u32 = 3;
/// The first quiet time; it doubles with every failed probe.
const FIRST_QUIET: Span = Span::from_secs(1);
/// The longest quiet time.
const LONGEST_QUIET: Span = Span::from_secs(10);
/// Objects remembered as failing. More at once means that all of them fail: then nothing new is
/// remembered and every call takes its time-out.
const CAPACITY: usize = 4_096;

/// The failing objects of one isolate, by name.
#[derive(Debug, Default)]
pub struct Breakers {
    failing: Sorted<String, Failing>,
}

#[derive(Debug)]
struct Failing {
    in_a_row: u32,
    quiet: Span,
    until: Timestamp,
}

impl Breakers {
    /// May the object be called now? The first caller after a quiet time is the probe; whoever
    /// comes before its answer is told no.
    pub fn may_call(&mut self, object: &str, now: Timestamp) -> bool {
        if self.failing.is_empty() {
            return true;
        }
        let Some(failing) = self.failing.get_mut(object) else {
            return true;
        };
        if failing.in_a_row < TOLERATED {
            return true;
        }
        if now < failing.until {
            return false;
        }
        // A probe whose request was torn down never reports; the next one is due after the same
        // quiet time.
        failing.until = now + failing.quiet;
        true
    }

    /// It is being left alone, but for probes.
    #[must_use]
    pub fn is_open(&self, object: &str) -> bool {
        !self.failing.is_empty()
            && self
                .failing
                .get(object)
                .is_some_and(|failing| failing.in_a_row >= TOLERATED)
    }

    /// It answered.
    pub fn succeeded(&mut self, object: &str) {
        if !self.failing.is_empty() {
            self.failing.remove(object);
        }
    }

    /// It did not.
    pub fn failed(&mut self, object: &str, now: Timestamp) {
        if let Some(failing) = self.failing.get_mut(object) {
            failing.in_a_row = failing.in_a_row.saturating_add(1);
            if failing.in_a_row > TOLERATED {
                failing.quiet = (failing.quiet + failing.quiet).min(LONGEST_QUIET);
            }
            failing.until = now + failing.quiet;
        } else {
            if self.failing.len() >= CAPACITY {
                self.failing
                    .retain(|failing| now < failing.until + LONGEST_QUIET);
            }
            if self.failing.len() < CAPACITY {
                let failing = Failing {
                    in_a_row: 1,
                    quiet: FIRST_QUIET,
                    until: now + FIRST_QUIET,
                };
                self.failing.insert(object.to_owned(), failing);
            }
        }
    }

    /// Objects that are being left alone now.
    #[must_use]
    pub fn open(&self) -> usize {
        self.failing
            .values()
            .filter(|failing| failing.in_a_row >= TOLERATED)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + ms)
    }

    #[test]
    fn three_failures_open_it_and_one_probe_at_a_time_tries_again() {
        let mut breakers = Breakers::default();
        for ms in 0..3 {
            assert!(breakers.may_call("a", at(ms)));
            breakers.failed("a", at(ms));
        }
        assert!(!breakers.may_call("a", at(3)));
        assert!(
            breakers.may_call("b", at(3)),
            "another object is not concerned"
        );
        assert!(!breakers.may_call("a", at(1_001)));
        assert!(breakers.may_call("a", at(1_002)), "the probe");
        assert!(!breakers.may_call("a", at(1_003)), "one at a time");
        breakers.failed("a", at(1_302));
        assert!(!breakers.may_call("a", at(3_301)), "doubled");
        assert!(breakers.may_call("a", at(3_302)));
        breakers.succeeded("a");
        assert!(breakers.may_call("a", at(3_303)));
        assert_eq!(breakers.open(), 0);
    }

    #[test]
    fn the_quiet_time_stops_doubling_at_ten_seconds() {
        let mut breakers = Breakers::default();
        let mut now = at(0);
        for _ in 0..20 {
            breakers.failed("a", now);
            now = now + Span::from_secs(60);
        }
        breakers.failed("a", now);
        assert!(!breakers.may_call("a", now + Span::from_millis(9_999)));
        assert!(breakers.may_call("a", now + Span::from_secs(10)));
    }

    #[test]
    fn a_success_between_failures_starts_the_count_anew() {
        let mut breakers = Breakers::default();
        for _ in 0..10 {
            breakers.failed("a", at(0));
            breakers.failed("a", at(0));
            breakers.succeeded("a");
        }
        assert!(breakers.may_call("a", at(0)));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut breakers = Breakers::default();
        for n in 0..10_000 {
            breakers.failed(&n.to_string(), at(0));
        }
        assert!(breakers.failing.len() <= CAPACITY);
    }
}
