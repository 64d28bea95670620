//! Counts of the last while, in steps of equal length: what is older falls off the end.

use std::collections::VecDeque;

use crate::time::Timestamp;

/// What is counted side by side: passed, refused, shadow, failed. Others use the first ones.
pub type Counts = [u64; 4];

/// Counts by step.
#[derive(Clone, Debug)]
pub struct Ring {
    step_s: u64,
    capacity: usize,
    /// The step that the last entry is about, counted from the epoch.
    newest: u64,
    steps: VecDeque<Counts>,
}

impl Ring {
    /// Of `capacity` steps of `step_s` seconds.
    pub fn new(step_s: u64, capacity: usize) -> Ring {
        Ring {
            step_s: step_s.max(1),
            capacity,
            newest: 0,
            steps: VecDeque::new(),
        }
    }

    fn step(&self, now: Timestamp) -> u64 {
        let now_s = now.saturating_since(Timestamp::ZERO).as_secs_floor();
        now_s.checked_div(self.step_s).unwrap_or(0)
    }

    /// Adds to the present step.
    pub fn add(&mut self, now: Timestamp, counts: Counts) {
        self.add_at(self.step(now).max(self.newest), counts);
    }

    /// Adds to a step, counted from the epoch; too old a one is forgotten.
    fn add_at(&mut self, step: u64, counts: Counts) {
        let gone = step.saturating_sub(self.newest);
        self.newest = self.newest.max(step);
        if gone >= self.capacity as u64 {
            self.steps.clear();
        } else {
            for _ in 0..gone {
                self.steps.push_back(Counts::default());
            }
        }
        while self.steps.len() > self.capacity {
            self.steps.pop_front();
        }
        let age = usize::try_from(self.newest.saturating_sub(step)).unwrap_or(usize::MAX);
        if age >= self.capacity {
            return;
        }
        while self.steps.len() <= age {
            self.steps.push_front(Counts::default());
        }
        let place = self.steps.len().saturating_sub(age).saturating_sub(1);
        if let Some(step) = self.steps.get_mut(place) {
            for (sum, count) in step.iter_mut().zip(counts) {
                *sum = sum.saturating_add(count);
            }
        }
    }

    /// The steps in which anything happened, as numbers: the newest step, then for each its age and
    /// its counts.
    pub fn write(&self, out: &mut String) {
        out.push_str(&self.newest.to_string());
        for (age, counts) in self.steps.iter().rev().enumerate() {
            if *counts == Counts::default() {
                continue;
            }
            for value in [age as u64].iter().chain(counts) {
                out.push(' ');
                out.push_str(&value.to_string());
            }
        }
    }

    /// Adds what [`Ring::write`] wrote. A step that lies ahead of `now` was written by a clock that
    /// ran ahead, and is taken for the present one.
    pub fn merge(&mut self, numbers: &[u64], now: Timestamp) {
        let Some((newest, rest)) = numbers.split_first() else {
            return;
        };
        let present = self.step(now);
        for entry in rest.chunks_exact(5) {
            if let [age, counts @ ..] = entry
                && let Ok(counts) = Counts::try_from(counts)
            {
                self.add_at(newest.saturating_sub(*age).min(present), counts);
            }
        }
    }

    /// What happened in the last `steps` steps, the present one included.
    pub fn sum(&self, now: Timestamp, steps: u64) -> Counts {
        let mut out = Counts::default();
        let oldest = self.step(now).saturating_sub(steps.saturating_sub(1));
        let mut step = self.newest;
        for counts in self.steps.iter().rev() {
            if step < oldest {
                break;
            }
            for (sum, count) in out.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
            step = step.saturating_sub(1);
        }
        out
    }

    /// The last `capacity` steps up to now, oldest first.
    pub fn all(&self, now: Timestamp) -> Vec<Counts> {
        let silent = self.step(now).saturating_sub(self.newest);
        let silent = usize::try_from(silent)
            .unwrap_or(usize::MAX)
            .min(self.capacity);
        let kept = self.capacity.saturating_sub(silent).min(self.steps.len());
        let before = self.capacity.saturating_sub(silent).saturating_sub(kept);
        let skipped = self.steps.len().saturating_sub(kept);
        let mut out = vec![Counts::default(); before];
        out.extend(self.steps.iter().skip(skipped));
        out.resize(self.capacity, Counts::default());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    #[test]
    fn it_keeps_the_last_steps_in_their_places() {
        let mut ring = Ring::new(5, 4);
        ring.add(at(1000), [1, 0, 0, 0]);
        ring.add(at(1004), [1, 0, 0, 0]);
        ring.add(at(1010), [0, 7, 0, 0]);
        let passed = |ring: &Ring, now| ring.all(at(now)).iter().map(|c| c[0]).collect::<Vec<_>>();
        assert_eq!(passed(&ring, 1010), [0, 2, 0, 0]);
        assert_eq!(ring.all(at(1010))[3][1], 7);
        assert_eq!(passed(&ring, 1015), [2, 0, 0, 0]);
        assert_eq!(ring.all(at(1015))[2][1], 7);
        assert_eq!(passed(&ring, 9999), [0, 0, 0, 0]);
        assert_eq!(ring.sum(at(1010), 1), [0, 7, 0, 0]);
        assert_eq!(ring.sum(at(1010), 3), [2, 7, 0, 0]);
        assert_eq!(ring.sum(at(1015), 3), [0, 7, 0, 0]);
        assert_eq!(ring.sum(at(9999), 3), [0, 0, 0, 0]);
    }

    #[test]
    fn a_clock_that_steps_back_adds_to_the_newest() {
        let mut ring = Ring::new(5, 4);
        ring.add(at(1000), [1, 0, 0, 0]);
        ring.add(at(10), [1, 0, 0, 0]);
        assert_eq!(ring.sum(at(1000), 1), [2, 0, 0, 0]);
        ring.add(at(1100), [1, 0, 0, 0]);
        assert_eq!(ring.sum(at(1100), 4), [1, 0, 0, 0]);
    }
    #[test]
    fn what_was_written_adds_up_with_what_is_there() {
        let mut one = Ring::new(5, 4);
        one.add(at(1000), [1, 0, 0, 0]);
        one.add(at(1010), [0, 7, 0, 0]);
        let mut text = String::new();
        one.write(&mut text);
        assert_eq!(text, "202 0 0 7 0 0 2 1 0 0 0");
        let numbers: Vec<u64> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        let mut sum = Ring::new(5, 4);
        sum.add(at(1015), [0, 0, 3, 0]);
        sum.merge(&numbers, at(1016));
        sum.merge(&numbers, at(1016));
        assert_eq!(
            sum.all(at(1016)),
            [[2, 0, 0, 0], [0; 4], [0, 14, 0, 0], [0, 0, 3, 0]]
        );
        // a clock that ran ahead; what is too old; what is damaged
        let mut late = Ring::new(5, 4);
        late.merge(&numbers, at(1000));
        assert_eq!(late.sum(at(1000), 1), [1, 7, 0, 0]);
        late.merge(&numbers, at(2000));
        assert_eq!(late.sum(at(2000), 4), [0; 4]);
        late.merge(&[u64::MAX, 0, 1, 1], at(2000));
        late.merge(&[u64::MAX, u64::MAX, 1, 1, 1, 1], at(2000));
        late.merge(&[], at(2000));
        assert_eq!(late.sum(at(2000), 4), [0; 4]);
    }
}
