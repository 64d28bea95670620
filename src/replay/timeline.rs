//! Counts over time, in a bounded number of equal stretches.

use crate::time::Timestamp;

/// Stretches at most. Beyond, each two become one twice as long.
const MOST: usize = 240;

/// Counts of one stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Requests.
    pub requests: u64,
    /// Of those, refused.
    pub refused: u64,
    /// Of the others, those that a shadow rule would have refused.
    pub shadow: u64,
    /// Per row, (refused, would have been refused).
    pub rows: Vec<(u64, u64)>,
}

impl Stretch {
    fn add(&mut self, other: &Stretch) {
        self.requests = self.requests.saturating_add(other.requests);
        self.refused = self.refused.saturating_add(other.refused);
        self.shadow = self.shadow.saturating_add(other.shadow);
        self.rows
            .resize(self.rows.len().max(other.rows.len()), (0, 0));
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            mine.0 = mine.0.saturating_add(theirs.0);
            mine.1 = mine.1.saturating_add(theirs.1);
        }
    }
}

/// All stretches, of `width_s` seconds each, the first beginning at `start_s`.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Seconds of one stretch: a power of two.
    pub width_s: u64,
    /// Number of the first stretch since the epoch.
    first: u64,
    /// In order, without gaps.
    pub stretches: Vec<Stretch>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline {
            width_s: 1,
            first: 0,
            stretches: Vec::new(),
        }
    }
}

impl Timeline {
    /// Seconds since the epoch at which the first stretch begins.
    #[must_use]
    pub fn start_s(&self) -> u64 {
        self.first.saturating_mul(self.width_s)
    }

    /// The stretch that `at` falls into; what is before the first falls into the first.
    pub fn at(&mut self, at: Timestamp) -> Option<&mut Stretch> {
        let seconds = at.as_micros() / 1_000_000;
        if self.stretches.is_empty() {
            self.first = seconds.checked_div(self.width_s).unwrap_or(0);
        }
        loop {
            let number = seconds.checked_div(self.width_s).unwrap_or(0);
            let place = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
            if place < MOST {
                let needed = place.saturating_add(1);
                if self.stretches.len() < needed {
                    self.stretches.resize_with(needed, Stretch::default);
                }
                return self.stretches.get_mut(place);
            }
            self.widen();
        }
    }

    fn widen(&mut self) {
        let mut wider: Vec<Stretch> = Vec::with_capacity(MOST);
        let first = self.first / 2;
        for (number, stretch) in (self.first..).zip(&self.stretches) {
            let place = usize::try_from((number / 2).saturating_sub(first)).unwrap_or(0);
            if wider.len() <= place {
                wider.resize_with(place.saturating_add(1), Stretch::default);
            }
            if let Some(into) = wider.get_mut(place) {
                into.add(stretch);
            }
        }
        self.first = first;
        self.width_s = self.width_s.saturating_mul(2);
        self.stretches = wider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_however_long_it_takes() {
        let mut line = Timeline::default();
        for day in 0..400_u64 {
            let at = Timestamp::from_millis(1_000 * (1_700_000_001 + day * 86_400));
            line.at(at).expect("a stretch").requests += 1;
        }
        let sum: u64 = line.stretches.iter().map(|stretch| stretch.requests).sum();
        assert_eq!(sum, 400);
        assert!(line.stretches.len() <= MOST);
        assert_eq!(line.width_s, 1 << 18);
        assert!(line.start_s() <= 1_700_000_001);
        assert!(line.start_s() + line.width_s > 1_700_000_001);
    }

    #[test]
    fn rows_are_added_up_when_stretches_grow() {
        let mut line = Timeline::default();
        for second in 0..480 {
            let stretch = line
                .at(Timestamp::from_millis(second * 1_000))
                .expect("one");
            stretch.rows.resize(2, (0, 0));
            stretch.rows[1].0 += 1;
        }
        assert_eq!(line.width_s, 2);
        assert!(
            line.stretches
                .iter()
                .all(|stretch| stretch.rows == [(0, 0), (2, 0)])
        );
    }
}
