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
        let step = self.step(now).max(self.newest);
        let gone = step.saturating_sub(self.newest);
        self.newest = step;
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
        if self.steps.is_empty() {
            self.steps.push_back(Counts::default());
        }
        if let Some(last) = self.steps.back_mut() {
            for (sum, count) in last.iter_mut().zip(counts) {
                *sum = sum.saturating_add(count);
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
}
