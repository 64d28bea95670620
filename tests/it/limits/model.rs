//! Slow and obvious: the whole history is kept, and every question looks at all of it.

use std::collections::BTreeSet;

use weir::limit::{Algorithm, Quota};
use weir::time::Timestamp;

use super::history::Told;

pub struct Model {
    quota: Quota,
    /// All that was ever spent: instant, units, value.
    spent: Vec<(Timestamp, u64, u64)>,
    /// What is promised: units, value.
    held: Vec<(u64, u64)>,
    /// The bucket's level, in units of 1 / (1 unit in `window` us), and when it was that.
    level: i128,
    level_at: Timestamp,
}

impl Model {
    pub fn new(quota: Quota, now: Timestamp) -> Self {
        let level = Self::unit(&quota) * i128::from(quota.burst);
        Model {
            quota,
            spent: vec![],
            held: vec![],
            level,
            level_at: now,
        }
    }

    fn unit(quota: &Quota) -> i128 {
        i128::from(quota.window.as_micros())
    }

    fn held_units(&self) -> u64 {
        self.held.iter().map(|(units, _)| units).sum()
    }

    /// Tokens drip in evenly, and what exceeds the burst, held ones included, spills.
    fn level(&self, now: Timestamp) -> i128 {
        let elapsed_us = now.as_micros() - self.level_at.as_micros();
        let most = i128::from(self.quota.burst) - i128::from(self.held_units());
        let dripped = i128::from(elapsed_us) * i128::from(self.quota.limit);
        (self.level + dripped).min(most * Self::unit(&self.quota))
    }

    fn take(&mut self, units: i128) {
        self.level -= units * Self::unit(&self.quota);
    }

    pub fn tell(&mut self, now: Timestamp, told: Told) {
        self.level = self.level(now);
        self.level_at = now;
        match told {
            Told::Nothing => {}
            Told::Spend { cost, value } => {
                self.spent.push((now, cost, value));
                self.take(i128::from(cost));
            }
            Told::Hold { units, value } => {
                self.held.push((units, value));
                self.take(i128::from(units));
            }
            Told::Settle {
                units,
                spent,
                value,
            } => {
                let index = self
                    .held
                    .iter()
                    .position(|held| *held == (units, value))
                    .unwrap();
                self.held.remove(index);
                self.spent.push((now, spent, value));
                self.take(i128::from(spent) - i128::from(units));
            }
            // What of it a bucket has spilled since is told by no model as simple as this.
            Told::Undone(loan) => {
                let entry = (loan.at, loan.units, loan.value.unwrap_or(0));
                let index = self.spent.iter().position(|other| *other == entry);
                self.spent.remove(index.unwrap());
            }
            Told::SettleAll => {
                for (units, value) in std::mem::take(&mut self.held) {
                    self.spent.push((now, units, value));
                }
            }
        }
    }

    /// Units spent within the last window.
    fn recent(&self, now: Timestamp) -> u64 {
        let inside = self
            .spent
            .iter()
            .filter(|(at, ..)| *at + self.quota.window > now);
        inside.map(|(_, units, _)| units).sum()
    }

    /// Units spent in the aligned window `back` windows before the present one.
    fn aligned(&self, now: Timestamp, back: u64) -> u64 {
        let index = |at: Timestamp| at.as_micros() / self.quota.window.as_micros();
        let inside = self
            .spent
            .iter()
            .filter(|(at, ..)| index(*at) + back == index(now));
        inside.map(|(_, units, _)| units).sum()
    }

    /// Different values spent within the last window, or held.
    fn values(&self, now: Timestamp) -> BTreeSet<u64> {
        let inside =
            |(at, units, _): &&(Timestamp, u64, u64)| *units > 0 && *at + self.quota.window > now;
        let spent = self.spent.iter().filter(inside).map(|(.., value)| *value);
        spent
            .chain(self.held.iter().map(|(_, value)| *value))
            .collect()
    }

    pub fn fits(&self, now: Timestamp, cost: u64, value: u64) -> bool {
        let window_us = self.quota.window.as_micros();
        let taken = match self.quota.algorithm {
            Algorithm::TokenBucket => {
                return self.level(now) >= i128::from(cost) * Self::unit(&self.quota);
            }
            Algorithm::SlidingWindow => self.recent(now),
            Algorithm::FixedWindow => self.aligned(now, 0),
            Algorithm::SlidingCounter => {
                let covered_us = window_us - now.as_micros() % window_us;
                self.aligned(now, 0) + (self.aligned(now, 1) * covered_us).div_ceil(window_us)
            }
            Algorithm::Distinct => {
                let values = self.values(now);
                let new = u64::from(!values.contains(&value)).min(cost);
                return new == 0 && values.len() as u64 <= self.quota.limit
                    || values.len() as u64 + new <= self.quota.limit;
            }
        };
        taken + self.held_units() + cost <= self.quota.limit
    }

    pub fn remaining(&self, now: Timestamp) -> u64 {
        if self.quota.algorithm == Algorithm::Distinct {
            return self.quota.limit - self.values(now).len() as u64;
        }
        (1..=self.quota.burst)
            .rev()
            .find(|units| self.fits(now, *units, 0))
            .unwrap_or(0)
    }
}
